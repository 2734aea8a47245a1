// All documents: what became of each, and what to do about it.
import { useEffect } from "../vendor/hooks.js";
import { html } from "../html.js";
import { ago, moment, number, shown, t } from "../words.js";
import { mayWrite } from "../session.js";
import { notice } from "../notices.js";
import { toDocument } from "../route.js";
import { STATUSES, isWhole, list, load, more, remove, retry, status, visible, wanted, watch } from "../documents.js";
import { add } from "../uploads.js";
import { Loading } from "./loading.js";
import { LongList } from "./long_list.js";
import { Uploads } from "./uploads.js";

export function Documents() {
  useEffect(() => {
    if (!list.value.isLoaded) load();
    return watch();
  }, []);
  const want = (event) => (wanted.value = event.target.value);
  useEffect(() => {
    if (wanted.value) more();
  }, [wanted.value, list.value.items.length]);
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
    add([...event.target.files].map((file) => [file.webkitRelativePath || file.name, file]));
    event.target.value = "";
  };
  return html`<label class="button choose">
    ${t("addFiles")}
    <input class="unseen" type="file" multiple onChange=${chosen} />
  </label>`;
}

function Chips() {
  const chip = (name) => {
    const choose = () => {
      status.value = name;
      load();
    };
    const isChosen = String(status.value === name);
    return html`<button type="button" class="chip" aria-pressed=${isChosen} onClick=${choose}>
      ${t(name || "ALL")}
    </button>`;
  };
  return html`<div class="chips" role="group" aria-label=${t("status")}>${["", ...STATUSES].map(chip)}</div>`;
}

function Found() {
  const { items, total, isLoaded, failed } = list.value;
  if (failed) {
    return html`<div class="empty" role="alert">
      <p>${failed.message || t("offline")}</p>
      <button type="button" class="button" onClick=${load}>${t("tryAgain")}</button>
    </div>`;
  }
  if (!isLoaded) return html`<${Loading} />`;
  if (!items.length)
    return html`<p class="empty">${t(status.value ? "noneOfStatus" : mayWrite.value ? "noneYet" : "noneToRead")}</p>`;
  const rows = visible.value;
  const isFiltered = Boolean(wanted.value);
  return html`
    <p class="count" role="status">
      ${isFiltered ? t("found", { count: rows.length }) : t("documentCount", { count: total })}
      ${isFiltered && !isWhole.value && html` · ${t("searched", { done: items.length, total })}`}
    </p>
    ${isFiltered && !rows.length && isWhole.value && html`<p class="empty">${t("noneFound")}</p>`}
    <${LongList} items=${rows} total=${isFiltered ? rows.length : total} label=${t("documents")} onNearEnd=${more}
      row=${(one) => html`<${Row} one=${one} />`} />
  `;
}

function Row({ one }) {
  const slash = one.filename.lastIndexOf("/") + 1;
  const name = shown(one.filename);
  const again = () => retry(one.id).catch((error) => notice(error.message, { isBad: true }));
  return html`<article class="row">
    <${Status} status=${one.status} />
    <div class="grow">
      <a class="name" href=${toDocument(one.id)}><bdi>${shown(one.filename.slice(slash))}</bdi></a>
      <p class="hint"><${About} one=${one} folder=${shown(one.filename.slice(0, slash))} /></p>
    </div>
    ${
      mayWrite.value &&
      html`<div class="acts">
      ${one.status === "FAILED" && html`<button type="button" onClick=${again}>${t("retry")}</button>`}
      <button type="button" aria-label=${t("deleteNamed", { name })} onClick=${() => remove(one)}>
        ${t("delete")}
      </button>
    </div>`
    }
  </article>`;
}

// Why it failed comes before everything else that there is to say.
function About({ one, folder }) {
  if (one.status === "FAILED") return html`<span class="wrong">${one.failReason}</span>`;
  return html`<time dateTime=${one.createdAt} title=${moment(one.createdAt)}>${ago(one.createdAt)}</time>
    ${one.chunkCount !== undefined && html` · ${t("chunks", { count: one.chunkCount })}`}
    ${one.notes && html` · ${t("notes", { count: one.notes.length })}`}
    ${folder && html` · <bdi>${folder}</bdi>`}`;
}

export function Status({ status: name }) {
  return html`<span class="status ${name.toLowerCase()}">${t(name)}</span>`;
}

export const facts = (one) =>
  [
    one.pageCount !== undefined && t("pages", { count: one.pageCount }),
    one.ocrPages && t("ocrPages", { count: one.ocrPages }),
    one.pagesWithoutText && t("pagesWithoutText", { count: one.pagesWithoutText }),
    one.chunkCount !== undefined && t("chunks", { count: one.chunkCount }),
    one.parts && t("partsRead", { done: number(one.partsRead), total: number(one.parts) }),
    one.retryCount > 0 && t("attempts", { count: one.retryCount }),
  ].filter(Boolean);
