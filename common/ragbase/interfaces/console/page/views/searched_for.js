// What a follow-up was completed to. Who means something else corrects it, and asks again.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { correct, isRunning } from "../answer.js";

const MOST = 1000;

export function SearchedFor({ text, index }) {
  const [isEdited, setEdited] = useState(false);
  const [field, chip, wasEdited] = [useRef(null), useRef(null), useRef(false)];
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
    if (wasEdited.current) chip.current?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  if (!isEdited)
    return html`<p class="chips">
      <button ref=${chip} type="button" class="chip on" disabled=${isRunning.value} title=${t("correct")} onClick=${() => setEdited(true)}>
        <span class="kind">${t("searchedFor")}</span><bdi>${shown(text)}</bdi><span aria-hidden="true">✎</span>
      </button>
    </p>`;
  const submit = (event) => {
    event.preventDefault();
    if (field.current.value.trim()) correct(index, field.current.value.trim());
  };
  const leave = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    setEdited(false);
  };
  return html`<form class="question" onSubmit=${submit} onKeyDown=${leave} aria-label=${t("correct")}>
    <label class="grow"
      ><span class="unseen">${t("correct")}</span>
      <input ref=${field} type="text" enterkeyhint="search" maxlength=${MOST} value=${text} />
    </label>
    <button class="button quiet">${t("askAgain")}</button>
  </form>`;
}
