// Which view is shown: the part of the address after #, which no server sees.
import { signal } from "./vendor/signals.js";

export const route = signal(parse());

function parse() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const [view, id] = path.split("/").map(decode);
  return { view: view || "ask", id: id || "", query: new URLSearchParams(query) };
}

function decode(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return "";
  }
}

addEventListener("hashchange", () => (route.value = parse()));

export const toDocument = (id) => `#/documents/${encodeURIComponent(id)}`;
export const toQuestion = (question, only) =>
  `#/ask?${new URLSearchParams({ ...(question && { q: question }), ...(only && { in: only }) })}`;
