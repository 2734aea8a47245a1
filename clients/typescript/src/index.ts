export {
  type AnswerOptions,
  type CallOptions,
  Client,
  type ClientOptions,
  type PageOptions,
  type QueryOptions,
  type SearchOptions,
  type UploadOptions,
} from "./client.js";
export { Conversation } from "./conversation.js";
export { ApiError, ClientError, ConfigurationError, NoAnswer, PermanentError, RagbaseError, UnreadableAnswer } from "./errors.js";
export type { Sleep } from "./exchange.js";
export type * from "./types.js";
