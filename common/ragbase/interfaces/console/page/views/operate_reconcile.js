// The last comparison of bucket, records and index: what differed, and what is left.
import { useEffect, useMemo } from "../vendor/hooks.js";
import { html } from "../html.js";
import { number, shown, t } from "../words.js";
import { listing } from "../listing.js";
import { Facts, Mark, Table, Time, Told } from "./operate_table.js";

const KINDS = { missing: "kindMissing", stale: "kindStale", orphaned: "kindOrphaned", stuck: "kindStuck", unlabelled: "kindUnlabelled", shadowed: "kindShadowed" };

const COLUMNS = [
  ["document", ({ filename, documentId }) => html`<bdi>${shown(filename ?? documentId)}</bdi>`],
  ["difference", ({ kind, found, reason }) => html`${kind && html`<span class="code">${t(KINDS[kind])}</span>`} ${found ?? reason}`],
  [
    "state",
    ({ repaired }) =>
      repaired
        ? html`<${Mark} kind="completed" text=${t("repaired")} />`
        : html`<${Mark} kind="failed" text=${t("isLeft")} />`,
  ],
];

function show({ at, report }) {
  if (!report) return html`<p class="empty">${t("noReport")}</p>`;
  const rows = [...report.errors, ...report.examples];
  const ended = report.left || report.errors.length ? ["failed", "someLeft"] : ["completed", "nothingLeft"];
  return html`
    <p role="status"><${Mark} kind=${ended[0]} text=${t(ended[1], { count: report.left })} /></p>
    <${Facts} facts=${[
      [t("compared"), html`<${Time} at=${at} />${!report.complete && html` · ${t("compareGoesOn")}`}`],
      [t("inStep"), number(report.inStep)],
      [t("inMotion"), number(report.inMotion)],
      ...Object.entries(KINDS).map(([kind, said]) => [t(said), number(report[kind])]),
    ]} />
    ${(report.leftOut ?? []).map(
      ({ kind, count, endings, reason }) =>
        html`<p class="hint">${number(count)} ${kind} (<bdi>${shown(endings.join(", "))}</bdi>). ${reason}</p>`,
    )}
    ${rows.length > 0 && html`<${Table} label=${t("differences")} columns=${COLUMNS} rows=${rows}
      keyOf=${({ kind, documentId }) => `${kind} ${documentId}`} />`}
  `;
}

export function Reconcile() {
  const last = useMemo(() => listing("api/reconciliation", "none"), []);
  useEffect(() => void last.load(), []);
  return html`<p class="hint">${t("reconcileHint")}</p><${Told} of=${last} show=${show} />`;
}
