// Below a conversation: the next question, or another conversation.
import { useRef } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { toAsk } from "../filters.js";
import { follow, forget } from "../answer.js";

const MOST = 1000;

export function FollowUp({ filter }) {
  const field = useRef(null);
  const submit = (event) => {
    event.preventDefault();
    const question = field.current.value.trim();
    if (question) follow(question);
  };
  const begin = () => {
    forget();
    location.hash = filter.length ? toAsk("", filter) : "#/ask";
  };
  return html`<form class="question follow-up" onSubmit=${submit} aria-label=${t("followUp")}>
    <label class="grow"
      ><span class="unseen">${t("followUp")}</span>
      <input ref=${field} type="search" enterkeyhint="search" maxlength=${MOST} placeholder=${t("followUp")} />
    </label>
    <button class="button" aria-label=${t("followUp")}>${t("ask")}</button>
    <button type="button" class="button quiet" onClick=${begin}>${t("newConversation")}</button>
  </form>`;
}
