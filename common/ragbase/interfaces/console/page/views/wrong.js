// What went wrong, and the way to try it again.
import { html } from "../html.js";
import { t } from "../words.js";

export function Wrong({ why, again }) {
  return html`<div class="empty" role="alert">
    <p>${why}</p>
    <button type="button" class="button" onClick=${again}>${t("tryAgain")}</button>
  </div>`;
}
