// The golden questions, and how well they were answered, run after run.
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { moment, number, percent, score, shown, t } from "../words.js";
import { Offline } from "../api.js";
import { loadQuestions, loadRuns, questions, removeQuestion, runs } from "../golden.js";
import { notice } from "../notices.js";
import { toDocument } from "../route.js";
import { mayWrite, session } from "../session.js";
import { toTrial } from "../trial.js";
import { Loading } from "./loading.js";
import { Lines, RankBars } from "./plots.js";

const told = (error) => (error instanceof Offline ? t("offline") : error.message);

export function Evaluation() {
  const [failed, setFailed] = useState("");
  const isOperator = session.value.operator;
  const load = () => {
    setFailed("");
    Promise.all([loadQuestions(), isOperator && loadRuns()]).catch((error) => setFailed(told(error)));
  };
  useEffect(load, []);
  return html`<section class="evaluation" aria-label=${t("goldenQuestions")}>
    <h2 class="large">${t("goldenQuestions")}</h2>
    <p class="hint">${t("goldenHint")}</p>
    ${
      failed &&
      html`<div class="broken" role="alert">
        <p>${failed}</p>
        <button type="button" class="button quiet" onClick=${load}>${t("tryAgain")}</button>
      </div>`
    }
    ${!failed && questions.value === null && html`<${Loading} />`}
    ${questions.value && html`<${Questions} all=${questions.value} />`}
    ${isOperator && runs.value && html`<${Runs} all=${runs.value} />`}
  </section>`;
}

function Questions({ all }) {
  if (!all.length) return html`<p class="empty">${t("noGolden")}</p>`;
  const remove = (one) => removeQuestion(one.id).catch((error) => notice(told(error), { isBad: true }));
  const row = (one) =>
    html`<li key=${one.id}>
      <p class="grow">
        <a href=${toTrial({ question: one.question })}><bdi>${shown(one.question)}</bdi></a>
        <span class="hint">
          ${
            one.filename
              ? html`<a href=${toDocument(one.documentId)}><bdi>${shown(one.filename)}</bdi></a>`
              : t("documentGone")
          }
        </span>
      </p>
      ${
        mayWrite.value &&
        html`<button type="button" aria-label=${t("removeGolden", { question: shown(one.question) })} onClick=${() => remove(one)}>
          ×
        </button>`
      }
    </li>`;
  return html`<ul class="golden">${all.map(row)}</ul>`;
}

function Runs({ all }) {
  if (!all.length) return html`<p class="hint">${t("noRuns")}</p>`;
  const last = all.at(-1);
  const cells = (one) => [
    moment(one.at),
    number(one.questions),
    percent(one.hitRate),
    score(one.mrr),
    score(one.score),
    number(one.topK),
    score(one.threshold),
  ];
  const heads = ["runAt", "runQuestions", "hitRate", "mrr", "runScore", "topK", "threshold"];
  return html`
    <div class="plots">
      <figure>
        <figcaption>${t("runsPlot")}</figcaption>
        <${Lines} runs=${all} />
      </figure>
      <figure>
        <figcaption>${t("ranksPlot", { time: moment(last.at) })}</figcaption>
        <${RankBars} run=${last} />
      </figure>
    </div>
    <details class="figures">
      <summary>${t("asTable")}</summary>
      <div class="wide" tabindex="0" role="region" aria-label=${t("runsPlot")}>
        <table>
          <thead><tr>${heads.map((name) => html`<th scope="col">${t(name)}</th>`)}</tr></thead>
          <tbody>${[...all].reverse().map(
            (one) => html`<tr>${cells(one).map((text, at) => (at ? html`<td>${text}</td>` : html`<th scope="row">${text}</th>`))}</tr>`,
          )}</tbody>
        </table>
        <table>
          <thead><tr><th scope="col">${t("rank")}</th><th scope="col">${t("runQuestions")}</th></tr></thead>
          <tbody>${RankBars.rows(last).map(
            ([label, count]) => html`<tr><th scope="row">${label}</th><td>${number(count)}</td></tr>`,
          )}</tbody>
        </table>
      </div>
    </details>
  `;
}
