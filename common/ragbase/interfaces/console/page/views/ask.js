// A question, its answer sentence by sentence, and the source of each beside it.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { score, shown, t } from "../words.js";
import { get } from "../api.js";
import { mayRead } from "../session.js";
import { route, toDocument, toQuestion } from "../route.js";
import { answer, ask, chosen, choose, citations, closeSource, indexOf } from "../answer.js";
import { markdown } from "../markdown.js";
import { notice } from "../notices.js";
import { Expected } from "./expected.js";
import { Text } from "./text.js";

const MOST = 1000;

export function Ask() {
  const { question, only } = wantedHere();
  // Before anybody sees the answer to the last question below this one.
  useLayoutEffect(() => {
    if (question && !isAsked(question, only)) ask(question, only);
  }, [question, only]);
  useEffect(() => {
    addEventListener("keydown", walk);
    return () => removeEventListener("keydown", walk);
  }, []);
  const given = question ? answer.value : null;
  const cited = given && citations.value[chosen.value.index];
  return html`<div class=${cited ? "ask with-source" : "ask"}>
    <section class="asked" aria-label=${t("ask")}>
      <h1 class=${given ? "unseen" : ""}>${t("askTitle")}</h1>
      <${Question} asked=${question} only=${only} />
      ${only && html`<${Only} id=${only} asked=${question} />`}
      ${given ? html`<${Answer} key=${question} one=${given} />` : html`<p class="hint">${t("askHint")}</p>`}
    </section>
    ${cited && html`<${Source} one=${cited} />`}
  </div>`;
}

// The address says what to ask. Without anything, it is what was asked last.
function wantedHere() {
  const { query } = route.value;
  if (!query.has("q") && !query.has("in")) return { question: "", only: "", ...answer.value };
  return { question: query.get("q") ?? "", only: query.get("in") ?? "" };
}

const isAsked = (question, only) => answer.value?.question === question && answer.value.only === only;

// n and p walk the citations, Escape closes the source. A letter that somebody types is none of these.
function walk(event) {
  if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const { index } = chosen.value;
  if (event.key === "n") choose(index + 1);
  else if (event.key === "p") choose(index < 0 ? -1 : index - 1);
  else if (event.key === "Escape") closeSource();
}

function Question({ asked, only }) {
  const field = useRef(null);
  // Before anybody types.
  useLayoutEffect(() => {
    field.current.value = asked;
    if (!asked) field.current.focus({ preventScroll: true });
  }, [asked]);
  const submit = (event) => {
    event.preventDefault();
    const question = field.current.value.trim();
    if (!question) return;
    if (question === asked) ask(question, only);
    else location.hash = toQuestion(question, only);
  };
  return html`<form class="question" onSubmit=${submit} role="search">
    <label class="grow"><span class="unseen">${t("question")}</span>
      <input ref=${field} type="search" enterkeyhint="search" maxlength=${MOST} placeholder=${t("question")} />
    </label>
    <button class="button">${t("ask")}</button>
  </form>`;
}

// The one document that is asked, and the way back to all.
function Only({ id, asked }) {
  const [name, setName] = useState("");
  useEffect(() => {
    get(`api/documents/${encodeURIComponent(id)}`).then(
      (one) => setName(one.filename),
      () => setName(id),
    );
  }, [id]);
  const document = html`<a href=${toDocument(id)}><bdi>${shown(name)}</bdi></a>`;
  return html`<p class="hint">${t("onlyIn")} ${document} · <a href=${toQuestion(asked)}>${t("askAll")}</a></p>`;
}

