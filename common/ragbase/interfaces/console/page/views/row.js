// A row of a table as a table of its cells, with a citation marked in them.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline } from "../api.js";
import { cellsOf, entryAt, isOfRow } from "../entry.js";
import { Loading } from "./loading.js";
import { Text, place, textOf } from "./text.js";
import { Wrong } from "./wrong.js";

export { isOfRow };

export function Row({ documentId, citation, turn }) {
  const [text, setText] = useState(null);
  const [failed, setFailed] = useState("");
  const [tries, setTries] = useState(0);
  const mark = useRef(null);
  useEffect(() => {
    let isHere = true;
    setFailed("");
    textOf(documentId, citation.generation).then(
      (found) => isHere && setText(found),
      (error) => isHere && setFailed(error instanceof Offline ? t("offline") : error.message),
    );
    return () => (isHere = false);
  }, [documentId, citation.generation, tries]);
  useEffect(() => mark.current?.scrollIntoView({ block: "center" }), [turn, text]);
  if (failed) return html`<${Wrong} why=${failed} again=${() => setTries(tries + 1)} />`;
  if (text === null) return html`<${Loading} />`;
  const [start, end] = place(text, citation.metadata.charStart, citation.metadata.charEnd);
  const entry = entryAt(text, start);
  const isSame = text.slice(start, end) === citation.text;
  if (entry === null || !isSame) return html`<${Text} documentId=${documentId} citation=${citation} turn=${turn} />`;
  return html`<${Cells} text=${text} start=${entry[0]} end=${entry[1]} marked=${[start, end]} first=${mark} />`;
}

// `marked` is from where to where the text is marked.
export function Cells({ text, start, end, marked = [0, 0], first }) {
  let isFirst = true;
  const piece = ([from, to]) => {
    const low = Math.min(Math.max(from, marked[0]), to);
    const high = Math.max(Math.min(to, marked[1]), low);
    if (low === high) return text.slice(from, to);
    const ref = isFirst ? first : null;
    isFirst = false;
    return html`${text.slice(from, low)}<mark ref=${ref}>${text.slice(low, high)}</mark>${text.slice(high, to)}`;
  };
  const isCited = ({ name, value }) => name[0] < marked[1] && value[1] > marked[0];
  return html`<table class="cells" dir="auto">
    <tbody>
      ${cellsOf(text, start, end).map(
        (cell) => html`<tr class=${isCited(cell) ? "cited" : ""}>
          <th scope="row">${piece(cell.name)}</th>
          <td>${piece(cell.value)}</td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}
