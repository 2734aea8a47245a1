// "Expected another document?": at which stage the question loses it, and what helps.
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { Offline, get, post } from "../api.js";
import { request } from "../answer.js";

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

export function Expected({ asked }) {
  const [names, setNames] = useState(null);
  const [found, setFound] = useState(null);
  const [wrong, setWrong] = useState("");

  const begin = async () => {
    setNames([]);
    const page = await get("api/documents?limit=100").catch(() => ({ documents: [] }));
    setNames(page.documents.map((one) => one.filename));
  };
  const submit = async (event) => {
    event.preventDefault();
    setWrong("");
    setFound(null);
    try {
      setFound(await post("api/explain", { ...request(asked), document: event.target.document.value.trim() }));
    } catch (error) {
      setWrong(error instanceof Offline ? t("offline") : error.message);
    }
  };
  if (names === null)
    return html`<button type="button" class="button quiet" onClick=${begin}>${t("expected")}</button>`;
  return html`<section class="expected"><h2>${t("expected")}</h2>
    <form class="question" onSubmit=${submit}>
      <label class="grow"><span class="unseen">${t("whichDocument")}</span>
        <input name="document" list="names" required autocomplete="off" placeholder=${t("whichDocument")} />
      </label>
      <datalist id="names">${names.map((name) => html`<option value=${name} />`)}</datalist>
      <button class="button">${t("explain")}</button>
    </form>
    ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
    ${found && html`<${Way} one=${found} />`}
  </section>`;
}

function Way({ one }) {
  const lost = STAGES.findIndex((stage) => stage.includes(one.stage));
  const state = (index) => (lost < 0 || index < lost ? "passed" : index === lost ? "lost" : "after");
  return html`<div role="status">
    <p><bdi>${shown(one.filename)}</bdi></p>
    <ol class="way">${STAGES.map(
      ([name], index) =>
        html`<li class=${state(index)}>${t(name)}<span class="unseen"> (${t(state(index))})</span></li>`,
    )}</ol>
    <p>${one.reason}</p>
    ${one.remedy && html`<p class="remedy">${one.remedy}</p>`}
  </div>`;
}
