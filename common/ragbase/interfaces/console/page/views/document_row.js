// A document in the list, and the heads of its columns.
import { signal } from "../vendor/signals.js";
import { useEffect, useRef, useState } from "../vendor/hooks.js";
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

// A list that moves makes many of these in each frame: a row is one component with few elements, and its menu is made when
// somebody opens it. A `details` would be some more elements, of the browser's own.
export function Row({ one }) {
  void minute.value;
  const slash = one.filename.lastIndexOf("/") + 1;
  const name = shown(one.filename);
  const pick = (event) => choose(one, { isRange: event.shiftKey });
  return html`<article class=${isChosen(one) ? "row chosen" : "row"}>
    <input type="checkbox" class="pick" data-id=${one.id} checked=${isChosen(one)}
      aria-label=${t("chooseNamed", { name })} onClick=${pick} />
    <span class="status ${one.status.toLowerCase()}">${t(one.status)}</span>
    <div class="grow">
      <a class="name" href=${toDocument(one.id)}><bdi>${shown(one.filename.slice(slash))}</bdi></a>
      ${
        one.status === "FAILED"
          ? html`<button type="button" class="failure" aria-haspopup="dialog" onClick=${() => (failed.value = one)}>
              ${one.failReason}
            </button>`
          : html`<p class="hint">${about(one, shown(one.filename.slice(0, slash)))}</p>`
      }
    </div>
    ${cells(one)}
    <div class="acts">
      ${mayWrite.value && one.status === "FAILED" && html`<button type="button" class="wide" onClick=${() => retry([one])}>${t("retry")}</button>`}
      ${
        mayWrite.value &&
        html`<button type="button" class="wide" aria-label=${t("deleteNamed", { name })} onClick=${() => remove([one])}>
          ${t("delete")}
        </button>`
      }
      <${Menu} one=${one} name=${name} />
    </div>
  </article>`;
}

// What the columns say where there is room for them.
function cells(one) {
  const cell = (name, title, value) => html`<span class="column ${name}" data-title="${title}: ">${value}</span>`;
  const count = (value) => (value === undefined ? "–" : number(value));
  return [
    cell("lane", t("lane"), one.lane ? t(one.lane === "fast" ? "laneFast" : "laneHeavy") : "–"),
    html`<time class="column age" data-title="${t("age")}: " dateTime=${one.createdAt} title=${moment(one.createdAt)}>
      ${ago(one.createdAt)}
    </time>`,
    cell("size", t("size"), one.size === undefined ? "–" : bytes(one.size)),
    cell("chunks", t("passages"), count(one.chunkCount)),
    cell("pageCount", t("pageCount"), count(one.pageCount)),
    cell("tokens", t("tokens"), count(one.billedTokens)),
    cell("noteCount", t("noteCount"), count(one.notes?.length)),
  ];
}

function about(one, folder) {
  const said = [
    ago(one.createdAt),
    one.size !== undefined && bytes(one.size),
    one.chunkCount !== undefined && t("chunks", { count: one.chunkCount }),
    one.pageCount !== undefined && t("pages", { count: one.pageCount }),
    one.notes && t("notes", { count: one.notes.length }),
  ].filter(Boolean);
  return html`<span class="narrow">${said.join(" · ")}${folder && " · "}</span>${folder && html`<bdi>${folder}</bdi>`}`;
}

function Menu({ one, name }) {
  const [isOpen, setOpen] = useState(false);
  const leave = (event) => {
    if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
  };
  return html`<div class="menu" onFocusOut=${leave}>
    <button type="button" class="more" aria-expanded=${String(isOpen)} aria-label=${t("moreNamed", { name })}
      onClick=${() => setOpen(!isOpen)}>⋯</button>
    ${isOpen && html`<${Items} one=${one} name=${name} />`}
  </div>`;
}

function Items({ one, name }) {
  const content = address(`api/documents/${encodeURIComponent(one.id)}/content`).href;
  const replaced = () => chooseFile(([[, file]]) => replace(one, file));
  return html`<div>
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
  </div>`;
}

// The document whose failure somebody wants to know more of.
const failed = signal(null);

export function Failure() {
  const place = useRef(null);
  const one = failed.value;
  useEffect(() => {
    if (one) place.current.showModal();
  }, [one]);
  const close = () => place.current.close();
  const again = () => {
    close();
    retry([one]);
  };
  return html`<dialog ref=${place} class="reason" aria-label=${t("whyFailed")} onClose=${() => (failed.value = null)}>
    ${
      one &&
      html`<h2><bdi>${shown(one.filename)}</bdi></h2>
      <p>${one.failReason}</p>
      ${one.remedy && html`<p class="remedy">${one.remedy}</p>`}
      <div class="acts">
        ${mayWrite.value && html`<button type="button" onClick=${again}>${t("retry")}</button>`}
        <button type="button" onClick=${close}>${t("close")}</button>
      </div>`
    }
  </dialog>`;
}
