// A document in the list, and the heads of its columns.
import { signal } from "../vendor/signals.js";
import { html } from "../html.js";
import { address } from "../api.js";
import { ago, bytes, moment, number, shown, t } from "../words.js";
import { mayWrite } from "../session.js";
import { toDocument } from "../route.js";
import { remove, retry } from "../acts.js";
import { COLUMNS } from "../documents.js";
import { areAllChosen, choose, chooseAll, chooseNone, isChosen } from "../chosen.js";
import { choose as chooseFile } from "../files.js";
import { replace } from "../uploads.js";
import { Status } from "./status.js";

// What was a minute ago is two minutes ago soon.
const minute = signal(0);
setInterval(() => (minute.value += 1), 60_000);

const TITLES = { name: "name", status: "status", age: "age", size: "size", chunks: "passages" };

export function Heads({ order }) {
  const { by, isDown } = order.value;
  const sort = (name) => () =>
    (order.value = { by: name, isDown: name === by ? !isDown : name !== "name" && name !== "status" });
  const head = (name) => html`<button type="button" class="column ${name}" aria-pressed=${String(name === by)}
    aria-description=${name === by ? t(isDown ? "downward" : "upward") : null} onClick=${sort(name)}>
    ${t(TITLES[name])}${name === by && html`<span aria-hidden="true"> ${isDown ? "↓" : "↑"}</span>`}
  </button>`;
  const plain = (name) => html`<span class="column ${name}">${t(name)}</span>`;
  const all = () => (areAllChosen.value ? chooseNone() : chooseAll());
  return html`<div class="heads" role="group" aria-label=${t("sortBy")}>
    <input type="checkbox" checked=${areAllChosen.value} aria-label=${t("chooseAll")} onClick=${all} />
    ${head("status")} ${head("name")} ${plain("lane")} ${head("age")} ${head("size")} ${head("chunks")}
    ${plain("pageCount")} ${plain("tokens")} ${plain("noteCount")}
    <label class="sort"><span class="unseen">${t("sortBy")}</span>
      <select value=${by} onChange=${(event) => sort(event.target.value)()}>
        ${COLUMNS.map((name) => html`<option value=${name}>${t(TITLES[name])}</option>`)}
      </select>
    </label>
    <button type="button" class="sort" aria-label=${t("turnAround")} onClick=${sort(by)}>${isDown ? "↓" : "↑"}</button>
  </div>`;
}

export function Row({ one }) {
  const slash = one.filename.lastIndexOf("/") + 1;
  const name = shown(one.filename);
  const pick = (event) => choose(one, { isRange: event.shiftKey });
  return html`<article class=${isChosen(one) ? "row chosen" : "row"}>
    <input type="checkbox" class="pick" data-id=${one.id} checked=${isChosen(one)}
      aria-label=${t("chooseNamed", { name })} onClick=${pick} />
    <${Status} status=${one.status} />
    <div class="grow">
      <a class="name" href=${toDocument(one.id)}><bdi>${shown(one.filename.slice(slash))}</bdi></a>
      ${
        one.status === "FAILED"
          ? html`<${Why} one=${one} />`
          : html`<p class="hint"><${About} one=${one} folder=${shown(one.filename.slice(0, slash))} /></p>`
      }
    </div>
    <${Cells} one=${one} />
    <${Acts} one=${one} name=${name} />
  </article>`;
}

// What the columns say where there is room for them.
function Cells({ one }) {
  void minute.value;
  const cell = (name, title, value) => html`<span class="column ${name}">
    <span class="unseen">${title}: </span>${value ?? "–"}
  </span>`;
  const count = (value) => value !== undefined && number(value);
  return html`
    ${cell("lane", t("lane"), one.lane && t(one.lane === "fast" ? "laneFast" : "laneHeavy"))}
    ${cell("age", t("age"), html`<time dateTime=${one.createdAt} title=${moment(one.createdAt)}>${ago(one.createdAt)}</time>`)}
    ${cell("size", t("size"), one.size !== undefined && bytes(one.size))}
    ${cell("chunks", t("passages"), count(one.chunkCount) || "–")}
    ${cell("pageCount", t("pageCount"), count(one.pageCount) || "–")}
    ${cell("tokens", t("tokens"), count(one.billedTokens) || "–")}
    ${cell("noteCount", t("noteCount"), count(one.notes?.length) || "–")}
  `;
}

function About({ one, folder }) {
  void minute.value;
  const said = [
    ago(one.createdAt),
    one.size !== undefined && bytes(one.size),
    one.chunkCount !== undefined && t("chunks", { count: one.chunkCount }),
    one.pageCount !== undefined && t("pages", { count: one.pageCount }),
    one.notes && t("notes", { count: one.notes.length }),
  ].filter(Boolean);
  return html`<span class="narrow">${said.join(" · ")}${folder && " · "}</span>${folder && html`<bdi>${folder}</bdi>`}`;
}

// The reason of a failure in a line; with the remedy in full, when somebody wants to know.
function Why({ one }) {
  const id = `why-${one.id}`;
  return html`<button type="button" class="failure" popovertarget=${id}>${one.failReason}</button>
    <div id=${id} popover class="reason" role="dialog" aria-label=${t("whyFailed")}>
      <h2><bdi>${shown(one.filename)}</bdi></h2>
      <p>${one.failReason}</p>
      ${one.remedy && html`<p class="remedy">${one.remedy}</p>`}
      <div class="acts">
        ${mayWrite.value && html`<button type="button" onClick=${() => retry([one])}>${t("retry")}</button>`}
        <button type="button" popovertarget=${id} popovertargetaction="hide">${t("close")}</button>
      </div>
    </div>`;
}

function Acts({ one, name }) {
  const content = address(`api/documents/${encodeURIComponent(one.id)}/content`).href;
  const leave = (event) => {
    const menu = event.currentTarget;
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  };
  const replaced = () => chooseFile(([[, file]]) => replace(one, file));
  return html`<div class="acts">
    ${
      mayWrite.value &&
      html`${one.status === "FAILED" && html`<button type="button" class="wide" onClick=${() => retry([one])}>${t("retry")}</button>`}
      <button type="button" class="wide" aria-label=${t("deleteNamed", { name })} onClick=${() => remove([one])}>
        ${t("delete")}
      </button>`
    }
    <details class="menu" onFocusOut=${leave}>
      <summary aria-label=${t("moreNamed", { name })}>⋯</summary>
      <div>
        <a class="item" href=${content} download>${t("download")}</a>
        ${
          mayWrite.value &&
          html`<button type="button" aria-label=${t("replaceNamed", { name })} onClick=${replaced}>
            ${t("replaceFile")}
          </button>
          ${one.status === "FAILED" && html`<button type="button" class="narrow" onClick=${() => retry([one])}>${t("retry")}</button>`}
          <button type="button" class="narrow" aria-label=${t("deleteNamed", { name })} onClick=${() => remove([one])}>
            ${t("delete")}
          </button>`
        }
      </div>
    </details>
  </div>`;
}
