// The one table of all sections of Operate. On a narrow screen, each row is a card whose cells name themselves.
import { html } from "../html.js";
import { ago, moment, t } from "../words.js";
import { Loading } from "./loading.js";
import { Wrong } from "./wrong.js";

// A column is [the name of its title, what it shows of a row]. A cell is an element or a text.
export function Table({ label, columns, rows, keyOf }) {
  return html`<table class="cards" role="table" aria-label=${label}>
    <thead role="rowgroup"><tr role="row">
      ${columns.map(([title]) => html`<th scope="col" role="columnheader">${t(title)}</th>`)}
    </tr></thead>
    <tbody role="rowgroup">${rows.map(
      (row) => html`<tr key=${keyOf(row)} role="row">
        ${columns.map(([title, cell]) => html`<td role="cell" data-label=${t(title)}><div>${cell(row)}</div></td>`)}
      </tr>`,
    )}</tbody>
  </table>`;
}

// A list of the server as a table: loading, wrong, empty, or rows with a way to more of them.
export function Listed({ of, parameters, empty, ...table }) {
  const { rows, next, isLoading, error } = of.state.value;
  const again = () => of.load({ parameters });
  return html`
    ${error && html`<${Wrong} why=${error} again=${again} />`}
    ${isLoading && !rows.length && html`<${Loading} />`}
    ${!isLoading && !error && !rows.length && html`<p class="empty">${empty}</p>`}
    ${rows.length > 0 && html`<${Table} rows=${rows} ...${table} />`}
    ${
      next &&
      html`<button type="button" class="button quiet" disabled=${isLoading}
        onClick=${() => of.load({ parameters, next })}>${t("showMore")}</button>`
    }
  `;
}

// One answer of the server that is no list: loading, wrong, or what `show` makes of it.
export function Told({ of, show }) {
  const { said, isLoading, error } = of.state.value;
  if (error) return html`<${Wrong} why=${error} again=${() => of.load()} />`;
  return said === null || isLoading ? html`<${Loading} />` : show(said);
}

// Facts, each with its name.
export const Facts = ({ facts }) => html`<dl class="named">
  ${facts.map(([title, fact]) => html`<div><dt>${title}</dt><dd>${fact}</dd></div>`)}
</dl>`;

export const Time = ({ at }) => html`<time datetime=${at} title=${moment(at)}>${ago(at)}</time>`;

// A word and a shape: the colour alone says nothing.
export const Mark = ({ kind, text }) => html`<span class="status ${kind}">${text}</span>`;
