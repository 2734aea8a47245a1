/** Client: a deployment of ragbase from TypeScript and JavaScript (docs/http-api.md). */

import { answerParts } from "./answer-stream.js";
import type { CallOptions } from "./call-options.js";
import { checkedEndpoint, checkedKey, checkSecret } from "./endpoint.js";
import { ConfigurationError } from "./errors.js";
import { type ApiRequest, Exchange, now, type Reply, sleep, type Sleep } from "./exchange.js";
import { follow } from "./follow.js";
import { Operator } from "./operator.js";
import { given, json, pathOf } from "./requests.js";
import { good, TypedExchange } from "./typed-exchange.js";
import {
  type AnswerPart,
  type AnswerResponse,
  type ChangesResponse,
  type ChunkBody,
  type ChunksResponse,
  type CountsResponse,
  DOCUMENT_FIELDS,
  type DocumentStatusResponse,
  type DocumentSummary,
  type ExplainResponse,
  type Filter,
  type GoldenQuestionBody,
  type GoldenQuestionsResponse,
  type ListResponse,
  type LoginResponse,
  type PageMarksResponse,
  type PagesResponse,
  type QueryResponse,
  type SessionResponse,
  type Status,
  type Turn,
  type Uploaded,
} from "./types.js";
import { upload, type UploadOptions } from "./upload.js";

/** Seconds that one request may wait for a document (docs/http-api.md). */
const LONGEST_WAIT = 30;
/** Seconds more that an answer may take: a model writes it. */
const WRITING = 60;
/** Seconds between two looks at a document. */
const PAUSE = 1;
const FOUND: readonly number[] = [302, 303, 307];
/** The status that a browser gives a redirect which it hides. */
const HIDDEN = 0;

export interface ClientOptions {
  /** An API key or a token. */
  key?: string | undefined;
  /** The longest silence of the server, in seconds: 30 without it. A file gets a second more for each 125 KB of it. */
  timeout?: number | undefined;
  /** The time for one call with all its attempts, in seconds: 120 without it. */
  deadline?: number | undefined;
  /** Lets a key go over http to another machine. */
  allowPlainHttp?: boolean | undefined;
  /** Waits between attempts. */
  sleep?: Sleep | undefined;
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

export interface PageOptions extends CallOptions {
  status?: Status | undefined;
  /** 1 to 100. */
  limit?: number | undefined;
  offset?: number | undefined;
  /** The `nextCursor` of the page before. */
  cursor?: string | undefined;
}

export interface MarksOptions extends CallOptions {
  /** At most 300 places in the text that no rectangle goes on over. */
  breaks?: readonly number[] | undefined;
}

/**
 * Uploads files to a server, asks it questions and reads what it holds.
 *
 * Requests that may be done twice are tried again after a passing fault: the network, and the answers 429, 502, 503 and
 * 504. An upload is one of them, because the same bytes under the same path are the same document. Every method throws
 * ApiError for an error that the server answers, NoAnswer if there is none in time, and UnreadableAnswer.
 */
export class Client {
  /** What only the operator of the deployment may see and do. */
  readonly operator: Operator;
  readonly #exchange: Exchange;
  readonly #typed: TypedExchange;
  readonly #allowPlainHttp: boolean;

  /**
   * `endpoint` is the address of the server, such as https://rag.example.com. Throws ConfigurationError for an endpoint,
   * a key or a limit that cannot be one, and for a key that would go over http to another machine.
   */
  constructor(endpoint: string, options: ClientOptions = {}) {
    const key = options.key === undefined ? undefined : checkedKey(options.key);
    this.#allowPlainHttp = options.allowPlainHttp ?? false;
    this.#exchange = new Exchange(checkedEndpoint(endpoint), key, {
      timeout: checkedSeconds("timeout", options.timeout ?? 30),
      deadline: checkedSeconds("deadline", options.deadline ?? 120),
      sleep: options.sleep ?? sleep,
    });
    if (key !== undefined) this.#checkSecret();
    this.#typed = new TypedExchange(this.#exchange, this.#allowPlainHttp);
    this.operator = new Operator(this.#typed);
  }

