// Whether each part of the deployment works, and what waits for somebody.
import { useEffect, useMemo } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { listing } from "../listing.js";
import { Listed, Mark } from "./operate_table.js";

const NAMES = {
  bucket: "partBucket",
  records: "partRecords",
  "failed documents": "partFailed",
  lanes: "partLanes",
  "dead letters": "deadLetters",
  index: "partIndex",
  embedder: "partEmbedder",
  rate: "partRate",
  "audit log": "auditLog",
  reconcile: "reconcile",
  sources: "scheduledSources",
  keys: "keys",
};

const mark = ({ ok, needed }) =>
  ok
    ? html`<${Mark} kind="completed" text=${t("works")} />`
    : html`<${Mark} kind=${needed ? "failed" : "processing still"} text=${t(needed ? "fails" : "lookAtIt")} />`;

function verdict({ ok, checks }) {
  if (!ok) return "notAllWork";
  return checks.every((check) => check.ok) ? "allWork" : "someWait";
}

const COLUMNS = [
  ["part", ({ name }) => html`<strong>${NAMES[name] ? t(NAMES[name]) : name}</strong>`],
  ["state", mark],
  ["foundThere", ({ found, remedy }) => html`${found}${remedy && html`<p class="remedy">${remedy}</p>`}`],
];

export function Health() {
  const checks = useMemo(() => listing("api/health", "checks"), []);
  useEffect(() => void checks.load(), []);
  const { isLoading, said } = checks.state.value;
  return html`
    <div class="tools">
      <p class="grow" role="status">${said && t(verdict(said))}</p>
      <button type="button" class="button quiet" disabled=${isLoading} onClick=${() => checks.load()}>${t("lookAgain")}</button>
    </div>
    <${Listed} of=${checks} label=${t("health")} columns=${COLUMNS} keyOf=${({ name }) => name} />
  `;
}
