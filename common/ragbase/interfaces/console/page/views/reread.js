// Why a page has no marks, and what helps.
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline, post } from "../api.js";
import { mayWrite } from "../session.js";

// `again` is called when the document is being read again.
export function NoMarks({ id, isOutdated, again }) {
  const [wrong, setWrong] = useState("");
  const [isAsked, setAsked] = useState(false);
  const reread = async () => {
    setWrong("");
    setAsked(true);
    try {
      await post(`api/documents/${encodeURIComponent(id)}/reread`);
      again?.();
    } catch (error) {
      setAsked(false);
      setWrong(error instanceof Offline ? t("offline") : error.message);
    }
  };
  if (!isOutdated) return html`<p class="hint" role="status">${t("noMarks")}</p>`;
  return html`<div class="no-marks">
    <p class="hint" role="status">${t(isAsked ? "isReread" : "outdated")}</p>
    ${mayWrite.value && !isAsked && html`<button type="button" onClick=${reread}>${t("reread")}</button>`}
    ${wrong && html`<p class="wrong" role="alert">${wrong}</p>`}
  </div>`;
}