  /**
   * A token for a password. This client sends it with every later request. Throws ConfigurationError if the password
   * would go over http to another machine.
   */
  async signIn(password: string, options: CallOptions = {}): Promise<LoginResponse> {
    this.#checkSecret();
    const request = { method: "POST", path: "/api/auth/login", repeatable: false, signal: options.signal };
    const signedIn = await this.#typed.read<LoginResponse>(["token", "expiresAt"], { ...json({ password }), ...request });
    this.#exchange.useKey(checkedKey(signedIn.token));
    return signedIn;
  }

  /** End the token of `signIn`, everywhere. */
  async signOut(options: CallOptions = {}): Promise<void> {
    const request = { method: "POST", path: "/api/auth/logout", repeatable: false, signal: options.signal };
    good(await this.#exchange.ask(request));
    this.#exchange.useKey(undefined);
  }

  /** Whom the server takes this client for, and what it may do; without `by`, it knows nobody. */
  session(options: CallOptions = {}): Promise<SessionResponse> {
    return this.#typed.read([], { method: "GET", path: "/api/session", signal: options.signal });
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
   * (409, ALREADY_EXISTS), unless `replace` is set. Throws PermanentError (FILE_TOO_LARGE) above 50 MB, TypeError if bytes
   * have no `path` or if it is no file, and RagbaseError if it can't be read.
   */
  upload(file: Blob | Uint8Array, options: UploadOptions = {}): Promise<Uploaded> {
    return upload(file, options, this.#exchange, this.#typed);
  }

  /** The document when it is COMPLETED or FAILED, or as it is after that many seconds. */
  async wait(id: string, options: CallOptions & { seconds?: number | undefined } = {}): Promise<DocumentStatusResponse> {
    const end = now() + (options.seconds ?? 600);
    for (;;) {
      const asked = now();
      const seconds = Math.min(Math.max(end - asked, 0), LONGEST_WAIT);
      const document = await this.#typed.read<DocumentStatusResponse>(DOCUMENT_FIELDS, {
        method: "GET",
        path: pathOf("documents", id),
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
    const parameters = given({ status, cursor, limit, offset });
    return this.#typed.read(["documents", "total"], { method: "GET", path: "/api/documents", parameters, signal });
  }

  /** How many documents there are in each status, and in all. */
  counts(options: CallOptions = {}): Promise<CountsResponse> {
    return this.#typed.read([], { method: "GET", path: "/api/counts", signal: options.signal });
  }

  /** The state of a document. */
  get(id: string, options: CallOptions = {}): Promise<DocumentStatusResponse> {
    return this.#typed.read(DOCUMENT_FIELDS, { method: "GET", path: pathOf("documents", id), signal: options.signal });
  }

  /** Remove a document from the server. */
  delete(id: string, options: CallOptions = {}): Promise<void> {
    return this.#typed.remove({ path: pathOf("documents", id), signal: options.signal });
  }

  /** Ask for another round of attempts at a document that has failed; any other is left as it is. */
  retry(id: string, options: CallOptions = {}): Promise<DocumentStatusResponse> {
    const path = `${pathOf("documents", id)}/retry`;
    return this.#typed.read(DOCUMENT_FIELDS, { method: "POST", path, repeatable: false, signal: options.signal });
  }

  /** Have a PDF or picture read again that an older version has read; any other document is left as it is. */
  reread(id: string, options: CallOptions = {}): Promise<DocumentStatusResponse> {
    const path = `${pathOf("documents", id)}/reread`;
    return this.#typed.read(DOCUMENT_FIELDS, { method: "POST", path, repeatable: false, signal: options.signal });
  }

  /** What search shows of a document, in the order of its text. It is fetched a page at a time. */
  async *chunks(id: string, options: CallOptions = {}): AsyncGenerator<ChunkBody, void> {
    const request = { method: "GET", path: `${pathOf("documents", id)}/chunks`, signal: options.signal };
    for await (const page of this.#typed.pages<ChunksResponse>(["chunks"], request)) yield* page.chunks;
  }

  /**
   * The extracted text. `charStart` and `charEnd` of results count its characters, of which JavaScript may count one as
   * two: `[...text].slice(charStart, charEnd).join("")` is the place.
   */
  text(id: string, options: CallOptions = {}): Promise<string> {
    return this.#typed.text({ method: "GET", path: `${pathOf("documents", id)}/text`, signal: options.signal });
  }

  /** The file as it was uploaded. */
  async content(id: string, options: CallOptions = {}): Promise<Blob> {
    const request = { method: "GET", path: `${pathOf("documents", id)}/content`, signal: options.signal };
    const reply = await this.#exchange.ask(request);
    if (reply.status === HIDDEN) return blob(await this.#exchange.ask({ ...request, redirect: "follow" }));
    if (!FOUND.includes(reply.status)) return blob(reply);
    const url = new URL(reply.headers.get("location") ?? "", `${this.#exchange.endpoint}${request.path}`).href;
    return blob(await this.#exchange.ask({ method: "GET", ...this.#typed.named(url), signal: options.signal }));
  }

  /** The pages of a PDF or picture with their sizes, in their order. */
  pages(id: string, options: CallOptions = {}): Promise<PagesResponse> {
    const path = `${pathOf("documents", id)}/pages`;
    return this.#typed.read(["known", "pages"], { method: "GET", path, signal: options.signal });
  }

  /** A PNG of a page of a PDF or picture, `width` pixels wide. Pages are counted from 1. */
  async pageImage(id: string, page: number, options: CallOptions & { width?: number | undefined } = {}): Promise<Blob> {
    const path = `${pathOf("documents", id)}/pages/${page}`;
    const parameters = given({ width: options.width });
    return blob(await this.#exchange.ask({ method: "GET", path, parameters, signal: options.signal }));
  }

  /**
   * Where the characters from `start` up to `end` of the extracted text stand on a page: those of a result, of a citation
   * or of a chunk.
   */
  pageMarks(id: string, page: number, start: number, end: number, options: MarksOptions = {}): Promise<PageMarksResponse> {
    const path = `${pathOf("documents", id)}/pages/${page}/marks`;
    const parameters = given({ from: start, to: end, breaks: options.breaks?.join(",") });
    return this.#typed.read(["known", "marks"], { method: "GET", path, parameters, signal: options.signal });
  }

  /** The questions that `ragbase eval` asks, oldest first. */
  async goldenQuestions(options: CallOptions = {}): Promise<GoldenQuestionBody[]> {
    const request = { method: "GET", path: "/api/golden-questions", signal: options.signal };
    return (await this.#typed.read<GoldenQuestionsResponse>(["questions"], request)).questions;
  }

  /**
   * Keep a question for `ragbase eval`, and the document that should answer it: an id, or a name on the server. To keep
   * it again changes nothing.
   */
  keepGoldenQuestion(question: string, document: string, options: CallOptions = {}): Promise<GoldenQuestionBody> {
    const request = { method: "POST", path: "/api/golden-questions", signal: options.signal };
    return this.#typed.read(["id", "question"], { ...json({ question, document }), ...request });
  }

  /** Forget a golden question. */
  removeGoldenQuestion(id: string, options: CallOptions = {}): Promise<void> {
    return this.#typed.remove({ path: pathOf("golden-questions", id), signal: options.signal });
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

  #checkSecret(): void {
    if (!this.#allowPlainHttp) checkSecret(this.#exchange.endpoint);
  }
}

function question(path: string, text: string, options: AnswerOptions, others: object = {}): ApiRequest {
  const { topK, threshold, filter, rerank, signal } = options;
  // An older server knows no history: an empty one is left out.
  const history = options.history?.length ? options.history : undefined;
  return { ...json({ query: text, topK, threshold, filter, rerank, history, ...others }), method: "POST", path, signal };
}

function blob(reply: Reply): Blob {
  return new Blob([good(reply)], { type: reply.headers.get("content-type") ?? "" });
}

function checkedSeconds(name: string, seconds: number): number {
  if (!(seconds > 0)) throw new ConfigurationError(`${name} is ${seconds}. Give seconds above 0, or leave it out.`);
  return seconds;
}
