// One question with two settings: what the address says of them, and what each finds.
import { filterBody, filterIn } from "./filters.js";

export const SIDES = ["a", "b"];
const FIELDS = ["topK", "threshold", "rerank"];
export const OFF = "off";

// All but the filter are texts, empty for the settings of the server. `rerank` can only be off.
const empty = { topK: "", threshold: "", rerank: "", filter: [] };

export function trialIn(query) {
  const side = (name) => {
    const own = new URLSearchParams(
      [...query].filter(([key]) => key.startsWith(`${name}.`)).map(([key, text]) => [key.slice(2), text]),
    );
    return { ...Object.fromEntries(FIELDS.map((field) => [field, own.get(field) ?? ""])), filter: filterIn(own) };
  };
  return { question: query.get("q") ?? "", a: side("a"), b: side("b") };
}

export function toTrial({ question, ...sides }) {
  const query = new URLSearchParams(question && [["q", question]]);
  for (const name of SIDES) {
    const side = { ...empty, ...sides[name] };
    for (const field of FIELDS) if (side[field] !== "") query.append(`${name}.${field}`, side[field]);
    for (const [kind, text] of side.filter) query.append(`${name}.${kind}`, text);
  }
  return `#/try?${query}`;
}

// The same question with the settings of the answer on the left, and on the right with others.
export const toTry = ({ question, filter }, other = {}) =>
  toTrial({ question, a: { filter }, b: { filter, ...other } });

// What the API takes.
export const queryBody = (question, { topK, threshold, rerank, filter }) => ({
  query: question,
  ...(topK !== "" && { topK: Number(topK) }),
  ...(threshold !== "" && { threshold: Number(threshold) }),
  ...(rerank === OFF && { rerank: false }),
  filter: filterBody(filter),
});

const key = ({ documentId, metadata }) => `${documentId} ${metadata.charStart} ${metadata.charEnd}`;

// Each result with its rank, and what became of it on the other side: `moved` places up, null if it is only here, and
// by how much its score is higher here.
export function compared(here, there) {
  const others = new Map(there.map((one, index) => [key(one), { rank: index, score: one.score }]));
  return here.map((one, rank) => {
    const other = others.get(key(one));
    return { ...one, key: key(one), moved: other ? other.rank - rank : null, gained: other ? one.score - other.score : 0 };
  });
}
