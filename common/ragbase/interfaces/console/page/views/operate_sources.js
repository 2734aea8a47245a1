// The scheduled sources: how the last run ended, and when the next one begins.
import { useEffect, useMemo } from "../vendor/hooks.js";
import { html } from "../html.js";
import { number, shown, t } from "../words.js";
import { listing } from "../listing.js";
import { Listed, Mark, Time } from "./operate_table.js";

const STATES = {
  "never ran": ["pending", "neverRan"],
  running: ["processing", "running"],
  unfinished: ["processing still", "runUnfinished"],
  done: ["completed", "done"],
  failed: ["failed", "fails"],
};
const COUNTS = { added: "countAdded", changed: "countChanged", deleted: "countDeleted", failed: "countFailed" };

function state({ state: name, error }) {
  const [kind, said] = STATES[name];
  return html`<${Mark} kind=${error && name === "done" ? "failed" : kind} text=${t(said)} />
    ${error && html`<p class="wrong">${error}</p>`}`;
}

function counts({ counts: all, startedAt }) {
  if (startedAt === undefined) return "–";
  const some = Object.entries(COUNTS).filter(([name]) => all[name]);
  if (!some.length) return t("nothingNew");
  return some.map(([name, said]) => html`<span class="line">${t(said, { count: number(all[name]) })}</span>`);
}

const next = ({ nextRunAt }) => (new Date(nextRunAt) <= Date.now() ? t("isDue") : html`<${Time} at=${nextRunAt} />`);

const COLUMNS = [
  ["source", ({ name, address }) => html`<bdi>${shown(name)}</bdi> <bdi class="line code">${shown(address)}</bdi>`],
  ["state", state],
  ["lastRun", ({ endedAt, startedAt }) => (startedAt ? html`<${Time} at=${endedAt ?? startedAt} />` : "–")],
  ["didThen", counts],
  ["nextRun", next],
];

export function Sources() {
  const sources = useMemo(() => listing("api/sources", "sources"), []);
  useEffect(() => void sources.load(), []);
  const error = sources.state.value.said?.error;
  return html`
    <p class="hint">${t("sourcesHint")}</p>
    ${error && html`<p class="wrong" role="alert">${error}</p>`}
    <${Listed} of=${sources} label=${t("scheduledSources")} columns=${COLUMNS} keyOf=${({ name }) => name}
      empty=${error ? "" : t("noSources")} />
  `;
}
