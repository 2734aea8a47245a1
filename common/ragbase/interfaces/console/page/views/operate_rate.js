// The rate book: how much of the embedding service's rate is used now.
import { useEffect, useMemo } from "../vendor/hooks.js";
import { html } from "../html.js";
import { ago, number, t } from "../words.js";
import { listing } from "../listing.js";
import { Facts, Told } from "./operate_table.js";

function show({ rate }) {
  if (!rate) return html`<p class="empty">${t("noRate")}</p>`;
  const { service, documents, queries, sent, booked, closedUntil } = rate;
  return html`
    ${closedUntil && html`<p class="wrong" role="alert">${t("rateClosed", { service, time: ago(closedUntil) })}</p>`}
    <label class="used">${t("sentLastMinute", { sent, documents })}
      <meter max=${documents} value=${Math.min(sent, documents)} />
    </label>
    <${Facts} facts=${[
      [t("service"), service],
      [t("bookedAhead"), number(booked)],
      [t("keptForQuestions"), number(queries)],
    ]} />
  `;
}

export function RateBook() {
  const rate = useMemo(() => listing("api/rate", "none"), []);
  useEffect(() => void rate.load(), []);
  return html`
    <div class="tools">
      <p class="hint grow">${t("rateHint")}</p>
      <button type="button" class="button quiet" disabled=${rate.state.value.isLoading} onClick=${() => rate.load()}>${t("lookAgain")}</button>
    </div>
    <${Told} of=${rate} show=${show} />
  `;
}
