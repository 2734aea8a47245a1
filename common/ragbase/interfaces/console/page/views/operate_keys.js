// The API keys: who may do what, for how long, and what was used today; make one, revoke one.
import { useEffect, useMemo, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { ago, bytes, number, shown, t } from "../words.js";
import { send } from "../api.js";
import { listing } from "../listing.js";
import { notice } from "../notices.js";
import { Confirm } from "./operate_confirm.js";
import { NewKey } from "./operate_new_key.js";
import { Listed, Mark, Time } from "./operate_table.js";

const SOON = 14 * 86_400_000;

export function Keys() {
  const keys = useMemo(() => listing("api/keys", "keys"), []);
  const [asked, setAsked] = useState(null);
  const [isMaking, setMaking] = useState(false);
  useEffect(() => void keys.load(), []);
  const revoke = async () => {
    await send("DELETE", `api/keys/${encodeURIComponent(asked.id)}`);
    notice(t("keyRevoked", { name: shown(asked.name) }));
  };
  const over = (isDone) => {
    setAsked(null);
    if (!isDone) return;
    document.getElementById("section").focus(); // the button that asked goes with its row
    keys.load();
  };
  const columns = [
    ["name", ({ id, name }) => html`<bdi>${shown(name)}</bdi> <span class="code">${id}</span>`],
    ["mayDo", ({ scopes }) => scopes.map((scope) => t(SCOPES[scope])).join(", ")],
    ["reaches", reaches],
    ["usedToday", used],
    ["lastUse", ({ usedAt }) => (usedAt ? html`<${Time} at=${usedAt} />` : t("never"))],
    ["ends", ends],
    [
      "action",
      (one) => html`<button type="button" aria-label=${t("revokeNamed", { name: shown(one.name) })}
        onClick=${() => setAsked(one)}>${t("revoke")}</button>`,
    ],
  ];
  return html`
    <div class="tools">
      <p class="hint grow">${t("keysHint")}</p>
      ${!isMaking && html`<button type="button" class="button" onClick=${() => setMaking(true)}>${t("makeKey")}</button>`}
    </div>
    ${isMaking && html`<${NewKey} changed=${() => keys.load()} done=${() => setMaking(false)} />`}
    <${Listed} of=${keys} label=${t("keys")} columns=${columns} keyOf=${({ id }) => id} empty=${t("noKeys")} />
    ${
      asked &&
      html`<${Confirm} question=${t("revokeAsked", { name: shown(asked.name) })} about=${t("revokeAbout")}
        verb=${t("revoke")} act=${revoke} done=${over} />`
    }
  `;
}

export const SCOPES = { read: "scopeRead", write: "scopeWrite", extract: "scopeExtract" };
export const LIMITS = { requests: "limitRequests", uploads: "limitUploads", bytes: "limitBytes", tokens: "limitTokens" };

function reaches({ tenant, prefixes = [], origins = [] }) {
  const places = prefixes.length ? prefixes : tenant === undefined ? [t("allDocuments")] : [`${tenant}/`];
  return html`${places.map((place) => html`<bdi class="line">${shown(place)}</bdi>`)}
    ${origins.map((origin) => html`<bdi class="line code">${shown(origin)}</bdi>`)}`;
}

export const limitsUsed = (limits) =>
  Object.entries(limits).map(([what, { limit, used: count }]) => {
    const [some, most] = [count, limit].map(what === "bytes" ? bytes : number);
    return html`<span class="line">${t("usedOf", { what: t(LIMITS[what]), some, most })}</span>`;
  });

function used({ limits = {} }) {
  const said = limitsUsed(limits);
  return said.length ? said : t("noLimits");
}

function ends({ expiresAt }) {
  if (expiresAt === undefined) return t("never");
  const left = new Date(expiresAt) - Date.now();
  if (left <= 0) return html`<${Mark} kind="failed" text=${t("keyIsOver")} />`;
  return left < SOON ? html`<${Mark} kind="processing still" text=${ago(expiresAt)} />` : html`<${Time} at=${expiresAt} />`;
}
