// All documents: what became of each, and what to do about it.
import { useEffect } from "../vendor/hooks.js";
import { html } from "../html.js";
import { number, t } from "../words.js";
import { mayWrite } from "../session.js";
import {
  STATUSES,
  counts,
  isWhole,
  list,
  load,
  more,
  needsAll,
  order,
  status,
  total,
  visible,
  wanted,
  watch,
} from "../documents.js";
import { choose, withPaths } from "../files.js";
import { add } from "../uploads.js";
import { ChosenOnes, onKey } from "./chosen.js";
import { Failure, Heads, Row } from "./document_row.js";
import { Loading } from "./loading.js";
import { LongList } from "./long_list.js";
import { Uploads } from "./uploads.js";
import { Wrong } from "./wrong.js";

export { Status, facts } from "./status.js";

export function Documents() {
  useEffect(() => {
    if (!list.value.isLoaded || list.value.failed) load();
    return watch();
  }, []);
  const want = (event) => (wanted.value = event.target.value);
  useEffect(() => {
    if (needsAll.value) more();
  }, [needsAll.value, list.value.items.length]);
  return html`
    <div class="head">
      <h1>${t("documents")}</h1>
      ${mayWrite.value && html`<${Choose} />`}
    </div>
    <${Uploads} />
    <div class="tools" role="search">
      <label class="grow"><span class="unseen">${t("filter")}</span>
        <input type="search" value=${wanted.value} placeholder=${t("filter")} onInput=${want} />
      </label>
      <${Chips} />
    </div>
    <${Found} />
  `;
}

function Choose() {
  const chosen = (event) => {
    add(withPaths(event.target.files));
    event.target.value = "";
  };
  return html`<button type="button" class="button quiet folder" onClick=${() => choose(add, { isFolder: true })}>
      ${t("addFolder")}
    </button>
    <label class="button choose">
      ${t("addFiles")}
      <input class="unseen" type="file" multiple onChange=${chosen} />
    </label>`;
}

function Chips() {
  const known = counts.value;
  const chip = (name) => {
    const choose = () => {
      status.value = name;
      load();
    };
    const isChosen = String(status.value === name);
    return html`<button type="button" class="chip" aria-pressed=${isChosen} onClick=${choose}>
      ${t(name || "ALL")}${known && html` <span class="number">${number(known[name])}</span>`}
    </button>`;
  };
  // With their numbers, they are new ones: none grows under a hand.
  return html`<div key=${String(known !== null)} class="chips" role="group" aria-label=${t("status")}>${["", ...STATUSES].map(chip)}</div>`;
}

function Found() {
  const { items, isLoaded, failed } = list.value;
  if (failed) {
    return html`<${Wrong} why=${failed.message || t("offline")} again=${load} />`;
  }
  if (!isLoaded) return html`<${Loading} />`;
  if (!items.length)
    return html`<p class="empty">${t(status.value ? "noneOfStatus" : mayWrite.value ? "noneYet" : "noneToRead")}</p>`;
  const rows = visible.value;
  const isFiltered = Boolean(wanted.value);
  const isPart = needsAll.value && !isWhole.value;
  const part = isPart && t(isFiltered ? "searched" : "sorted", { done: items.length, total: total.value });
  const all = isFiltered ? rows.length : total.value;
  return html`
    <p class="count" role="status">
      ${t(isFiltered ? "found" : "documentCount", { count: all })}${part && html` · ${part}`}
    </p>
    ${isFiltered && !rows.length && isWhole.value && html`<p class="empty">${t("noneFound")}</p>`}
    <div class="documents" onKeyDown=${onKey}>
      <${Heads} order=${order} />
      <${LongList} items=${rows} total=${all} label=${t("documents")} onNearEnd=${more}
        row=${(one) => html`<${Row} one=${one} />`} />
    </div>
    <${ChosenOnes} />
    <${Failure} />
  `;
}
