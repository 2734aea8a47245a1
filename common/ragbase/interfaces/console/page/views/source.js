// The source of a citation beside the answer, with the cited letters in view.
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { mayRead } from "../session.js";
import { toPlace } from "../places.js";
import { chosen, choose, closeSource } from "../answer.js";
import { Cited } from "./cited.js";
import { where } from "./where.js";

export function Source({ one }) {
  const { index, turn } = chosen.value;
  const name = html`<bdi>${shown(one.filename)}</bdi>`;
  return html`<aside class="source" aria-label=${t("source")}>
    <div class="head">
      <h2>
        <span class="number">${index + 1}</span>
        ${mayRead.value ? html`<a href=${toPlace(one)}>${name}</a>` : name}
      </h2>
      <button type="button" aria-label=${t("previous")} title="p" onClick=${() => choose(index - 1)}>‹</button>
      <button type="button" aria-label=${t("next")} title="n" onClick=${() => choose(index + 1)}>›</button>
      <button type="button" aria-label=${t("close")} onClick=${closeSource}>×</button>
    </div>
    <p class="hint">${where(one.metadata)}</p>
    ${
      mayRead.value
        ? html`<${Cited} citation=${one} turn=${turn} />`
        : html`<blockquote class="text"><mark>${one.text}</mark></blockquote>`
    }
  </aside>`;
}
