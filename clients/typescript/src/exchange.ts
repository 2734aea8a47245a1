/**
 * Requests and answers over HTTP: attempts and deadlines, as in the Python client.
 *
 * | what happened                  | a request that may be repeated | another request |
 * |--------------------------------|--------------------------------|-----------------|
 * | no connection (nothing sent)   | again                          | again           |
 * | 429 (nothing was done)         | again                          | again           |
 * | the connection broke, silence  | again                          | the error       |
 * | 502, 503, 504                  | again                          | the error       |
 * | any other answer               | the answer                     | the answer      |
 *
 * The waits are 0.5 s, 1 s, 2 s, … up to 8 s, each shortened by chance to between a half and the whole. A Retry-After of
 * the server replaces the wait, unless it is over already. No attempt begins after the deadline. Browsers do not say
 * whether a request was sent: there, a missing connection counts as a broken one. `fetch` does not say when a body has
 * been sent: the time that a slow line needs for it is no silence.
 */

import { ApiError, type ClientError, NoAnswer } from "./errors.js";

const TOO_MANY_REQUESTS = 429;
const PASSING: readonly number[] = [TOO_MANY_REQUESTS, 502, 503, 504];
const FIRST_WAIT = 0.5;
const LONGEST_WAIT = 8;
/** Bytes that a slow line sends in a second: 1 Mbit/s. */
const SLOWEST = 125_000;
/** Characters that are shown of an answer that is not of ragbase. */
const SHOWN = 200;
/** Milliseconds. A longer timer of JavaScript ends at once. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** Errors of Node before anything was sent. */
const NOT_SENT: readonly unknown[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"];

export interface ApiRequest {
  method: string;
  /** It is below the endpoint. */
  path?: string;
  /** A whole address instead. It carries its own right and gets no key, unless it `isOwn`: of the endpoint's host. */
  url?: string;
  isOwn?: boolean;
  parameters?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string | FormData | Blob;
  /** How many more than usual may pass until the answer begins. */
  seconds?: number;
  /** Whether doing it twice is the same as doing it once; it is, unless this is false. */
  repeatable?: boolean;
  /** If it is false, there is one attempt: the sender has something else to do meanwhile. */
  waits?: boolean;
  /** What an answer with a redirect is: the answer, unless it is to be followed. */
  redirect?: "manual" | "follow";
  signal?: AbortSignal | undefined;
}

/** A whole answer, and whether an attempt before it may have been done, too. */
export interface Reply {
  status: number;
  headers: Headers;
  body: ArrayBuffer;
  repeated: boolean;
}

/** An answer that has begun. `pieces` is its body as it comes, and throws NoAnswer if it breaks off. */
export interface Stream {
  reply: Reply;
  pieces: AsyncGenerator<Uint8Array>;
}

/** Waits that many seconds. Rejects with the signal's reason if it is aborted. */
export type Sleep = (seconds: number, signal?: AbortSignal) => Promise<void>;

export interface Limits {
  /** The longest silence of the server, in seconds. */
  timeout: number;
  /** The time for a request with all its attempts, in seconds. */
  deadline: number;
  sleep: Sleep;
}

/** An attempt without an answer. `wasSent` says that the server may have got the request. */
class Failed extends Error {
  constructor(
    readonly error: NoAnswer,
    readonly wasSent: boolean,
  ) {
    super(error.message);
  }
}

export class Exchange {
  #key: string | undefined;
  readonly #limits: Limits;

  constructor(
    readonly endpoint: string,
    key: string | undefined,
    limits: Limits,
  ) {
    this.#key = key;
    this.#limits = limits;
  }

  /** Wait between two requests. */
  rest(seconds: number, signal?: AbortSignal): Promise<void> {
    return this.#limits.sleep(seconds, signal);
  }

  /** Send this key with every later request, or none. */
  useKey(key: string | undefined): void {
    this.#key = key;
  }

  /**
   * The answer, whatever its status is, but for those that may pass. Throws ApiError for one of those after the last
   * attempt, NoAnswer, and the reason of the caller's signal.
   */
  async ask(request: ApiRequest): Promise<Reply> {
    const { reply } = await this.#answered(request, () => true);
    return reply;
  }

  /** The answer as its body comes; that of an error is in the answer. Otherwise as `ask`, until it has begun. */
  async stream(request: ApiRequest): Promise<Stream> {
    return this.#answered(request, (response) => !response.ok);
  }

  /** The answer of the first attempt that has one, or the last error. */
  async #answered(request: ApiRequest, isWhole: (response: Response) => boolean): Promise<Stream> {
    const end = now() + this.#limits.deadline + (request.seconds ?? 0);
    let waits = 0;
    let repeated = false;
    for (;;) {
      let error: ClientError;
      let wasSent: boolean;
      let askedWait: number | undefined;
      try {
        const { response, pieces } = await this.#opened(request, end);
        const body = isWhole(response) ? await joined(pieces) : new ArrayBuffer(0);
        const reply: Reply = { status: response.status, headers: response.headers, body, repeated };
        if (!PASSING.includes(reply.status)) return { reply, pieces: unwrapped(pieces) };
        error = errorOf(reply);
        wasSent = reply.status !== TOO_MANY_REQUESTS;
        askedWait = retryAfter(reply.headers);
      } catch (failed) {
        if (!(failed instanceof Failed)) throw failed;
        ({ error, wasSent } = failed);
      }
      const wait = askedWait || backoff(waits);
      const mayRepeat = request.waits !== false && !(wasSent && request.repeatable === false);
      if (!mayRepeat || now() + wait >= end) throw error;
      repeated ||= wasSent;
      waits += 1;
      await this.rest(wait, request.signal);
    }
  }

  /** The answer to one attempt, before its body. Throws Failed, also while the body is read. */
  async #opened(request: ApiRequest, end: number): Promise<{ response: Response; pieces: AsyncGenerator<Uint8Array> }> {
    const address = new URL(request.url ?? `${this.endpoint}${request.path ?? ""}`);
    for (const [name, value] of Object.entries(request.parameters ?? {})) address.searchParams.set(name, value);
    const headers = new Headers(request.headers);
    const isOurs = request.url === undefined || request.isOwn === true;
    if (isOurs && this.#key !== undefined) headers.set("Authorization", `Bearer ${this.#key}`);
    const silence = this.#limits.timeout + (request.seconds ?? 0) + sizeOf(request.body) / SLOWEST;
    const attempt = new Attempt(silence, end, request.signal);
    try {
      const response = await attempt.within(
        fetch(address, {
          method: request.method,
          headers,
          body: request.body ?? null,
          signal: attempt.signal,
          redirect: request.redirect ?? "manual", // the key stays with this host
          credentials: "omit",
        }),
      );
      return { response, pieces: this.#pieces(response, attempt, request) };
    } catch (error) {
      throw this.#failed(error, attempt, request);
    }
  }

  async *#pieces(response: Response, attempt: Attempt, request: ApiRequest): AsyncGenerator<Uint8Array> {
    const reader = response.body?.getReader();
    try {
      while (reader !== undefined) {
        const { done, value } = await attempt.within(reader.read());
        if (done) break;
        yield value;
      }
    } catch (error) {
      throw this.#failed(error, attempt, request);
    } finally {
      attempt.close();
    }
  }

  #failed(error: unknown, attempt: Attempt, request: ApiRequest): unknown {
    if (request.signal?.aborted) return request.signal.reason;
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
    const reason = attempt.isOver ? "it was silent for too long, or the deadline is over" : reasonOf(cause);
    return new Failed(new NoAnswer(`${this.endpoint} gave no answer: ${reason}.`), !NOT_SENT.includes(code));
  }
}

