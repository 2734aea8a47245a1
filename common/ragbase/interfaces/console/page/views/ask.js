// A question, its answer sentence by sentence, and the source of each beside it.
import { useEffect, useLayoutEffect, useRef } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { filterIn, toAsk } from "../filters.js";
import { route } from "../route.js";
import { ask, chosen, choose, citations, closeSource, conversation, isAsked, isRunning, stop } from "../answer.js";
import { Answer } from "./answer.js";
import { Filters } from "./filters.js";
import { FollowUp } from "./follow_up.js";
import { Source } from "./source.js";

const MOST = 1000;

export function Ask() {
  const { question, filter } = wantedHere();
  // Before anybody sees the answers to another conversation below this question.
  useLayoutEffect(() => {
    if (question && !isAsked(question, filter)) ask(question, filter);
  }, [question, JSON.stringify(filter)]);
  useEffect(() => {
    addEventListener("keydown", walk);
    return () => removeEventListener("keydown", walk);
  }, []);
  const answers = question && conversation.value[0]?.question === question ? conversation.value : [];
  const cited = answers.length > 0 && citations.value[chosen.value.index];
  const change = (other) => (location.hash = toAsk(question, other));
  return html`<div class=${cited ? "ask with-source" : "ask"}>
    <section class="asked" aria-label=${t("ask")}>
      <h1 class=${question ? "unseen" : ""}>${t("askTitle")}</h1>
      <div>
        <${Question} asked=${question} filter=${filter} />
        <${Filters} filter=${filter} onChange=${change} />
      </div>
      ${answers.map((one, index) => html`<${Answer} key=${`${index} ${one.question}`} one=${one} index=${index} />`)}
      ${answers.length > 0 && !isRunning.value && html`<${FollowUp} filter=${filter} />`}
      ${!question && html`<p class="hint">${t("askHint")}</p>`}
    </section>
    ${cited && html`<${Source} one=${cited} />`}
  </div>`;
}

// The address says how the conversation begins. Without anything, it is the last one.
function wantedHere() {
  const { query } = route.value;
  if (![...query].length && conversation.value.length) return conversation.value[0];
  return { question: query.get("q") ?? "", filter: filterIn(query) };
}

// n and p walk the citations, Escape closes the source or stops the answer. A letter that somebody types is none of
// these.
function walk(event) {
  if (event.target.closest("input, textarea, select") || event.ctrlKey || event.metaKey || event.altKey) return;
  const { index } = chosen.value;
  if (event.key === "n") choose(index + 1);
  else if (event.key === "p") choose(index < 0 ? -1 : index - 1);
  else if (event.key === "Escape" && index >= 0) closeSource();
  else if (event.key === "Escape") stop();
}

function Question({ asked, filter }) {
  const field = useRef(null);
  // Before anybody types.
  useLayoutEffect(() => {
    field.current.value = asked;
    if (!asked) field.current.focus({ preventScroll: true });
  }, [asked]);
  const submit = (event) => {
    event.preventDefault();
    const question = field.current.value.trim();
    if (!question) return;
    if (question === asked) ask(question, filter);
    else location.hash = toAsk(question, filter);
  };
  return html`<form class="question" onSubmit=${submit} role="search">
    <label class="grow"
      ><span class="unseen">${t("question")}</span>
      <input ref=${field} type="search" enterkeyhint="search" maxlength=${MOST} placeholder=${t("question")} />
    </label>
    ${
      isRunning.value && conversation.value.length === 1 // Two elements: with one, a click would stop the answer, and then ask again.
        ? html`<button key="stop" type="button" class="button quiet" onClick=${stop}>${t("stop")}</button>`
        : html`<button key="ask" class="button">${t("ask")}</button>`
    }
  </form>`;
}
