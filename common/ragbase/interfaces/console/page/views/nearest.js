// A refusal says what was nearest, and by how much it fell short.
import { html } from "../html.js";
import { score, shown, t } from "../words.js";
import { mayRead } from "../session.js";
import { toDocument } from "../route.js";
import { Bar } from "./bar.js";
import { where } from "./where.js";

export function Nearest({ one }) {
  const { threshold } = one;
  const words = (list) => ({ words: list.map(shown).join(", ") });
  const passage = (near) => {
    const figures = { score: score(near.score), threshold: score(threshold), by: score(threshold - near.score) };
    const name = html`<bdi>${shown(near.filename)}</bdi>`;
    return html`<li>
      ${mayRead.value ? html`<a href=${toDocument(near.documentId)}>${name}</a>` : name}
      ${" "}<span class="hint">${where(near.metadata)}</span>
      <${Bar} value=${near.score} threshold=${threshold} />
      <p class="hint">${t("short", figures)} ${near.lacks.length > 0 && t("nearLacks", words(near.lacks))}</p>
    </li>`;
  };
  return html`<section class="nearest">
    <h2>${t("nearest")}</h2>
    <ul>${one.passages.map(passage)}</ul>
    ${one.unknown.length > 0 && html`<p class="hint">${t("unknown", words(one.unknown))}</p>`}
  </section>`;
}
