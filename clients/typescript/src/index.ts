export type { CallOptions } from "./call-options.js";
export {
  type AnswerOptions,
  Client,
  type ClientOptions,
  type MarksOptions,
  type PageOptions,
  type QueryOptions,
  type SearchOptions,
} from "./client.js";
export { Conversation } from "./conversation.js";
export { ApiError, ClientError, ConfigurationError, NoAnswer, PermanentError, RagbaseError, UnreadableAnswer } from "./errors.js";
export type { Sleep } from "./exchange.js";
export type { AuditOptions, KeyOptions, Operator } from "./operator.js";
export type * from "./types.js";
export type { UploadOptions } from "./upload.js";
