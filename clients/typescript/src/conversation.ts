/** What was said so far, as the next question takes it. */

import type { AnswerResponse, Turn } from "./types.js";

/** What a server takes: turns, characters of one turn, and of all together; documents of one turn. */
const MAX_TURNS = 20;
const MAX_TURN_LENGTH = 8_000;
const MAX_HISTORY_LENGTH = 40_000;
const MAX_DOCUMENTS = 100;

/**
 * Questions with their answers, within what a server takes: it forgets the oldest turns, and keeps the beginning of a
 * longer text.
 */
export class Conversation {
  #turns: Turn[] = [];

  /** The turns so far, oldest first. */
  get history(): readonly Turn[] {
    return this.#turns;
  }

  /** Remember a question and its answer. One that is blank adds nothing. */
  add(question: string, answer: AnswerResponse): void {
    const cited = new Set(answer.sentences.flatMap((one) => one.citations.map((citation) => citation.documentId)));
    const documentIds = [...cited].slice(0, MAX_DOCUMENTS);
    const said: Turn[] = [
      { role: "user", text: question },
      { role: "assistant", text: answer.text, ...(documentIds.length > 0 ? { documentIds } : {}) },
    ];
    const turns = said.filter((one) => one.text.trim()).map((one) => ({ ...one, text: beginning(one.text.trim()) }));
    this.#turns = [...this.#turns, ...turns].slice(-MAX_TURNS);
    while (this.#turns.reduce((sum, one) => sum + one.text.length, 0) > MAX_HISTORY_LENGTH) this.#turns.shift();
  }
}

/** Whole characters: a half one would be no text. */
function beginning(text: string): string {
  return [...text].slice(0, MAX_TURN_LENGTH).join("");
}
