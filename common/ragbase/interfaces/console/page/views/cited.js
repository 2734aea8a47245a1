// The source of a citation: its page with the mark on it, or its row, or its text.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline } from "../api.js";
import { toPlace } from "../places.js";
import { marksOf, pagesAt, pagesOf } from "../pages.js";
import { Loading } from "./loading.js";
import { NoMarks } from "./reread.js";
import { Row, isOfRow } from "./row.js";
import { Sheet } from "./sheet.js";
import { Text, place, textOf } from "./text.js";

// What somebody chose holds for the next citation, too.
const wantsText = signal(false);

export function Cited({ citation, turn }) {
  const { page } = citation.metadata;
  const inDocument = html`<a href=${toPlace(citation)}>${t("inDocument")}</a>`;
  if (page === undefined) {
    const View = isOfRow(citation.metadata) ? Row : Text;
    return html`
      <p class="chips">${inDocument}</p>
      <${Scroll}><${View} documentId=${citation.documentId} citation=${citation} turn=${turn} /><//>
    `;
  }
  const choice = (name, isText) => {
    const choose = () => (wantsText.value = isText);
    const isChosen = String(wantsText.value === isText);
    return html`<button type="button" class="chip" aria-pressed=${isChosen} onClick=${choose}>${t(name)}</button>`;
  };
  return html`
    <div class="chips">
      <span class="chips" role="group" aria-label=${t("showAs")}>${choice("asPage", false)}${choice("asText", true)}</span>
      <span class="fill" />${inDocument}
    </div>
    ${
      wantsText.value
        ? html`<${Scroll}><${Text} documentId=${citation.documentId} citation=${citation} turn=${turn} /><//>`
        : html`<${OnPages} key=${keyOf(citation)} citation=${citation} turn=${turn} />`
    }
  `;
}

const Scroll = ({ children }) => html`<div class="scroll" tabindex="0" role="region" aria-label=${t("source")}>
  ${children}
</div>`;

const keyOf = ({ documentId, generation, metadata }) =>
  `${documentId} ${generation} ${metadata.charStart} ${metadata.charEnd}`;

// The mark is exactly these letters, or there is none: another sentence would be worse.
async function isSame({ documentId, generation, metadata, text }) {
  const whole = await textOf(documentId, generation);
  return whole.slice(...place(whole, metadata.charStart, metadata.charEnd)) === text;
}

function OnPages({ citation, turn }) {
  const { documentId, metadata } = citation;
  const [pages, setPages] = useState(null);
  const [marks, setMarks] = useState(null);
  const [failed, setFailed] = useState("");
  const mark = useRef(null);
  useEffect(() => {
    let isHere = true;
    const tell = (error) => isHere && setFailed(error instanceof Offline ? t("offline") : error.message);
    const look = async () => {
      const same = isSame(citation);
      const found = await pagesOf(documentId);
      const numbers = pagesAt(found.pages, metadata.charStart, metadata.charEnd, metadata.page);
      if (isHere) setPages({ numbers, sizes: found.pages, isOutdated: found.outdated });
      if (!(await same)) {
        if (isHere) setMarks({ state: "hasChanged", of: [] });
        return;
      }
      const on = (number) => marksOf(documentId, number, metadata.charStart, metadata.charEnd);
      const of = found.known ? await Promise.all(numbers.map(on)) : [];
      if (isHere) setMarks({ state: found.known ? "" : "noMarks", of: of.map((one) => one.marks) });
    };
    look().catch(tell);
    return () => (isHere = false);
  }, []);
  useEffect(() => mark.current?.scrollIntoView({ block: "center", inline: "center" }), [turn, marks]);
  if (failed || pages?.numbers.length === 0) {
    return html`
      ${failed && html`<p class="hint" role="alert">${failed}</p>`}
      <${Scroll}><${Text} documentId=${documentId} citation=${citation} turn=${turn} /><//>
    `;
  }
  if (pages === null) return html`<${Loading} />`;
  const first = marks?.of.findIndex((some) => some.length) ?? -1;
  return html`
    ${marks?.state === "hasChanged" && html`<p class="hint" role="alert">${t("hasChanged")}</p>`}
    ${marks?.state === "noMarks" && html`<${NoMarks} id=${documentId} isOutdated=${pages.isOutdated} />`}
    <${Scroll}>
      ${marks?.state === "" && html`<p class="unseen">${citation.text}</p>`}
      ${pages.numbers.map(
        (number, index) =>
          html`<${Sheet} key=${number} id=${documentId} number=${number} size=${pages.sizes[number - 1]}
            marks=${marks?.of[index]} first=${index === first ? mark : null} />`,
      )}
    <//>
  `;
}
