// One document: what became of it, and its pages or text with the passages that search finds.
import { useEffect, useMemo, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { moment, shown, t } from "../words.js";
import { Offline, address, get } from "../api.js";
import { pagesOf } from "../pages.js";
import { citationAt } from "../places.js";
import { Passages } from "../passages.js";
import { route, toQuestion } from "../route.js";
import { DocumentPages } from "./document_pages.js";
import { DocumentText } from "./document_text.js";
import { History } from "./history.js";
import { NoMarks } from "./reread.js";
import { Loading } from "./loading.js";
import { Wrong } from "./wrong.js";
import { Status, facts } from "./documents.js";

const AGAIN = 1500;

const said = (error) => (error instanceof Offline ? t("offline") : error.message);

// The record, again and again until no more work is to be done.
function useRecord(id, turn) {
  const [state, setState] = useState({ one: null, failed: "" });
  useEffect(() => {
    let timer = 0;
    let isHere = true;
    const look = async () => {
      try {
        const one = await get(`api/documents/${encodeURIComponent(id)}`);
        if (!isHere) return;
        setState({ one, failed: "" });
        if (one.status !== "COMPLETED" && one.status !== "FAILED") timer = setTimeout(look, AGAIN);
      } catch (error) {
        if (!isHere) return;
        setState(({ one }) => ({ one, failed: said(error) }));
        if (error instanceof Offline) timer = setTimeout(look, AGAIN);
      }
    };
    look();
    return () => {
      isHere = false;
      clearTimeout(timer);
    };
  }, [id, turn]);
  return state;
}

export function Document({ id }) {
  const [turn, setTurn] = useState(0);
  const { one, failed } = useRecord(id, turn);
  const back = html`<a class="back" href="#/documents">‹ ${t("documents")}</a>`;
  if (one === null && failed) {
    return html`${back}<${Wrong} why=${failed} again=${() => setTurn(turn + 1)} />`;
  }
  if (one === null) return html`${back}<${Loading} />`;
  // Search shows the text of a document also while it is read again.
  const isShown = one.status === "COMPLETED" || one.history?.shownGeneration !== undefined;
  const shownSince = `${one.history?.shownGeneration} ${one.history?.replacedAt}`;
  const content = address(`api/documents/${encodeURIComponent(id)}/content`).href;
  return html`
    ${back}
    <div class="head">
      <h1><bdi>${shown(one.filename)}</bdi></h1>
      ${one.status === "COMPLETED" && html`<a class="button quiet" href=${toQuestion("", id)}>${t("askThis")}</a>`}
      <a class="button quiet" href=${content} download>${t("download")}</a>
    </div>
    <p class="facts">
      <${Status} status=${one.status} />
      <span>${[...facts(one), t("changed", { time: moment(one.updatedAt) })].join(" · ")}</span>
    </p>
    ${one.failReason && html`<p class="wrong">${one.failReason}</p>`}
    ${one.remedy && html`<p class="hint">${one.remedy}</p>`}
    ${one.notes && html`<ul class="said" aria-label=${t("notesOf")}>${one.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
    <${History} one=${one} />
    ${isShown && html`<${Content} key=${shownSince} id=${id} again=${() => setTurn(turn + 1)} />`}
  `;
}

// What the address marks; null if it marks nothing, undefined until that is known.
function useCitation(id, query) {
  const [cited, setCited] = useState(undefined);
  useEffect(() => {
    let isHere = true;
    const set = (found) => isHere && setCited(found);
    citationAt(id, query).then(set, () => set(null));
    return () => (isHere = false);
  }, [id, query.toString()]);
  return cited;
}

function Content({ id, again }) {
  const passages = useMemo(() => new Passages(id), [id]);
  const [pages, setPages] = useState(null);
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    let isHere = true;
    passages.more();
    pagesOf(id).then(
      (found) => isHere && setPages(found),
      (error) => {
        if (!isHere) return;
        // Its text is there, whatever is the matter with its pages.
        setWrong(said(error));
        setPages({ known: true, pages: [] });
      },
    );
    return () => (isHere = false);
  }, [id]);
  const { failed } = passages.state.value;
  const cited = useCitation(id, route.value.query);
  if (pages === null || cited === undefined) return html`<${Loading} />`;
  const hasChanged = cited !== null && cited.text === null;
  const at = cited === null || hasChanged ? null : cited.metadata;
  return html`
    ${wrong && html`<p class="hint" role="alert">${wrong}</p>`}
    ${hasChanged && html`<p class="hint" role="alert">${t("hasChanged")}</p>`}
    ${
      pages.pages.length
        ? html`
            ${!pages.known && html`<${NoMarks} id=${id} isOutdated=${pages.outdated} again=${again} />`}
            <${DocumentPages} id=${id} pages=${pages.pages} known=${pages.known} passages=${passages} at=${at} />
          `
        : html`<${DocumentText} id=${id} passages=${passages} at=${at} />`
    }
    ${failed && html`<${Wrong} why=${failed} again=${() => passages.again()} />`}
  `;
}
