/** Client: a deployment of ragbase from TypeScript and JavaScript (docs/http-api.md). */

import { answerParts } from "./answer-stream.js";
import { checkedEndpoint, checkedKey, checkSecret } from "./endpoint.js";
import { PermanentError } from "./errors.js";
import { type ApiRequest, errorOf, Exchange, now, type Reply, sleep, type Sleep } from "./exchange.js";
import { follow } from "./follow.js";
import { sendInParts } from "./parts.js";
import { good, isOk, TypedExchange } from "./typed-exchange.js";
import type {
  AnswerPart,
  AnswerResponse,
  ChangesResponse,
  ChunkBody,
  CountsResponse,
  DocumentStatusResponse,
  DocumentSummary,
  ExplainResponse,
  Filter,
  ListResponse,
  OcrMode,
  QueryResponse,
  Status,
  Turn,
  Uploaded,
  UploadResponse,
  UploadUrlResponse,
} from "./types.js";

/** Seconds that one request may wait for a document (docs/http-api.md). */
const LONGEST_WAIT = 30;
/** Seconds more that an answer may take: a model writes it. */
const WRITING = 60;
/** Seconds between two looks at a document. */
const PAUSE = 1;
/** Bytes of a file that a server takes (docs/limits.md). */
const MAX_FILE_SIZE = 50 * 1024 * 1024;
const ACCEPTED = 202;
const PRECONDITION_FAILED = 412;
const TOO_LARGE = 413;
const UNKNOWN_TYPE = "application/octet-stream";
const DOCUMENT_FIELDS = ["id", "filename", "status"] as const;

export interface ClientOptions {
  /** An API key or a token. */
  key?: string | undefined;
  /** The longest silence of the server, in seconds: 30 without it. */
  timeout?: number | undefined;
  /** The time for one call with all its attempts, in seconds: 120 without it. */
  deadline?: number | undefined;
  /** Lets a key go over http to another machine. */
  allowPlainHttp?: boolean | undefined;
  /** Waits between attempts. */
  sleep?: Sleep | undefined;
}

export interface CallOptions {
  /** Ends the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

export interface SearchOptions extends CallOptions {
  /** The most passages. The setting of the server holds without it, and so does it for `threshold`. */
  topK?: number | undefined;
  threshold?: number | undefined;
  filter?: Filter | undefined;
}

export interface AnswerOptions extends SearchOptions {
  /** False: the reranker of the server is not asked. */
  rerank?: boolean | undefined;
  /** The turns before the question, oldest first. A `Conversation` collects them. */
  history?: readonly Turn[] | undefined;
}

export interface QueryOptions extends AnswerOptions {
  /** Each passage has in `context` what of it has at most `expandTokens` tokens. */
  expand?: "section" | "page" | "document" | undefined;
  expandTokens?: number | undefined;
}

export interface UploadOptions extends CallOptions {
  /** The document's name on the server, by default that of a File. */
  path?: string | undefined;
  replace?: boolean | undefined;
  /** How the pages of a PDF are read; without it, the server's settings hold, and so they do for `ocrLanguages`. */
  ocrMode?: OcrMode | undefined;
  ocrLanguages?: readonly string[] | undefined;
  contentType?: string | undefined;
}

export interface PageOptions extends CallOptions {
  status?: Status | undefined;
  /** 1 to 100. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

/**
 * Uploads files to a server, asks it questions and reads what it holds.
 *
 * Requests that may be done twice are tried again after a passing fault: the network, and the answers 429, 502, 503 and
 * 504. An upload is one of them, because the same bytes under the same path are the same document. Every method throws
 * ApiError for an error that the server answers, NoAnswer if there is none in time, and UnreadableAnswer.
 */
export class Client {
  readonly #exchange: Exchange;
  readonly #typed: TypedExchange;

