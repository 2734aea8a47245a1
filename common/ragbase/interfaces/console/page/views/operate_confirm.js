// Asks before something is done that cannot be taken back. The browser keeps the keyboard inside, and Escape closes it.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline } from "../api.js";

// `act` does it, and `done` is called when the dialog is over, with whether it was done.
export function Confirm({ question, about, verb, act, done }) {
  const dialog = useRef(null);
  const isDone = useRef(false);
  const [state, setState] = useState({ isBusy: false, wrong: "" });
  useEffect(() => dialog.current.showModal(), []);
  const submit = async (event) => {
    event.preventDefault();
    setState({ isBusy: true, wrong: "" });
    try {
      await act();
      isDone.current = true;
      dialog.current.close(); // then the browser gives the keyboard back to where it was
    } catch (error) {
      setState({ isBusy: false, wrong: error instanceof Offline ? t("offline") : error.message });
    }
  };
  return html`<dialog ref=${dialog} class="dialog" aria-labelledby="asked" onClose=${() => done(isDone.current)}>
    <form onSubmit=${submit}>
      <h3 id="asked">${question}</h3>
      <p>${about}</p>
      ${state.wrong && html`<p class="wrong" role="alert">${state.wrong}</p>`}
      <div class="answers">
        <button type="button" class="button quiet" onClick=${() => dialog.current.close()}>${t("cancel")}</button>
        <button class="button" disabled=${state.isBusy}>${verb}</button>
      </div>
    </form>
  </dialog>`;
}
