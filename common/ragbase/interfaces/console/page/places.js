// A link to the letters that a citation names: it opens the document there, as long as they are the same letters.
import { send } from "./api.js";
import { toDocument } from "./route.js";

export function toPlace({ documentId, text, metadata }) {
  const { charStart, charEnd, page } = metadata;
  const query = { from: charStart, to: charEnd, ...(page && { page }), letters: checksum(text) };
  return `${toDocument(documentId)}?${new URLSearchParams(query)}`;
}

// The citation that an address names; null if it names none. Without `text`, the letters there are others by now.
export async function citationAt(documentId, query) {
  const [charStart, charEnd] = [Number(query.get("from") ?? NaN), Number(query.get("to") ?? NaN)];
  if (!(charStart >= 0 && charEnd > charStart)) return null;
  const answer = await send("GET", `api/documents/${encodeURIComponent(documentId)}/text`);
  // Citations count characters as Python does, and so does the iterator of a string.
  const text = [...(await answer.text())].slice(charStart, charEnd).join("");
  const page = Number(query.get("page")) || undefined;
  const isSame = checksum(text) === query.get("letters");
  return { documentId, generation: "", text: isSame ? text : null, metadata: { charStart, charEnd, page } };
}

// FNV-1a, which is short: it tells whether letters are others, and protects nothing.
function checksum(text) {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ letter.codePointAt(0), 0x01000193);
  return (hash >>> 0).toString(16);
}
