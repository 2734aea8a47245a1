// What became of a document: the times of its life, and what it took.
import { html } from "../html.js";
import { bytes, moment, number, t } from "../words.js";

export function History({ one }) {
  const of = one.history;
  if (!of) return null;
  const steps = [
    [one.createdAt, "historyAdded"],
    [of.replacedAt, "historyReplaced"],
    [of.waitingSince, "historyWaiting"],
    [one.updatedAt, "historyChanged"],
  ].filter(([time]) => time);
  steps.sort(([some], [other]) => new Date(some) - new Date(other));
  const figures = [
    ["historyFile", [of.format, one.size !== undefined && bytes(one.size)].filter(Boolean).join(", ")],
    ["historyLane", one.lane],
    ["historyVersions", number(of.versions)],
    ["historyAttempts", number(of.attempts)],
    ["historyGeneration", of.generation],
    ["historyShown", of.shownGeneration],
    ["historyTexts", number(of.embeddedTexts)],
    ["historyTokens", number(one.billedTokens ?? 0)],
  ].filter(([, value]) => value !== undefined);
  const step = ([time, what]) => html`<li><time dateTime=${time}>${moment(time)}</time> ${t(what)}</li>`;
  return html`<details class="history">
    <summary>${t("history")}</summary>
    <div>
      <ol>${steps.map(step)}</ol>
      <dl>${figures.map(([name, value]) => html`<div><dt>${t(name)}</dt><dd>${value}</dd></div>`)}</dl>
    </div>
  </details>`;
}
