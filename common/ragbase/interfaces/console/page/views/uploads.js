// The files on their way, and the questions that they raise.
import { html } from "../html.js";
import { bytes, shown, t } from "../words.js";
import {
  again,
  cancel,
  cancelAll,
  conflicts,
  isTooLarge,
  keepAll,
  open,
  progress,
  replaceAll,
  uploads,
} from "../uploads.js";

const SHOWN = 6;

export function Uploads() {
  const rest = open.value;
  if (!rest.length) return null;
  const { sent, size, done } = progress.value;
  return html`<section class="uploads" aria-label=${t("uploads")}>
    <div class="head">
      <h2>${t("sending", { done, total: uploads.value.length })}</h2>
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
    <ul>${rest.slice(0, SHOWN).map((one) => html`<${One} key=${one.id} one=${one} />`)}</ul>
    ${rest.length > SHOWN && html`<p class="hint">${t("moreFiles", { count: rest.length - SHOWN })}</p>`}
  </section>`;
}

function One({ one }) {
  const name = shown(one.path);
  const canTryAgain = one.state === "failed" && !isTooLarge(one);
  return html`<li>
    <bdi>${name}</bdi>
    <span class=${one.state === "failed" ? "wrong" : "hint"}>${said(one)}</span>
    ${canTryAgain && html`<button type="button" onClick=${() => again(one)}>${t("tryAgain")}</button>`}
    <button type="button" aria-label=${t("cancelNamed", { name })} onClick=${() => cancel(one)}>×</button>
  </li>`;
}

function said(one) {
  if (one.state === "failed") return one.why;
  if (one.state === "exists") return t("existsAlready");
  return one.state === "waiting" ? t("waiting") : t("sentOf", { sent: bytes(one.sent), size: bytes(one.size) });
}