function Answer({ one }) {
  const place = useRef(null);
  // From here on, n and p walk the citations.
  useEffect(() => place.current?.focus({ preventScroll: true }), []);
  if (one.phase === "failed") {
    return html`<div class="empty" role="alert">
      <p>${one.failed}</p>
      <button type="button" class="button" onClick=${() => ask(one.question, one.only)}>${t("tryAgain")}</button>
    </div>`;
  }
  const isRefused = one.end !== null && !one.end.answered;
  return html`
    <div ref=${place} tabindex="-1" class="answer" aria-busy=${String(one.end === null)}>
      ${
        isRefused
          ? html`<p>${one.end.text}</p>`
          : html`<p>${one.sentences.map((sentence) => html`<${Sentence} one=${sentence} />`)}</p>`
      }
      ${one.end === null && html`<p class="hint">${t(one.phase)}</p>`}
    </div>
    ${one.end?.lacks && html`<p class="hint">${t("lacks", { words: one.end.lacks.map(shown).join(", ") })}</p>`}
    ${one.end?.warnings && html`<ul class="said">${one.end.warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`}
    ${one.end?.nearMiss && html`<${Nearest} one=${one.end.nearMiss} />`}
    ${citations.value.length > 0 && html`<${Sources} />`}
    ${one.end?.answered && navigator.clipboard && html`<${Copy} one=${one} />`}
    ${one.end !== null && mayRead.value && html`<${Expected} key=${one.question} asked=${one} />`}
  `;
}

function Sentence({ one }) {
  const citations = one.citations.map((citation) => html`<${Mark} one=${citation} />`);
  if (one.supported) return html`<span>${one.text}</span>${citations}${" "}`;
  const why = t("unproven");
  return html`<span class="unproven" title=${why}>${one.text}<span class="unseen"> (${why})</span></span>
    ${citations}${" "}`;
}

function Mark({ one }) {
  const index = indexOf(one);
  const label = t("openSource", { number: index + 1, name: shown(one.filename) });
  const isChosen = String(chosen.value.index === index);
  const open = () => choose(index);
  return html`<button type="button" class="cite" aria-label=${label} aria-pressed=${isChosen} onClick=${open}>
    ${index + 1}
  </button>`;
}

function Sources() {
  const source = (one, index) => {
    const isChosen = String(chosen.value.index === index);
    return html`<li>
      <button type="button" class="plain" aria-pressed=${isChosen} onClick=${() => choose(index)}>
        <bdi>${shown(one.filename)}</bdi> <span class="hint">${where(one.metadata)}</span>
      </button>
    </li>`;
  };
  return html`<section class="sources">
    <h2>${t("sources")}</h2>
    <ol>${citations.value.map(source)}</ol>
  </section>`;
}

const where = ({ page, row, heading }) =>
  [page && t("page", { number: page }), row && t("row", { number: row }), heading && shown(heading)]
    .filter(Boolean)
    .join(" · ");

// A browser has a clipboard for pages of this machine, or over TLS.
function Copy({ one }) {
  const copy = async () => {
    await navigator.clipboard.writeText(markdown(one));
    notice(t("copied"));
  };
  return html`<button type="button" class="copy" onClick=${copy}>${t("copy")}</button>`;
}

// A refusal says what was nearest, and by how much it fell short.
function Nearest({ one }) {
  const { threshold } = one;
  const words = (list) => ({ words: list.map(shown).join(", ") });
  const passage = (near) => {
    const figures = { score: score(near.score), threshold: score(threshold), by: score(threshold - near.score) };
    return html`<li>
      <a href=${toDocument(near.documentId)}><bdi>${shown(near.filename)}</bdi></a>
      ${" "}<span class="hint">${where(near.metadata)}</span>
      <meter min="0" max="1" low=${threshold} value=${near.score} aria-hidden="true" />
      <p class="hint">${t("short", figures)} ${near.lacks.length > 0 && t("nearLacks", words(near.lacks))}</p>
    </li>`;
  };
  return html`<section class="nearest">
    <h2>${t("nearest")}</h2>
    <ul>${one.passages.map(passage)}</ul>
    ${one.unknown.length > 0 && html`<p class="hint">${t("unknown", words(one.unknown))}</p>`}
  </section>`;
}

function Source({ one }) {
  const { index, turn } = chosen.value;
  return html`<aside class="source" aria-label=${t("source")}>
    <div class="head">
      <h2><span class="number">${index + 1}</span> <bdi>${shown(one.filename)}</bdi></h2>
      <button type="button" aria-label=${t("previous")} title="p" onClick=${() => choose(index - 1)}>‹</button>
      <button type="button" aria-label=${t("next")} title="n" onClick=${() => choose(index + 1)}>›</button>
      <button type="button" aria-label=${t("close")} onClick=${closeSource}>×</button>
    </div>
    <p class="hint">${where(one.metadata)}</p>
    ${
      mayRead.value
        ? html`<div class="scroll" tabindex="0">
            <${Text} documentId=${one.documentId} citation=${one} turn=${turn} />
          </div>`
        : html`<blockquote class="text"><mark>${one.text}</mark></blockquote>`
    }
  </aside>`;
}
