// The tenants: what each has, and what its keys used of its limits today.
import { useEffect, useMemo } from "../vendor/hooks.js";
import { html } from "../html.js";
import { number, shown, t } from "../words.js";
import { listing } from "../listing.js";
import { Listed } from "./operate_table.js";
import { limitsUsed } from "./operate_keys.js";

const COLUMNS = [
  ["tenant", ({ tenant }) => html`<bdi>${tenant ? shown(tenant) : t("noFolder")}</bdi>`],
  ["documents", ({ documents }) => number(documents)],
  ["FAILED", ({ failed }) => number(failed)],
  ["usedToday", ({ limits }) => (limits ? limitsUsed(limits) : t("noLimits"))],
];

export function Tenants() {
  const tenants = useMemo(() => listing("api/tenants", "tenants"), []);
  useEffect(() => void tenants.load(), []);
  return html`
    <p class="hint">${t("tenantsHint")}</p>
    <${Listed} of=${tenants} label=${t("tenants")} columns=${COLUMNS} keyOf=${({ tenant }) => tenant} empty=${t("noTenants")} />
  `;
}
