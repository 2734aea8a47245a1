// The files on their way, and the questions that they raise.
import { html } from "../html.js";
import { bytes, shown, t } from "../words.js";
import { forgetAllUnfinished, unfinished } from "../unfinished.js";
import {
  again,
  againAll,
  cancel,
  cancelAll,
  conflicts,
  failures,
  keepAll,
  leftOut,
  open,
  progress,
  replaceAll,
  uploads,
} from "../uploads.js";

const SHOWN = 6;
// Those that somebody must look at come first.
const URGENCY = ["failed", "exists", "lost", "sending", "waiting"];

export function Uploads() {
  const rest = open.value;
  if (!rest.length) return html`<${Unfinished} />`;
  const { sent, size, done } = progress.value;
  const first = [...rest].sort((one, other) => URGENCY.indexOf(one.state) - URGENCY.indexOf(other.state));
  return html`<section class="uploads" aria-label=${t("uploads")}>
    <div class="head">
      <h2>${t("sending", { done, total: uploads.value.length })}</h2>
      <span class="hint">${t("sentOf", { sent: bytes(sent), size: bytes(size) })}</span>
      <button type="button" onClick=${cancelAll}>${t("cancelAll")}</button>
    </div>
    <progress max=${size || 1} value=${sent} aria-label=${t("sentOf", { sent: bytes(sent), size: bytes(size) })} />
    ${
      conflicts.value.length > 0 &&
      html`<div class="ask-once" role="alert">
      <p>${t("exist", { count: conflicts.value.length })}</p>
      <button type="button" class="button" onClick=${replaceAll}>${t("replace")}</button>
      <button type="button" onClick=${keepAll}>${t("keep")}</button>
    </div>`
    }
    ${
      failures.value.length > 1 &&
      html`<div class="ask-once">
      <p>${t("failedFiles", { count: failures.value.length })}</p>
      <button type="button" class="button quiet" onClick=${againAll}>${t("tryAll")}</button>
    </div>`
    }
    <ul>${first.slice(0, SHOWN).map((one) => html`<${One} key=${one.id} one=${one} />`)}</ul>
    ${rest.length > SHOWN && html`<p class="hint">${t("moreFiles", { count: rest.length - SHOWN })}</p>`}
    ${leftOut.value > 0 && html`<p class="hint">${t("leftOut", { count: leftOut.value })}</p>`}
  </section>`;
}

function One({ one }) {
  const name = shown(one.path);
  const isRed = one.state === "failed";
  const again_ = () => again(one);
  return html`<li>
    <bdi>${name}</bdi>
    ${one.state === "sending" && html`<progress max=${one.size || 1} value=${one.sent} aria-label=${name} />`}
    <span class=${isRed ? "wrong" : "hint"}>${said(one)}</span>
    ${isRed && one.canRetry && html`<button type="button" onClick=${again_}>${t("tryAgain")}</button>`}
    ${isRed && one.isDoubt && html`<button type="button" onClick=${again_}>${t("sendAnyway")}</button>`}
    <button type="button" aria-label=${t("cancelNamed", { name })} onClick=${() => cancel(one)}>×</button>
  </li>`;
}

function said(one) {
  if (one.state === "failed" || one.state === "lost") return one.why;
  if (one.state === "exists") return t("existsAlready");
  if (one.state === "waiting") return t("waiting");
  return one.why || t("sentOf", { sent: bytes(one.sent), size: bytes(one.size) });
}

// Files that a reload has cut off: the page has no hold of them any more, but their first parts have arrived.
function Unfinished() {
  const rest = unfinished.value;
  if (!rest.length) return null;
  return html`<section class="uploads" aria-label=${t("uploads")}>
    <div class="head">
      <p>${t("unfinished", { count: rest.length, name: shown(rest[0].path) })}</p>
      <button type="button" onClick=${forgetAllUnfinished}>${t("forget")}</button>
    </div>
  </section>`;
}
