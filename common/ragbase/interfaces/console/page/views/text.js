// The extracted text of a document around a citation, whose characters are marked.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline, send } from "../api.js";
import { Loading } from "./loading.js";
import { Wrong } from "./wrong.js";

// Characters on each side of the mark, and how many more at a time.
const AROUND = 3000;
const MORE = 20_000;
const KEPT = 4;

// The texts that were fetched last, by what cites them: another generation is another text.
const texts = new Map();

export function textOf(documentId, generation) {
  const key = `${documentId}\n${generation}`;
  const found =
    texts.get(key) ??
    send("GET", `api/documents/${encodeURIComponent(documentId)}/text`).then((answer) => answer.text());
  texts.delete(key);
  if (texts.size >= KEPT) texts.delete(texts.keys().next().value);
  if (generation) texts.set(key, found);
  found.catch(() => texts.delete(key));
  return found;
}

// Citations count characters as Python does: 😀 is one. A string here counts it as two.
export function place(text, start, end) {
  if (!/[\ud800-\udbff]/.test(text)) return [start, end];
  let unit = 0;
  let point = 0;
  const to = (wanted) => {
    for (; point < wanted && unit < text.length; point += 1) unit += text.codePointAt(unit) > 0xffff ? 2 : 1;
    return unit;
  };
  return [to(start), to(end)];
}

export function Text({ documentId, citation, turn }) {
  const [text, setText] = useState(null);
  const [failed, setFailed] = useState("");
  const [tries, setTries] = useState(0);
  useEffect(() => {
    let isHere = true;
    setText(null);
    setFailed("");
    textOf(documentId, citation?.generation ?? "").then(
      (found) => isHere && setText(found),
      (error) => isHere && setFailed(error instanceof Offline ? t("offline") : error.message),
    );
    return () => (isHere = false);
  }, [documentId, citation?.generation, tries]);
  if (failed) return html`<${Wrong} why=${failed} again=${() => setTries(tries + 1)} />`;
  if (text === null) return html`<${Loading} />`;
  const key = citation && `${citation.metadata.charStart} ${citation.metadata.charEnd}`;
  return html`<${Around} key=${key} text=${text} citation=${citation} turn=${turn} />`;
}

function Around({ text, citation, turn }) {
  const [start, end] = citation ? place(text, citation.metadata.charStart, citation.metadata.charEnd) : [0, 0];
  // The mark is these letters, or there is none: another sentence would be worse.
  const isSame = !citation || text.slice(start, end) === citation.text;
  const [from, setFrom] = useState(Math.max(0, start - AROUND));
  const [to, setTo] = useState(Math.min(text.length, end + AROUND + (citation ? 0 : MORE)));
  const mark = useRef(null);
  useEffect(() => mark.current?.scrollIntoView({ block: "center" }), [turn]);
  if (!isSame) return html`<p class="hint" role="alert">${t("hasChanged")}</p>`;
  const above = () => setFrom(Math.max(0, from - MORE));
  const below = () => setTo(to + MORE);
  // Front matter is blank lines in the text, so that its characters count. Nobody wants to see them.
  const before = text.slice(from, start).replace(/^\s*\n/, "");
  const cited = citation && html`<mark ref=${mark}>${text.slice(start, end)}</mark>`;
  return html`
    ${from > 0 && html`<button type="button" onClick=${above}>${t("moreAbove")}</button>`}
    <pre class="text" dir="auto">${before}${cited}${text.slice(end, to)}</pre>
    ${to < text.length && html`<button type="button" onClick=${below}>${t("moreBelow")}</button>`}
  `;
}
