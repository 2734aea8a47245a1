// Operate: what the operator sees of the deployment as a whole, and does. A section is loaded when somebody opens it.
import { html } from "../html.js";
import { t } from "../words.js";
import { later } from "./later.js";

const SECTIONS = {
  health: ["health", later(() => import("./operate_health.js"), "Health")],
  "dead-letters": ["deadLetters", later(() => import("./operate_dead_letters.js"), "DeadLetters")],
  keys: ["keys", later(() => import("./operate_keys.js"), "Keys")],
  sources: ["scheduledSources", later(() => import("./operate_sources.js"), "Sources")],
  reconcile: ["reconcile", later(() => import("./operate_reconcile.js"), "Reconcile")],
  audit: ["auditLog", later(() => import("./operate_audit.js"), "Audit")],
  rate: ["rateBook", later(() => import("./operate_rate.js"), "RateBook")],
  tenants: ["tenants", later(() => import("./operate_tenants.js"), "Tenants")],
};

export function Operate({ id }) {
  const here = Object.hasOwn(SECTIONS, id) ? id : "health";
  const [title, Section] = SECTIONS[here];
  const link = ([name, [said]]) => html`<a href="#/operate/${name}" aria-current=${name === here && "page"}>${t(said)}</a>`;
  return html`<div class="operate">
    <div>
      <h1>${t("operate")}</h1>
      <nav aria-label=${t("sections")}>${Object.entries(SECTIONS).map(link)}</nav>
    </div>
    <section aria-labelledby="section">
      <h2 id="section" tabindex="-1">${t(title)}</h2>
      <${Section} key=${here} />
    </section>
  </div>`;
}
