/** The bodies of requests and answers, by the names that /openapi.json has for them. */

import type { components } from "./openapi.js";

type Schemas = components["schemas"];

export type AnswerResponse = Schemas["AnswerResponse"];
export type AnswerSentenceBody = Schemas["AnswerSentenceBody"];
export type AuditLine = Schemas["AuditLine"];
export type AuditResponse = Schemas["AuditResponse"];
export type ChangesResponse = Schemas["ChangesResponse"];
export type Check = Schemas["Check"];
export type Checks = Schemas["Checks"];
export type ChunkBody = Schemas["ChunkBody"];
export type ChunksResponse = Schemas["ChunksResponse"];
export type CountsResponse = Schemas["CountsResponse"];
export type CreatedKey = Schemas["CreatedKey"];
export type CreateKeyRequest = Schemas["CreateKeyRequest"];
export type DeadLetterDetail = Schemas["DeadLetterDetail"];
export type DeadLettersResponse = Schemas["DeadLettersResponse"];
export type DeadLetterSummary = Schemas["DeadLetterSummary"];
export type DocumentStatusResponse = Schemas["DocumentStatusResponse"];
export type DocumentSummary = Schemas["DocumentSummary"];
export type ErrorBody = Schemas["ErrorBody"];
export type EvaluationRunBody = Schemas["EvaluationRunBody"];
export type EvaluationsResponse = Schemas["EvaluationsResponse"];
export type EvidencePassageBody = Schemas["EvidencePassageBody"];
export type ExplainResponse = Schemas["ExplainResponse"];
/** Which documents a question may show. All fields together have to fit. */
export type Filter = Schemas["QueryFilter"];
export type GoldenQuestionBody = Schemas["GoldenQuestionBody"];
export type GoldenQuestionsResponse = Schemas["GoldenQuestionsResponse"];
export type KeysResponse = Schemas["KeysResponse"];
export type KeySummary = Schemas["KeySummary"];
export type ListResponse = Schemas["ListResponse"];
export type LoginResponse = Schemas["LoginResponse"];
export type OcrMode = Schemas["OcrMode"];
export type PageMarkBody = Schemas["PageMarkBody"];
export type PageMarksResponse = Schemas["PageMarksResponse"];
export type PagesResponse = Schemas["PagesResponse"];
export type QueryRequest = Schemas["QueryRequest"];
export type QueryResponse = Schemas["QueryResponse"];
export type RateResponse = Schemas["RateResponse"];
export type ReconciliationResponse = Schemas["ReconciliationResponse"];
export type ReplayResponse = Schemas["ReplayResponse"];
export type SearchResultBody = Schemas["SearchResultBody"];
export type SessionResponse = Schemas["SessionResponse"];
export type ShownPage = Schemas["ShownPage"];
export type SourcesResponse = Schemas["SourcesResponse"];
export type SourceSummary = Schemas["SourceSummary"];
export type Status = Schemas["Status"];
export type TenantCounts = Schemas["TenantCounts"];
export type TenantsResponse = Schemas["TenantsResponse"];
/** A question or an answer that was before a question. */
export type Turn = Schemas["HistoryTurn"];
export type UploadResponse = Schemas["UploadResponse"];
export type UploadUrlResponse = Schemas["UploadUrlResponse"];
export type UsedLimit = Schemas["UsedLimit"];
export type UsedRate = Schemas["UsedRate"];

/** What every state of a document has. */
export const DOCUMENT_FIELDS = ["id", "filename", "status"] as const;

/** The document that an upload has made, or the one that exists with the same bytes: then it is not `isNew`. */
export type Uploaded = UploadResponse & { isNew: boolean };

/** An answer as it is written: its evidence, then each sentence as soon as it is complete, then the whole. */
export type AnswerPart =
  | { type: "evidence"; evidence: EvidencePassageBody[] }
  | { type: "sentence"; sentence: AnswerSentenceBody }
  | { type: "done"; answer: AnswerResponse };
