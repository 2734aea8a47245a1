// Two settings for one question, as the address has them.
import { filterIn } from "./filters.js";

export const SIDES = ["a", "b"];

// A side: `topK` and `threshold` are texts, empty for the settings of the server.
const empty = { topK: "", threshold: "", filter: [] };

export function trialIn(query) {
  const side = (name) => {
    const own = new URLSearchParams(
      [...query].filter(([key]) => key.startsWith(`${name}.`)).map(([key, text]) => [key.slice(2), text]),
    );
    return { topK: own.get("topK") ?? "", threshold: own.get("threshold") ?? "", filter: filterIn(own) };
  };
  return { question: query.get("q") ?? "", a: side("a"), b: side("b") };
}

export function toTrial({ question, a = {}, b = {} }) {
  const query = new URLSearchParams(question && [["q", question]]);
  for (const [name, side] of Object.entries({ a: { ...empty, ...a }, b: { ...empty, ...b } })) {
    for (const field of ["topK", "threshold"]) if (side[field] !== "") query.append(`${name}.${field}`, side[field]);
    for (const [kind, text] of side.filter) query.append(`${name}.${kind}`, text);
  }
  return `#/try?${query}`;
}

// The same question with the settings of the answer on the left, and on the right with others.
export const toTry = ({ question, filter }, other = {}) =>
  toTrial({ question, a: { filter }, b: { filter, ...other } });
