// One question, two settings side by side, and what differs between them.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { score, shown, signed, t } from "../words.js";
import { Offline, offline, post } from "../api.js";
import { say } from "../notices.js";
import { toPlace } from "../places.js";
import { route } from "../route.js";
import { mayRead } from "../session.js";
import { sure } from "../sure.js";
import { OFF, SIDES, compared, queryBody, toTrial, trialIn } from "../trial.js";
import { Bar } from "./bar.js";
import { Evaluation } from "./evaluation.js";
import { Filters } from "./filters.js";
import { KeepGolden } from "./keep_golden.js";
import { Loading } from "./loading.js";
import { NotSaid } from "./missing.js";
import { Nearest } from "./nearest.js";
import { where } from "./where.js";

const LONGEST = 1000;
const MOST = 100;
const SHOWN = 280;
const NAMES = { a: "sideA", b: "sideB" };

export function Try() {
  const trial = trialIn(route.value.query);
  const found = { a: useFound(trial.question, trial.a), b: useFound(trial.question, trial.b) };
  const go = (changed) => (location.hash = toTrial({ ...trial, ...changed }));
  // A server without a reranker says nothing of it.
  const hasReranker = SIDES.some((name) => found[name].reranked !== undefined || trial[name].rerank === OFF);
  const isWhole = SIDES.every((name) => found[name].results);
  useEffect(() => {
    if (isWhole) say(summary(found));
  }, [found.a.results, found.b.results]);
  return html`<div class="try">
    <h1>${t("tryTitle")}</h1>
    <${Question} asked=${trial.question} onAsk=${(question) => go({ question })} />
    <div class="sides">
      ${SIDES.map((name) => html`<${Side}
          key=${name}
          name=${name}
          settings=${trial[name]}
          hasReranker=${hasReranker}
          onChange=${go}
        />`)}
      ${trial.question && html`<p class="summary">${isWhole ? summary(found) : t("searching")}</p>`}
      ${
        trial.question &&
        SIDES.map(
          (name) => html`<${Found}
            key=${`found ${name}`}
            name=${name}
            question=${trial.question}
            one=${found[name]}
            other=${isWhole ? found[name === "a" ? "b" : "a"].results : null}
          />`,
        )
      }
    </div>
    ${mayRead.value && html`<${Evaluation} />`}
  </div>`;
}

// What the server finds with these settings; null as long as it is not known.
function useFound(question, settings) {
  const [found, setFound] = useState({});
  const body = question && JSON.stringify(queryBody(question, settings));
  const isOffline = offline.value;
  useEffect(() => {
    if (!body) return undefined;
    let isHere = true;
    setFound({});
    post("api/query", JSON.parse(body)).then(
      (answer) => isHere && setFound(answer),
      (error) => isHere && setFound({ failed: error instanceof Offline ? t("offline") : error.message }),
    );
    return () => (isHere = false);
  }, [body, isOffline]);
  return found;
}

function summary({ a, b }) {
  if (!a.results.length && !b.results.length) return t("noResults");
  const right = compared(b.results, a.results);
  const left = compared(a.results, b.results);
  const only = (side) => side.filter((one) => one.moved === null).length;
  const moved = right.filter((one) => one.moved).length;
  if (!only(left) && !only(right) && !moved) return t("noDifference", { count: a.results.length });
  return [
    t("trialCounts", { a: a.results.length, b: b.results.length }),
    t("trialDiffers", { a: only(left), b: only(right), moved }),
  ].join(" ");
}

function Question({ asked, onAsk }) {
  const field = useRef(null);
  useEffect(() => {
    field.current.value = asked;
    if (!asked) field.current.focus({ preventScroll: true });
  }, [asked]);
  const submit = (event) => {
    event.preventDefault();
    if (field.current.value.trim()) onAsk(field.current.value.trim());
  };
  return html`<form class="question" onSubmit=${submit} role="search">
    <label class="grow"
      ><span class="unseen">${t("question")}</span>
      <input ref=${field} type="search" enterkeyhint="search" maxlength=${LONGEST} placeholder=${t("question")} />
    </label>
    <button class="button">${t("try")}</button>
  </form>`;
}

