// Who did what: the entries of the audit log, newest first. They have ids and marks, and no text.
import { useEffect, useMemo, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { moment, shown, t } from "../words.js";
import { listing } from "../listing.js";
import { toDocument } from "../route.js";
import { Listed, Mark } from "./operate_table.js";

const PAUSE = 300;
const OUTCOMES = {
  begun: ["pending", "begun"],
  done: ["completed", "done"],
  refused: ["failed", "wasRefused"],
  failed: ["failed", "fails"],
};
const ACTIONS = [
  "document.upload", "document.replace", "document.delete", "document.retry", "document.give-text", "dead-letter.replay",
  "upload.sign", "upload.renew-key", "question.query", "question.answer", "question.explain", "session.sign-in",
  "session.sign-out", "request.refused", "key.create", "key.revoke", "access.open",
  "golden-question.keep", "golden-question.remove", "chain.begin",
];

function details({ document, details: all, request }) {
  const said = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  return html`${document && html`<a class="line" href=${toDocument(document)}>${document}</a>`}
    <span class="code">${shown([...said, request && `request=${request}`].filter(Boolean).join(" "))}</span>`;
}

const COLUMNS = [
  ["at", ({ at }) => html`<time datetime=${at}>${moment(at)}</time>`],
  ["action", ({ action }) => action],
  ["outcome", ({ outcome }) => html`<${Mark} kind=${OUTCOMES[outcome][0]} text=${t(OUTCOMES[outcome][1])} />`],
  ["who", ({ caller, address }) => html`<bdi>${shown(caller)}</bdi> <span class="line code">${shown(address)}</span>`],
  ["details", details],
];

export function Audit() {
  const entries = useMemo(() => listing("api/audit", "entries"), []);
  const [action, setAction] = useState("");
  const [caller, setCaller] = useState("");
  const parameters = { action, caller };
  useEffect(() => {
    const timer = setTimeout(() => entries.load({ parameters }), caller ? PAUSE : 0);
    return () => clearTimeout(timer);
  }, [action, caller]);
  return html`
    <p class="hint">${t("auditHint")}</p>
    <div class="tools" role="search">
      <label class="grow"><span class="unseen">${t("filterByCaller")}</span>
        <input type="search" maxlength="200" placeholder=${t("filterByCaller")} value=${caller}
          onInput=${(event) => setCaller(event.target.value)} />
      </label>
      <label><span class="unseen">${t("action")}</span>
        <select class="field" value=${action} onChange=${(event) => setAction(event.target.value)}>
          <option value="">${t("everyAction")}</option>
          ${ACTIONS.map((one) => html`<option value=${one}>${one}</option>`)}
        </select>
      </label>
    </div>
    <${Listed} of=${entries} parameters=${parameters} label=${t("auditLog")} columns=${COLUMNS}
      keyOf=${({ chain, number }) => `${chain} ${number}`} empty=${t("noEntries")} />
  `;
}
