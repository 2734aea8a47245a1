/** Following the changes of documents: a stream as long as there is one, and otherwise a question every few seconds. */

import { ApiError, NoAnswer } from "./errors.js";
import type { Exchange } from "./exchange.js";
import { namedEvents } from "./named-events.js";
import { given } from "./requests.js";
import type { TypedExchange } from "./typed-exchange.js";
import type { ChangesResponse } from "./types.js";

const PATH = "/api/events";
const FIELDS = ["documents", "deleted", "more", "next"] as const;
/** Seconds until the next stream after one that has ended, and between two questions without one. */
const SOON = 0.3;
const LATER = 2;
/** Questions before a stream is asked for again. */
const QUESTIONS = 15;
/** A server that has no stream now. */
const FULL: readonly number[] = [429, 500, 502, 503, 504];

/** What changes after `after`, without an end. A stream that breaks off goes on where it was. */
export async function* follow(
  after: string | undefined,
  exchange: Exchange,
  typed: TypedExchange,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangesResponse> {
  for (;;) {
    let isStreamed = false;
    for await (const changes of streamed(after, typed, signal)) {
      isStreamed = true;
      if (changes !== undefined) {
        after = changes.next;
        yield changes;
      }
    }
    for (let asked = 0; asked < (isStreamed ? 1 : QUESTIONS); asked++) {
      await exchange.rest(isStreamed ? SOON : LATER, signal);
      const request = { method: "GET", path: PATH, parameters: given({ after }), signal };
      const changes = await typed.read<ChangesResponse>(FIELDS, request);
      after = changes.next;
      if (changes.documents.length > 0 || changes.deleted.length > 0 || changes.more) yield changes;
    }
  }
}

/** The changes of one stream, and undefined for its signs of life; nothing if there is no stream now. */
async function* streamed(
  after: string | undefined,
  typed: TypedExchange,
  signal: AbortSignal | undefined,
): AsyncGenerator<ChangesResponse | undefined> {
  // Not as Last-Event-ID: a browser sends no header to another origin that the server does not list.
  const request = { method: "GET", path: PATH, parameters: given({ after }), headers: { Accept: "text/event-stream" } };
  try {
    const { pieces } = await typed.stream({ ...request, waits: false, signal });
    for await (const { name, data } of namedEvents(pieces)) {
      if (name === "error") return; // the next question gets the same error, or the server is well again
      yield name === "changes" ? typed.value<ChangesResponse>(FIELDS, data) : undefined;
    }
  } catch (error) {
    const isOver = error instanceof NoAnswer || (error instanceof ApiError && FULL.includes(error.status));
    if (!isOver) throw error;
  }
}