function Side({ name, settings, hasReranker, onChange }) {
  const set = (changed) => onChange({ [name]: { ...settings, ...changed } });
  // The browser says what is wrong with a number; it is not sent.
  const number = (field) => (event) => event.target.reportValidity() && set({ [field]: event.target.value });
  return html`<fieldset class="side">
    <legend>${t(NAMES[name])}</legend>
    <label
      >${t("topK")}
      <input
        type="number"
        inputmode="numeric"
        min="1"
        max=${MOST}
        step="1"
        placeholder=${t("asSet")}
        value=${settings.topK}
        onChange=${number("topK")}
      />
    </label>
    <label
      >${t("threshold")}
      <input
        type="number"
        inputmode="decimal"
        min="0"
        max="1"
        step="0.01"
        placeholder=${t("asSet")}
        value=${settings.threshold}
        onChange=${number("threshold")}
      />
    </label>
    ${
      hasReranker &&
      html`<label
        >${t("reranker")}
        <select value=${settings.rerank} onChange=${(event) => set({ rerank: event.target.value })}>
          <option value="">${t("asSet")}</option>
          <option value=${OFF}>${t("off")}</option>
        </select>
      </label>`
    }
    <${Filters} filter=${settings.filter} onChange=${(filter) => set({ filter })} />
  </fieldset>`;
}

function Found({ name, question, one, other }) {
  const title = html`<h2 class="unseen">${t("resultsOf", { side: t(NAMES[name]) })}</h2>`;
  if (one.failed) return html`<section>${title}<p class="wrong" role="alert">${one.failed}</p></section>`;
  if (!one.results) return html`<section aria-busy="true">${title}<${Loading} /></section>`;
  const results = compared(one.results, other ?? []);
  return html`<section class="results">
    ${title}
    ${one.warnings && html`<ul class="said">${one.warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`}
    ${one.results.length > 0 && html`<${NotSaid} parts=${one.parts} />`}
    ${one.reranked === false && html`<p class="hint">${t("notReranked")}</p>`}
    ${!one.results.length && html`<p>${t("noResults")}</p>`}
    ${one.nearMiss && html`<${Nearest} one=${one.nearMiss} />`}
    <ol>${results.map((result) => html`<${Result}
          key=${result.key}
          question=${question}
          one=${result}
          isCompared=${other !== null}
        />`)}</ol>
  </section>`;
}

function Result({ question, one, isCompared }) {
  const text = `${one.metadata.tableHeader ? `${one.metadata.tableHeader}\n` : ""}${one.content}`;
  const name = html`<bdi>${shown(one.filename)}</bdi>`;
  const place = { ...one, text: one.content };
  return html`<li class=${isCompared && one.moved === null ? "result only" : "result"}>
    <p>
      ${mayRead.value ? html`<a href=${toPlace(place)}>${name}</a>` : name}
      ${" "}<span class="hint">${where(one.metadata)}</span>
    </p>
    ${isCompared && html`<${Difference} one=${one} />`}
    <p class="scored">
      <${Bar} value=${one.score} /> <span>${score(one.score)}</span>${one.confidence && html` <span>${sure(one.confidence)}</span>`}
    </p>
    <p class="excerpt" dir="auto">${text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text}</p>
    <${KeepGolden} question=${question} documentId=${one.documentId} filename=${one.filename} />
  </li>`;
}

// In words, and with a shape: a colour alone says nothing to many.
function Difference({ one: { moved, gained } }) {
  const isOther = Math.abs(gained) >= 0.005;
  const [kind, shape] = moved === null ? ["only", "●"] : moved > 0 ? ["up", "▲"] : moved < 0 ? ["down", "▼"] : ["", ""];
  const said =
    kind === "only" ? t("onlyHere") : kind ? t(kind === "up" ? "movedUp" : "movedDown", { count: Math.abs(moved) }) : "";
  if (!said && !isOther) return null;
  return html`<p class=${`difference ${kind}`}>
    ${shape && html`<span aria-hidden="true">${shape}</span>`} ${said}
    ${isOther && html` ${t("scoreDiffers", { by: signed(gained) })}`}
  </p>`;
}
