// The frame of every view: where one can go, who is signed in, whether the server answers.
import { useEffect, useRef } from "../vendor/hooks.js";
import { arrive } from "../arrival.js";
import { html } from "../html.js";
import { LANGUAGES, choose, language, shown, t } from "../words.js";
import { offline, Refused } from "../api.js";
import { barred, mayOperate, mayRead, mayWrite, session, signOut } from "../session.js";
import { close, hold, notice, notices, release } from "../notices.js";
import { route } from "../route.js";
import { Ask } from "./ask.js";
import { Documents } from "./documents.js";
import { SignIn } from "./sign_in.js";
import { DropTarget } from "./drop_target.js";
import { Loading } from "./loading.js";
import { Wrong } from "./wrong.js";
import { later } from "./later.js";

const Operate = later(() => import("./operate.js"), "Operate");
const Document = later(() => import("./document.js"), "Document");
const Try = later(() => import("./try.js"), "Try");

const PLACES = ["ask", "try", "documents", "operate"];

export function App({ again }) {
  const known = session.value;
  const { view, id } = route.value;
  const title = t(placeOf(view));
  document.title = `${title} · ragbase`;
  useArrival(`${view}/${id}`, title, known === null);
  return html`
    <a class="skip" href="#main" onClick=${skip}>${t("skip")}</a>
    <header class="top">
      <span class="brand">ragbase</span>
      ${known?.by && html`<${Places} view=${view} />`}
      <span class="fill" />
      <${Language} />
      ${known?.signedIn && html`<${Person} />`}
      ${known?.by === "public" && html`<a class="button quiet" href="#/sign-in">${t("signIn")}</a>`}
    </header>
    <main id="main" tabindex="-1">
      ${
        known === null
          ? html`<${Unknown} again=${again} />`
          : html`<${Shown} key=${caller(known)} known=${known} view=${view} id=${id} />`
      }
    </main>
    <${DropTarget} />
    <${Notices} />
    ${offline.value && html`<p class="banner" role="alert">${t("offline")}</p>`}
  `;
}

function useArrival(place, title, isStarting) {
  const before = useRef(null);
  useEffect(() => {
    if (isStarting) return;
    if (before.current !== null && before.current !== place) arrive(place, title);
    before.current = place;
  }, [place, isStarting]);
}

// Another caller has other documents: the view begins again with theirs.
const caller = ({ by, name, tenant }) => `${by} ${name} ${tenant}`;

// The address after # is the view's, so this link must not change it.
function skip(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

function Shown({ known, view, id }) {
  if (!known.by || (view === "sign-in" && !known.signedIn)) return html`<${SignIn} />`;
  if (view === "documents" && mayRead.value)
    return id ? html`<${Document} key=${id} id=${id} />` : html`<${Documents} />`;
  if (view === "operate" && mayOperate.value) return html`<${Operate} id=${id} />`;
  return view === "try" ? html`<${Try} />` : html`<${Ask} />`;
}

function Unknown({ again }) {
  if (!barred.value) return html`<${Loading} />`;
  return html`<${Wrong} why=${barred.value} again=${again} />`;
}

const placeOf = (view) => (PLACES.includes(view) ? view : "ask");

function Places({ view }) {
  const here = placeOf(view);
  const place = (name) => html`<a href="#/${name}" aria-current=${name === here && "page"}>${t(name)}</a>`;
  return html`<nav aria-label=${t("places")}>${place("ask")}${place("try")}${mayRead.value && place("documents")}${
    mayOperate.value && place("operate")
  }</nav>`;
}

function Language() {
  return html`<label class="language">
    <span class="unseen">${t("language")}</span>
    <span class="letters" aria-hidden="true">${language.value.toUpperCase()}</span>
    <select value=${language.value} onChange=${(event) => choose(event.target.value)}>
      ${Object.entries(LANGUAGES).map(([code, name]) => html`<option value=${code} lang=${code}>${name}</option>`)}
    </select>
  </label>`;
}

function Person() {
  const { by, name, tenant } = session.value;
  const out = (options) => () => signOut(options).catch(tell);
  const leave = (event) => {
    const menu = event.currentTarget;
    if (!menu.contains(event.relatedTarget)) menu.open = false;
  };
  const shut = (event) => {
    if (event.key !== "Escape" || !event.currentTarget.open) return;
    event.currentTarget.open = false;
    event.currentTarget.firstElementChild.focus();
  };
  return html`<details class="menu" onFocusOut=${leave} onKeyDown=${shut}>
    <summary>${by === "key" ? html`<bdi>${shown(name)}</bdi>` : t("signedIn")}</summary>
    <div>
      <p>${t(mayWrite.value ? "mayChange" : "mayOnlyRead")}</p>
      ${tenant && html`<p>${t("ofTenant")} <bdi>${shown(tenant)}</bdi></p>`}
      <button type="button" onClick=${out()}>${t("signOut")}</button>
      ${
        by === "password"
          ? html`<button type="button" onClick=${out({ everywhere: true })}>${t("signOutEverywhere")}</button>`
          : html`<p>${t("keyEverywhere")}</p>`
      }
    </div>
  </details>`;
}

function tell(error) {
  if (error instanceof Refused) notice(error.message, { isBad: true });
}

function Notices() {
  return html`<section class="notices" aria-label=${t("messages")}>
    ${notices.value.map(
      (one) => html`<div key=${one.id} class=${one.isBad ? "notice bad" : "notice"}
        onPointerEnter=${() => hold(one)} onPointerLeave=${() => release(one)}
        onFocusIn=${() => hold(one)} onFocusOut=${() => release(one)}>
        <span>${one.text}</span>
        ${one.undo && html`<button type="button" onClick=${one.undo}>${one.undoText}</button>`}
        <button type="button" aria-label=${t("close")} onClick=${() => close(one)}>×</button>
      </div>`,
    )}
  </section>`;
}
