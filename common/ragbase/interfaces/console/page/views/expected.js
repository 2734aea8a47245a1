// "Expected another document?": at which stage the question loses it, and what helps.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { Offline, post } from "../api.js";
import { request } from "../answer.js";
import { toAsk } from "../filters.js";
import { notice, say } from "../notices.js";
import { toDocument } from "../route.js";
import { mayWrite } from "../session.js";
import { toTry } from "../trial.js";
import { Bar } from "./bar.js";
import { DocumentPicker } from "./document_picker.js";
import { KeepGolden } from "./keep_golden.js";
import { Loading } from "./loading.js";

// The stages of explain in the order of a document's way, each with the ways to be lost there.
const STAGES = [
  ["stageBucket", "LEFT_OUT", "NOT_IN_BUCKET"],
  ["stageRead", "NO_RECORD", "WAITING", "FAILED"],
  ["stageIndex", "NOT_IN_INDEX"],
  ["stageFilter", "OTHER_TENANT", "FILTERED"],
  ["stageText", "EXTRACTION", "CHUNK_CUT"],
  ["stageCandidates", "NOT_A_CANDIDATE"],
  ["stageScore", "BELOW_THRESHOLD"],
  ["stageRank", "OUTRANKED"],
];

const told = (error) => (error instanceof Offline ? t("offline") : error.message);

export function Expected({ asked }) {
  const [wanted, setWanted] = useState(null);
  const [found, setFound] = useState(null);
  const [wrong, setWrong] = useState("");
  useEffect(() => {
    if (wanted === null) return undefined;
    let isHere = true;
    setWrong("");
    setFound(null);
    post("api/explain", { ...request(asked), document: wanted.id ?? wanted.filename }).then(
      (one) => isHere && setFound(one),
      (error) => isHere && setWrong(told(error)),
    );
    return () => (isHere = false);
  }, [wanted, asked.question, JSON.stringify(asked.filter)]);
  return html`<section class="expected" aria-label=${t("expected")}>
    <h2>${t("expectedWhich")}</h2>
    <${DocumentPicker} label=${t("whichDocument")} onPick=${setWanted} />
    ${wanted && !found && !wrong && html`<${Loading} />`}
    ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
    ${found && html`<${Way} key=${found.filename} one=${found} asked=${asked} />`}
  </section>`;
}

function Way({ one, asked }) {
  const lost = STAGES.findIndex((stage) => stage.includes(one.stage));
  const state = (index) => (lost < 0 || index < lost ? "passed" : index === lost ? "lost" : "after");
  const place = useRef(null);
  useEffect(() => {
    say(`${lost < 0 ? "" : `${t("lostAt", { stage: t(STAGES[lost][0]) })} `}${one.reason}`);
    place.current.scrollIntoView({ block: "nearest" });
  }, []);
  const name = html`<bdi>${shown(one.filename)}</bdi>`;
  return html`<div class="found-way" ref=${place}>
    <p>${one.documentId ? html`<a href=${toDocument(one.documentId)}>${name}</a>` : name}</p>
    <ol class="way">${STAGES.map(
      ([label], index) => html`<li class=${state(index)}>
        <span>${t(label)}<span class="unseen"> (${t(state(index))})</span></span>
      </li>`,
    )}</ol>
    <p>${one.reason}</p>
    ${one.best && lost >= 6 && html`<${Bar} value=${one.best.confidence} threshold=${one.threshold} />`}
    ${one.remedy && html`<p class="remedy">${one.remedy}</p>`}
    <p class="after-answer">
      ${ACTIONS[one.stage]?.(one, asked)}
      ${
        one.documentId &&
        html`<${KeepGolden} question=${asked.question} documentId=${one.documentId} filename=${one.filename} />`
      }
    </p>
  </div>`;
}

const link = (to, text) => html`<a class="button quiet" href=${to}>${text}</a>`;

// What the page itself can do about it, at the stages where it can.
const ACTIONS = {
  FAILED: ({ documentId }) => mayWrite.value && documentId && html`<${Retry} id=${documentId} />`,
  NOT_IN_BUCKET: () => mayWrite.value && link("#/documents", t("addFiles")),
  FILTERED: (_, asked) => asked.filter.length > 0 && link(toAsk(asked.question, []), t("askUnfiltered")),
  BELOW_THRESHOLD: ({ best }, asked) =>
    best && link(toTry(asked, { threshold: lowered(best.confidence) }), t("tryLower")),
  OUTRANKED: ({ rank }, asked) => rank && rank <= MOST && link(toTry(asked, { topK: String(rank) }), t("tryMore")),
};

// Results that a query may have.
const MOST = 100;
// A threshold that this passage reaches, as people write one.
const lowered = (confidence) => String(Math.floor(confidence * 100) / 100);

function Retry({ id }) {
  const [isSent, setSent] = useState(false);
  const retry = async () => {
    setSent(true);
    try {
      await post(`api/documents/${encodeURIComponent(id)}/retry`);
      notice(t("retried"));
    } catch (error) {
      setSent(false);
      notice(told(error), { isBad: true });
    }
  };
  return html`<button type="button" class="button quiet" disabled=${isSent} onClick=${retry}>${t("retry")}</button>
    ${isSent && html`<a class="button quiet" href=${toDocument(id)}>${t("openDocument")}</a>`}`;
}
