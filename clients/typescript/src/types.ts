/** The bodies of requests and answers, by the names that /openapi.json has for them. */

import type { components } from "./openapi.js";

type Schemas = components["schemas"];

export type AnswerResponse = Schemas["AnswerResponse"];
export type AnswerSentenceBody = Schemas["AnswerSentenceBody"];
export type ChangesResponse = Schemas["ChangesResponse"];
export type ChunkBody = Schemas["ChunkBody"];
export type CountsResponse = Schemas["CountsResponse"];
export type DocumentStatusResponse = Schemas["DocumentStatusResponse"];
export type DocumentSummary = Schemas["DocumentSummary"];
export type ErrorBody = Schemas["ErrorBody"];
export type EvidencePassageBody = Schemas["EvidencePassageBody"];
export type ExplainResponse = Schemas["ExplainResponse"];
/** Which documents a question may show. All fields together have to fit. */
export type Filter = Schemas["QueryFilter"];
export type ListResponse = Schemas["ListResponse"];
export type OcrMode = Schemas["OcrMode"];
export type QueryRequest = Schemas["QueryRequest"];
export type QueryResponse = Schemas["QueryResponse"];
export type SearchResultBody = Schemas["SearchResultBody"];
export type Status = Schemas["Status"];
/** A question or an answer that was before a question. */
export type Turn = Schemas["HistoryTurn"];
export type UploadResponse = Schemas["UploadResponse"];
export type UploadUrlResponse = Schemas["UploadUrlResponse"];

/** The document that an upload has made, or the one that exists with the same bytes: then it is not `isNew`. */
export type Uploaded = UploadResponse & { isNew: boolean };

/** An answer as it is written: its evidence, then each sentence as soon as it is complete, then the whole. */
export type AnswerPart =
  | { type: "evidence"; evidence: EvidencePassageBody[] }
  | { type: "sentence"; sentence: AnswerSentenceBody }
  | { type: "done"; answer: AnswerResponse };
