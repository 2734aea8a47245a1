/** An answer as it is written: the server-sent events of POST /api/answer (docs/http-api.md). */

import { ApiError, NoAnswer } from "./errors.js";
import { requestIdOf, type Stream } from "./exchange.js";
import { namedEvents } from "./named-events.js";
import type { TypedExchange } from "./typed-exchange.js";
import type { AnswerPart, AnswerResponse, AnswerSentenceBody, ErrorBody } from "./types.js";

type Evidence = Pick<AnswerResponse, "evidence">;
type End = Omit<AnswerResponse, "evidence" | "sentences">;

/**
 * The parts in the events of this stream, each as soon as it is there. Throws ApiError for the event `error`,
 * UnreadableAnswer, and NoAnswer if the events break off.
 */
export async function* answerParts({ reply, pieces }: Stream, exchange: TypedExchange): AsyncGenerator<AnswerPart> {
  let evidence: AnswerResponse["evidence"] = [];
  const sentences: AnswerSentenceBody[] = [];
  for await (const { name, data } of namedEvents(pieces)) {
    if (name === "evidence") {
      ({ evidence } = exchange.value<Evidence>(["evidence"], data));
      yield { type: "evidence", evidence };
    } else if (name === "sentence") {
      const sentence = exchange.value<AnswerSentenceBody>(["text", "supported", "citations"], data);
      sentences.push(sentence);
      yield { type: "sentence", sentence };
    } else if (name === "done") {
      const end = exchange.value<End>(["text", "answered"], data);
      yield { type: "done", answer: { ...end, sentences, evidence } };
      return;
    } else if (name === "error") {
      const said = exchange.value<ErrorBody>(["error", "message"], data);
      throw new ApiError(reply.status, said.error, said.message, requestIdOf(reply));
    }
  }
  throw new NoAnswer("The answer broke off before its end.");
}