  /**
   * `endpoint` is the address of the server, such as https://rag.example.com. Throws ConfigurationError for an endpoint
   * or a key that cannot be one, and for a key that would go over http to another machine.
   */
  constructor(endpoint: string, options: ClientOptions = {}) {
    const key = options.key === undefined ? undefined : checkedKey(options.key);
    const address = checkedEndpoint(endpoint);
    const allowPlainHttp = options.allowPlainHttp ?? false;
    if (key !== undefined && !allowPlainHttp) checkSecret(address);
    this.#exchange = new Exchange(address, key, {
      timeout: options.timeout ?? 30,
      deadline: options.deadline ?? 120,
      sleep: options.sleep ?? sleep,
    });
    this.#typed = new TypedExchange(this.#exchange, allowPlainHttp);
  }

  /** The passages that answer, best first, in `results`; none if no document is about it. */
  query(text: string, options: QueryOptions = {}): Promise<QueryResponse> {
    const { expand, expandTokens } = options;
    return this.#typed.read(["results"], question("/api/query", text, options, { expand, expandTokens }));
  }

  /**
   * Why `query` with the same options does not find this document, or where it does. `document` is an id, or a name on
   * the server.
   */
  explain(text: string, document: string, options: SearchOptions = {}): Promise<ExplainResponse> {
    return this.#typed.read([], question("/api/explain", text, options, { document }));
  }

  /** An answer in sentences, each with the places that it stands on, written from what `query` finds. */
  answer(text: string, options: AnswerOptions = {}): Promise<AnswerResponse> {
    const request = question("/api/answer", text, options);
    return this.#typed.read(["text", "answered", "sentences", "evidence"], { ...request, seconds: WRITING });
  }

  /**
   * The same answer as it is written. Nothing is tried again after the first part. An error after it is ApiError with
   * the status 200, or NoAnswer.
   */
  async *answerParts(text: string, options: AnswerOptions = {}): AsyncGenerator<AnswerPart, void> {
    const request = question("/api/answer", text, options);
    const headers = { ...request.headers, Accept: "text/event-stream" };
    yield* answerParts(await this.#typed.stream({ ...request, headers, seconds: WRITING }), this.#typed);
  }

  /**
   * Send a file. The answer does not wait for the processing: `wait` does. Other bytes under the same path are ApiError
   * (409, ALREADY_EXISTS), unless `replace` is set. Throws PermanentError (FILE_TOO_LARGE) above 50 MB, and TypeError if
   * bytes have no `path`.
   */
  async upload(file: Blob | Uint8Array<ArrayBuffer>, options: UploadOptions = {}): Promise<Uploaded> {
    const path = options.path || (file instanceof File ? file.name : "");
    if (!path) throw new TypeError("path is missing: bytes and blobs have no name of their own. Give one.");
    const type = options.contentType ?? (file instanceof Blob && file.type ? file.type : undefined);
    const data = new Blob([file], { type: type ?? UNKNOWN_TYPE });
    if (data.size > MAX_FILE_SIZE) {
      const most = `the limit of ${MAX_FILE_SIZE / 1048576} MB a file`;
      throw new PermanentError("FILE_TOO_LARGE", `${path} is over ${most}. Split it into smaller ones.`);
    }
    const ocrLanguages = options.ocrLanguages?.length ? options.ocrLanguages.join(",") : undefined;
    const fields = given({ path, ocrMode: options.ocrMode, ocrLanguages });
    const form = new FormData();
    for (const [name, value] of Object.entries({ ...fields, replace: String(options.replace ?? false) })) {
      form.set(name, value);
    }
    form.set("file", data, path.slice(path.lastIndexOf("/") + 1));
    const { signal } = options;
    const reply = await this.#exchange.ask({ method: "POST", path: "/api/documents", body: form, signal });
    if (reply.status !== TOO_LARGE) return this.#uploaded(reply);
    const wanted = { ...fields, contentType: type, size: data.size, replace: options.replace ?? false };
    return this.#uploadApart(path, data, wanted, signal);
  }

  /** The server takes no request of this size: it says where the file can be sent, and in which parts. */
  async #uploadApart(path: string, data: Blob, wanted: object, signal: AbortSignal | undefined): Promise<Uploaded> {
    const where = { ...json({ ...wanted, inParts: true }), method: "POST", path: "/api/uploads", signal };
    const address = await this.#typed.read<UploadUrlResponse>(["id", "method", "url", "headers"], where);
    // A Blob brings a header of its own: the address may be signed for another one, or for none.
    const body = new Blob([data], { type: "" });
    const { method, headers, partSize } = address;
    const request = { method, ...this.#typed.named(address.url), headers, signal };
    const reply = partSize
      ? await sendInParts(body, partSize, request, this.#exchange)
      : await this.#exchange.ask({ ...request, body });
    // If an answer was lost, a bucket that takes the file once finds at the next attempt that it is there.
    if (!isOk(reply) && !(reply.status === PRECONDITION_FAILED && reply.repeated)) throw errorOf(reply);
    if (reply.headers.get("content-type")?.startsWith("application/json")) return this.#uploaded(reply);
    return { id: address.id, filename: path, status: "PENDING", isNew: true }; // a bucket's own answer
  }

  #uploaded(reply: Reply): Uploaded {
    const uploaded = this.#typed.value<UploadResponse>(DOCUMENT_FIELDS, good(reply));
    return { ...uploaded, isNew: reply.status === ACCEPTED };
  }

  /** The document when it is COMPLETED or FAILED, or as it is after that many seconds. */
  async wait(id: string, options: CallOptions & { seconds?: number } = {}): Promise<DocumentStatusResponse> {
    const end = now() + (options.seconds ?? 600);
    for (;;) {
      const asked = now();
      const seconds = Math.min(Math.max(end - asked, 0), LONGEST_WAIT);
      const document = await this.#typed.read<DocumentStatusResponse>(DOCUMENT_FIELDS, {
        method: "GET",
        path: documentPath(id),
        parameters: { wait: seconds.toFixed(3) },
        seconds,
        signal: options.signal,
      });
      if (document.status === "COMPLETED" || document.status === "FAILED" || now() >= end) return document;
      // A server that has no room for one more that waits answers at once.
      if (now() - asked < PAUSE) await this.#exchange.rest(Math.min(PAUSE, seconds), options.signal);
    }
  }

  /** All documents, or those with this status, newest first. They are fetched a page at a time. */
  async *list(options: CallOptions & { status?: Status | undefined } = {}): AsyncGenerator<DocumentSummary, void> {
    const parameters = given({ status: options.status });
    const request = { method: "GET", path: "/api/documents", parameters, signal: options.signal };
    for await (const page of this.#typed.pages<ListResponse>(["documents"], request)) yield* page.documents;
  }

  /** At most `limit` documents after the first `offset` ones, or after the page whose `nextCursor` is given. */
  page(options: PageOptions = {}): Promise<ListResponse> {
    const { status, cursor, limit, offset, signal } = options;
    const parameters = given({ status, cursor, limit: limit?.toString(), offset: offset?.toString() });
    return this.#typed.read(["documents", "total"], { method: "GET", path: "/api/documents", parameters, signal });
  }

  /** How many documents there are in each status, and in all. */
  counts(options: CallOptions = {}): Promise<CountsResponse> {
    return this.#typed.read([], { method: "GET", path: "/api/counts", signal: options.signal });
  }

  get(id: string, options: CallOptions = {}): Promise<DocumentStatusResponse> {
    return this.#typed.read(DOCUMENT_FIELDS, { method: "GET", path: documentPath(id), signal: options.signal });
  }

  /** Remove a document from the server. */
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#typed.remove({ method: "DELETE", path: documentPath(id), signal: options.signal });
  }

  /** Ask for another round of attempts at a document that has failed; any other is left as it is. */
  retry(id: string, options: CallOptions = {}): Promise<DocumentStatusResponse> {
    const path = `${documentPath(id)}/retry`;
    return this.#typed.read(DOCUMENT_FIELDS, { method: "POST", path, repeatable: false, signal: options.signal });
  }

  /** What search shows of a document, in the order of its text. It is fetched a page at a time. */
  async *chunks(id: string, options: CallOptions = {}): AsyncGenerator<ChunkBody, void> {
    const request = { method: "GET", path: `${documentPath(id)}/chunks`, signal: options.signal };
    const pages = this.#typed.pages<{ chunks: ChunkBody[]; nextCursor?: string }>(["chunks"], request);
    for await (const page of pages) yield* page.chunks;
  }

  /** The extracted text, in which the offsets of results count. */
  async text(id: string, options: CallOptions = {}): Promise<string> {
    return good(await this.#exchange.ask({ method: "GET", path: `${documentPath(id)}/text`, signal: options.signal }));
  }

  /**
   * What changes, soon after it has. It has no end: leave the loop, or abort its signal.
   *
   * The first one has no documents: list them then. Do so again whenever `more` is true. `after` is the `next` of the
   * last one that a program has seen before. If the server has no stream now, or no proxy lets one through, it is asked
   * every two seconds.
   */
  events(options: CallOptions & { after?: string | undefined } = {}): AsyncGenerator<ChangesResponse, void> {
    return follow(options.after, this.#exchange, this.#typed, options.signal);
  }
}

function question(path: string, text: string, options: AnswerOptions, others: object = {}): ApiRequest {
  const { topK, threshold, filter, rerank, signal } = options;
  // An older server knows no history: an empty one is left out.
  const history = options.history?.length ? options.history : undefined;
  return { ...json({ query: text, topK, threshold, filter, rerank, history, ...others }), method: "POST", path, signal };
}

/** A body without what is undefined, and its type. */
function json(value: object): { headers: Record<string, string>; body: string } {
  return { headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) };
}

function documentPath(id: string): string {
  if (["", ".", ".."].includes(id)) throw new TypeError(`The id is ${JSON.stringify(id)}. Give the id of a document.`);
  return `/api/documents/${encodeURIComponent(id)}`;
}

function given(parameters: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(Object.entries(parameters).flatMap(([name, value]) => (value ? [[name, value]] : [])));
}
