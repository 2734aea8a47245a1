/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */

import { UnreadableAnswer } from "./errors.js";

export interface NamedEvent {
  name: string;
  data: string;
}

/**
 * Name and data of each event, both empty for a comment. An empty line ends an event: what is after the last one was cut
 * off, and is dropped, as the standard wants it. Throws UnreadableAnswer for bytes that are no UTF-8.
 */
export async function* namedEvents(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<NamedEvent> {
  let name = "";
  let data: string[] = [];
  for await (const line of lines(pieces)) {
    if (line === "") {
      yield { name, data: data.join("\n") };
      name = "";
      data = [];
      continue;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
}

/** Each line that has an end: CR LF, LF or CR, also if a piece ends between the two. */
async function* lines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let begun = "";
  let isAfterReturn = false;
  for await (const piece of pieces) {
    const text = decoded(decoder, piece);
    if (text === "") continue;
    const [first = "", ...others] = (isAfterReturn && text.startsWith("\n") ? text.slice(1) : text).split(/\r\n|\n|\r/);
    isAfterReturn = text.endsWith("\r");
    begun += first;
    for (const next of others) {
      yield begun;
      begun = next;
    }
  }
}

function decoded(decoder: TextDecoder, piece: Uint8Array): string {
  try {
    return decoder.decode(piece, { stream: true });
  } catch {
    throw new UnreadableAnswer("The answer is a stream of bytes that are no UTF-8. Check the endpoint.");
  }
}
