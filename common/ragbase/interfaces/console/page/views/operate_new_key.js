// Make an API key. Its secret is in one answer, and on the page until somebody closes it; it is kept nowhere.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline, address, post } from "../api.js";
import { say } from "../notices.js";
import { LIMITS, SCOPES } from "./operate_keys.js";

const DAYS = ["", "30", "90", "365", "never"];

export function NewKey({ changed, done }) {
  const name = useRef(null);
  const [made, setMade] = useState(null);
  const [state, setState] = useState({ isBusy: false, wrong: "" });
  useEffect(() => name.current.focus(), []);
  const submit = async (event) => {
    event.preventDefault();
    setState({ isBusy: true, wrong: "" });
    try {
      setMade(await post("api/keys", wanted(new FormData(event.target))));
      changed();
    } catch (error) {
      setState({ isBusy: false, wrong: error instanceof Offline ? t("offline") : error.message });
    }
  };
  if (made) return html`<${Made} secret=${made.key} origins=${made.origins ?? []} done=${done} />`;
  return html`<form class="new-key" aria-label=${t("makeKey")} onSubmit=${submit}>
    <label>${t("name")}<input ref=${name} name="name" required maxlength="100" autocomplete="off" /></label>
    <fieldset>
      <legend>${t("mayDo")}</legend>
      ${Object.entries(SCOPES).map(
        ([scope, said]) => html`<label class="check"><input type="checkbox" name="scopes" value=${scope}
          checked=${scope === "read"} />${t(said)}</label>`,
      )}
    </fieldset>
    <div class="fields">
      <label>${t("keyTenant")}<input name="tenant" autocomplete="off" placeholder=${t("allTenants")} /></label>
      <label>${t("keyFolders")}<input name="prefixes" autocomplete="off" placeholder="finance/, hr/2026/" /></label>
      <label>${t("keyOrigins")}<input name="origins" autocomplete="off" placeholder="https://…" /></label>
      <label>${t("ends")}<select name="expires">
        ${DAYS.map((days) => html`<option value=${days}>${ending(days)}</option>`)}
      </select></label>
    </div>
    <details>
      <summary>${t("limitsADay")}</summary>
      <div class="fields">${Object.entries(LIMITS).map(
        ([what, said]) => html`<label>${t(said)}<input name=${what} type="number" min="1" max="9007199254740991"
          inputmode="numeric" placeholder=${t("noLimits")} /></label>`,
      )}</div>
    </details>
    ${state.wrong && html`<p class="wrong" role="alert">${state.wrong}</p>`}
    <div class="answers">
      <button type="button" class="button quiet" onClick=${done}>${t("cancel")}</button>
      <button class="button" disabled=${state.isBusy}>${t("makeKey")}</button>
    </div>
  </form>`;
}

function ending(days) {
  if (days === "never") return t("never");
  return days ? t("inDays", { count: Number(days) }) : t("asSet");
}

// What the form says, without what is left out.
function wanted(form) {
  const text = (name) => form.get(name).trim();
  const limits = Object.keys(LIMITS).flatMap((what) => (text(what) ? [[what, Number(text(what))]] : []));
  const expires = text("expires");
  const list = (name) => text(name).split(",").map((one) => one.trim()).filter(Boolean);
  return {
    name: text("name"),
    scopes: form.getAll("scopes"),
    ...(text("tenant") && { tenant: text("tenant") }),
    prefixes: list("prefixes"),
    origins: list("origins"),
    ...(expires && { expires: expires === "never" ? expires : Number(expires) }),
    ...(limits.length && { limits: Object.fromEntries(limits) }),
  };
}

// What a page has, so that its visitors can ask. It is text for somebody to copy.
const tags = (key) =>
  `<script type="module" src="${address("ragbase-ask.js")}"></script>\n<ragbase-ask key="${key}"></ragbase-ask>`;

function Made({ secret, origins, done }) {
  const field = useRef(null);
  const [isCopied, setCopied] = useState(false);
  useEffect(() => field.current.select(), []);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(secret);
      setCopied(true);
      say(t("keyCopied"));
    } catch {
      field.current.select(); // without TLS, a browser lets nothing but the keyboard copy
    }
  };
  return html`<div class="new-key" role="group" aria-labelledby="made">
    <h3 id="made">${t("keyMade")}</h3>
    <p>${t("keyOnce")}</p>
    <div class="question">
      <input ref=${field} class="secret" readonly aria-label=${t("key")} value=${secret} spellcheck="false" />
      <button type="button" class="button" onClick=${copy}>${t(isCopied ? "isCopied" : "copyKey")}</button>
    </div>
    ${
      origins.length > 0 &&
      html`<label>${t("keyTags")}<textarea class="secret" readonly rows="4" spellcheck="false" value=${tags(secret)} /></label>`
    }
    <div class="answers"><button type="button" class="button quiet" onClick=${done}>${t("close")}</button></div>
  </div>`;
}
