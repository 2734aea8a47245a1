// An answer or a refusal, as far as it has come, and what one can do with it.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { mayRead } from "../session.js";
import { again, answer, chosen, choose, citationsOf, indexOf, stop } from "../answer.js";
import { markdown } from "../markdown.js";
import { notice } from "../notices.js";
import { sure } from "../sure.js";
import { toTry } from "../trial.js";
import { later } from "./later.js";
import { Missing } from "./missing.js";
import { Nearest } from "./nearest.js";
import { SearchedFor } from "./searched_for.js";
import { where } from "./where.js";

const Expected = later(() => import("./expected.js"), "Expected");

// What the citations of a sentence lack, or say otherwise.
const REASONS = {
  words: "reasonWords",
  number: "reasonNumber",
  date: "reasonDate",
  name: "reasonName",
  negation: "reasonNegation",
  modality: "reasonModality",
  direction: "reasonDirection",
};

// `index` is its place in the conversation.
export function Answer({ one, index }) {
  const place = useRef(null);
  // From here on, n and p walk the citations.
  useEffect(() => place.current?.focus({ preventScroll: index === 0 }), []);
  const isRunning = one.phase === "searching" || one.phase === "writing";
  const asked = { ...one, question: one.end?.searchedFor ?? one.question };
  // Nothing moves while sentences come: what stands below them is new each time, or comes when they are there.
  const isRefused = one.end !== null && !one.end.answered;
  return html`
    ${index > 0 && html`<${Turn} one=${one} isRunning=${isRunning} />`}
    <div ref=${place} tabindex="-1" class="answer" aria-busy=${String(isRunning)}>
      ${isRefused && html`<p>${one.end.text}</p>`}
      ${one.sentences.length > 0 && html`<p>${one.sentences.map((sentence) => html`<${Sentence} one=${sentence} />`)}</p>`}
      ${isRunning && html`<p class="hint" key=${one.sentences.length}>${t(one.phase)}</p>`}
    </div>
    ${one.end?.searchedFor && html`<${SearchedFor} text=${one.end.searchedFor} index=${index} />`}
    ${["stopped", "failed", "unreachable"].includes(one.phase) && html`<${Broken} one=${one} />`}
    ${one.end && html`<${Missing} one=${one} />`}
    ${one.end?.confidence && !one.end.nearMiss && html`<p class="hint">${t("sure", { word: sure(one.end.confidence) })}</p>`}
    ${one.end?.lacks && html`<p class="hint">${t("lacks", { words: one.end.lacks.map(shown).join(", ") })}</p>`}
    ${one.end?.warnings && html`<ul class="said">${one.end.warnings.map((warning) => html`<li>${warning}</li>`)}</ul>`}
    ${one.end?.nearMiss && html`<${Nearest} one=${one.end.nearMiss} />`}
    ${!isRunning && citationsOf([one]).length > 0 && html`<${Sources} of=${citationsOf([one])} />`}
    ${one.end !== null && html`<${Next} key=${JSON.stringify(one.filter)} one=${one} asked=${asked} />`}
  `;
}

// The question of a follow-up. Nothing below moves when it can't be stopped any more.
function Turn({ one, isRunning }) {
  return html`<div class="turn">
    <h2 class="grow" dir="auto">${one.question}</h2>
    ${isRunning && html`<button type="button" class="button quiet" onClick=${stop}>${t("stop")}</button>`}
  </div>`;
}

// What one can do with an answer.
function Next({ one, asked }) {
  const [isExpecting, setExpecting] = useState(false);
  const toggle = () => setExpecting(!isExpecting);
  return html`
    <div class="after-answer">
      ${one.end.answered && navigator.clipboard && html`<${Copy} one=${one} />`}
      <a class="button quiet" href=${toTry(asked)}>${t("tryOthers")}</a>
      ${
        mayRead.value &&
        html`<button type="button" class="button quiet" aria-expanded=${String(isExpecting)} onClick=${toggle}>
          ${t("expected")}
        </button>`
      }
    </div>
    ${isExpecting && html`<${Expected} asked=${asked} />`}
  `;
}

// What has come stays: each of its sentences is verified.
function Broken({ one }) {
  const said = one.phase === "stopped" ? t("stopped") : one.failed;
  return html`<div class="broken" role="alert">
    <p>${said}</p>
    ${
      one.phase !== "unreachable" &&
      one === answer.value &&
      html`<button type="button" class="button quiet" onClick=${again}>
        ${t(one.phase === "stopped" ? "askAgain" : "tryAgain")}
      </button>`
    }
  </div>`;
}

function Sentence({ one }) {
  const marks = one.citations.map((citation) => html`<${Mark} one=${citation} />`);
  // A blank at the end of a line would move when the next sentence comes: it begins with its own.
  if (one.supported) return html`<span>${" "}${one.text}</span>${marks}`;
  const reasons = (one.unsupportedBecause ?? []).filter((name) => Object.hasOwn(REASONS, name)).map((name) => t(REASONS[name]));
  const why = [t(one.citations.length ? "unprovenBySources" : "unproven"), reasons.join(", ")].filter(Boolean).join(": ");
  return html`<span class="unproven">${" "}${one.text}</span>${marks} <small class="why">(${why})</small>`;
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

function Sources({ of }) {
  const source = (one) => {
    const index = indexOf(one);
    const isChosen = String(chosen.value.index === index);
    return html`<li data-number=${index + 1}>
      <button type="button" class="plain" aria-pressed=${isChosen} onClick=${() => choose(index)}>
        <bdi>${shown(one.filename)}</bdi> <span class="hint">${where(one.metadata)}</span>
      </button>
    </li>`;
  };
  return html`<section class="sources">
    <h2>${t("sources")}</h2>
    <ol>${of.map(source)}</ol>
  </section>`;
}

// A browser has a clipboard for pages of this machine, or over TLS.
function Copy({ one }) {
  const copy = async () => {
    await navigator.clipboard.writeText(markdown(one));
    notice(t("copied"));
  };
  return html`<button type="button" class="button quiet" onClick=${copy}>${t("copy")}</button>`;
}
