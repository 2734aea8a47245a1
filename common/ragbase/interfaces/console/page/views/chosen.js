// What can be done with the chosen documents, and the keys of the list.
import { html } from "../html.js";
import { t } from "../words.js";
import { mayWrite } from "../session.js";
import { download, remove, retry } from "../acts.js";
import { choose, chooseAll, chooseNone, chosen } from "../chosen.js";
import { visible } from "../documents.js";

export function ChosenOnes() {
  const some = chosen.value;
  const failed = some.filter((one) => one.status === "FAILED");
  return html`<div class="bulk" role="group" aria-label=${t("withChosen")} hidden=${!some.length}>
    <span role="status">${some.length > 0 && t("chosenCount", { count: some.length })}</span>
    ${
      failed.length > 0 &&
      mayWrite.value &&
      html`<button type="button" onClick=${() => retry(failed)}>${t("retryCount", { count: failed.length })}</button>`
    }
    <button type="button" onClick=${() => download(some)}>${t("download")}</button>
    ${mayWrite.value && html`<button type="button" onClick=${() => remove(some)}>${t("delete")}</button>`}
    <button type="button" aria-label=${t("chooseNone")} onClick=${chooseNone}>×</button>
  </div>`;
}

// Arrows go from one document to the next, with Shift they choose it, too. Ctrl+A chooses all, Escape none.
export function onKey(event) {
  const { target, key, shiftKey } = event;
  if (key === "Escape") return chooseNone();
  if (key === "a" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    return chooseAll();
  }
  if (key === "Delete" && chosen.value.length && mayWrite.value) return remove(chosen.value);
  const step = { ArrowDown: 1, ArrowUp: -1 }[key];
  if (!step || !target.matches(".pick")) return;
  event.preventDefault();
  const rows = visible.value;
  const next = rows[rows.findIndex((one) => one.id === target.dataset.id) + step];
  if (!next) return;
  document.querySelector(`.pick[data-id="${CSS.escape(next.id)}"]`)?.focus();
  if (shiftKey) choose(next, { isRange: true });
}
