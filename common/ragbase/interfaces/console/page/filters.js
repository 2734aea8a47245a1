// Which documents a question may find: parts, each a kind and a text, as the address has them and as the API takes them.

// Each kind: its name in the filter of the API, and whether there may be several.
const KINDS = {
  in: ["documentIds", true],
  folder: ["pathPrefix"],
  format: ["formats", true],
  tag: ["tags", true],
  title: ["title"],
  url: ["urlPrefix"],
  from: ["dateFrom"],
  to: ["dateTo"],
  where: ["where", true],
};
export const NAMES = Object.keys(KINDS);
export const FORMATS = `
  adoc bmp code config csv doc docx eml epub gif html ipynb jpeg json jsonl log man md msg odp ods
  odt org pdf png ppt pptx rst rtf tex tiff tsv txt webp xls xlsx xml yaml
`.match(/\w+/g);

// What the front matter says of a key: it equals a value, or is at least or at most one.
export const COMPARISONS = ["=", ">=", "<="];
const CONDITION = /^(.*?)(>=|<=|=)(.*)$/s;

export const filterIn = (query) =>
  [...query].filter(([kind, text]) => Object.hasOwn(KINDS, kind) && text).map(([kind, text]) => [kind, text.normalize()]);
export const toAsk = (question, filter) => `#/ask?${new URLSearchParams([["q", question], ...filter])}`;
export const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// The filter with one more part, which replaces another of its kind if there can be only one.
export function withPart(filter, [kind, text]) {
  const others = filter.filter((part) => (KINDS[kind][1] ? !isSame(part, [kind, text]) : part[0] !== kind));
  return [...others, [kind, text]];
}

// As the API takes it; undefined without any part.
export function filterBody(filter) {
  if (!filter.length) return undefined;
  const body = {};
  for (const [kind, text] of filter) {
    const [field, isMany] = KINDS[kind];
    if (kind !== "where") body[field] = isMany ? [...(body[field] ?? []), text] : text;
  }
  const where = conditions(filter.filter(([kind]) => kind === "where").map(([, text]) => text));
  return where.length ? { ...body, where } : body;
}

// Both ends of a range are one condition: of a list, the same item has to be in it.
function conditions(texts) {
  const found = [];
  for (const text of texts) {
    const [, key, comparison, value] = CONDITION.exec(text) ?? [text, text, "=", ""];
    const field = { "=": "equals", ">=": "atLeast", "<=": "atMost" }[comparison];
    const other = field !== "equals" && found.find((one) => one.key === key && !("equals" in one) && !(field in one));
    if (other) other[field] = valueOf(value);
    else found.push({ key, [field]: valueOf(value) });
  }
  return found;
}

// A number is sent as one only if it is the same number again: 007 and 1.10 are texts.
const valueOf = (text) => (text.trim() && String(Number(text)) === text.trim() ? Number(text) : text);
