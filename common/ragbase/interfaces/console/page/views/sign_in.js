// One field for the password or a key.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline } from "../api.js";
import { isOver, signIn } from "../session.js";

export function SignIn() {
  const field = useRef(null);
  const [wrong, setWrong] = useState("");
  const [isBusy, setBusy] = useState(false);
  useEffect(() => field.current.focus({ preventScroll: true }), []);

  async function submit(event) {
    event.preventDefault();
    setBusy(true);
    setWrong("");
    try {
      await signIn(event.target.secret.value);
      if (location.hash.startsWith("#/sign-in")) location.hash = "#/ask";
    } catch (error) {
      setWrong(error instanceof Offline ? t("offline") : error.status === 401 ? t("wrongSecret") : error.message);
    } finally {
      setBusy(false);
    }
  }

  return html`<form class="sign-in" onSubmit=${submit}>
    <h1>${t("signIn")}</h1>
    ${isOver.value && html`<p class="hint" role="alert">${t("isOver")}</p>`}
    <label for="secret">${t("secret")}</label>
    <input ref=${field} id="secret" name="secret" type="password" autocomplete="current-password" required
      aria-invalid=${wrong ? "true" : undefined} aria-describedby="secret-said" />
    ${
      wrong
        ? html`<p id="secret-said" class="wrong" role="alert">${wrong}</p>`
        : html`<p id="secret-said" class="hint">${t("secretHint")}</p>`
    }
    <button class="button" disabled=${isBusy}>${t("signIn")}</button>
  </form>`;
}