/** One attempt, which ends after a silence, at the deadline, when its body is not wanted, or by the caller's signal. */
class Attempt {
  readonly signal: AbortSignal;
  readonly #silence: number;
  readonly #end: number;
  readonly #controller = new AbortController();
  isOver = false;

  /** `silence` is in seconds, `end` a moment of `now`. */
  constructor(silence: number, end: number, signal: AbortSignal | undefined) {
    this.#silence = silence;
    this.#end = end;
    this.signal = signal ? AbortSignal.any([this.#controller.signal, signal]) : this.#controller.signal;
  }

  /** What is awaited from the server: only then, time counts. */
  async within<T>(awaited: Promise<T>): Promise<T> {
    const left = Math.max(Math.min(this.#silence, this.#end - now()), 0.001);
    const timer = setTimeout(() => {
      this.isOver = true;
      this.#controller.abort();
    }, milliseconds(left));
    try {
      return await awaited;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#controller.abort();
  }
}

/** The error that the server describes; its own words may be of anything between here and there. */
export function errorOf(reply: Reply): ApiError {
  const requestId = requestIdOf(reply);
  const said = jsonOf(reply.body);
  if (isRecord(said) && typeof said["error"] === "string" && typeof said["message"] === "string") {
    return new ApiError(reply.status, said["error"], said["message"], requestId);
  }
  const begun = new TextDecoder().decode(reply.body.slice(0, 4 * SHOWN));
  const text = begun.split(/\s+/).filter(Boolean).join(" ").slice(0, SHOWN);
  const message = `The server answered ${reply.status}: ${text || "without a text"}`;
  return new ApiError(reply.status, "", message, requestId);
}

/** The name of the request in the server's log. */
export function requestIdOf(reply: Reply): string | undefined {
  return reply.headers.get("x-request-id") ?? undefined;
}

/** The value of a body, or undefined if it is no JSON in UTF-8. */
export function jsonOf(body: ArrayBuffer | string): unknown {
  try {
    return JSON.parse(typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Seconds of a clock that no one sets. */
export function now(): number {
  return performance.now() / 1000;
}

export const sleep: Sleep = (seconds, signal) =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds(seconds));
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });

function milliseconds(seconds: number): number {
  return Math.min(seconds * 1000, LONGEST_TIMER);
}

async function joined(pieces: AsyncIterable<Uint8Array>): Promise<ArrayBuffer> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  const whole = new Uint8Array(all.reduce((size, piece) => size + piece.length, 0));
  let at = 0;
  for (const piece of all) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole.buffer;
}

/** The same pieces; what breaks off is NoAnswer, because no other attempt is made. */
async function* unwrapped(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces;
  } catch (error) {
    throw error instanceof Failed ? error.error : error;
  }
}

/** What a person can read. If a host has several addresses, Node has an error for each of them, and no message. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  if (cause instanceof AggregateError) return cause.message || cause.errors.map(reasonOf).join(", ");
  return cause.message || cause.name;
}

/** Bytes, for a form those of its files. A text is short. */
function sizeOf(body: ApiRequest["body"]): number {
  if (body === undefined || typeof body === "string") return 0;
  const parts = body instanceof FormData ? [...body.values()] : [body];
  return parts.reduce((size, part) => size + (typeof part === "string" ? 0 : part.size), 0);
}

function backoff(waits: number): number {
  return Math.min(FIRST_WAIT * 2 ** waits, LONGEST_WAIT) * (0.5 + Math.random() / 2);
}

/**
 * Seconds, 0 for a moment that is over. The header has a number or a date (RFC 9110, section 10.2.3). A number of more
 * than ten digits is none, and so is a text that only Date.parse takes for a date.
 */
function retryAfter(headers: Headers): number | undefined {
  const text = (headers.get("retry-after") ?? "").trim();
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const moment = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun).* GMT$/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(moment) ? undefined : Math.max((moment - Date.now()) / 1000, 0);
}
