import { html } from "../html.js";
import { t } from "../words.js";

export const Loading = () => html`<p class="empty" aria-busy="true">${t("loading")}</p>`;
