// What the documents do not say of a question, and the passages that are on its subject.
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { mayRead } from "../session.js";
import { toPlace } from "../places.js";
import { where } from "./where.js";

// Of a question with several parts, those that have no answer.
export function Missing({ one }) {
  const { parts = [], missing, text } = one.end;
  const open = parts.filter((part) => !part.covered);
  const said = open.map((part) => part.missing?.text ?? t("notCovered", { part: part.text }));
  // An answer without sentences has said it already.
  if (missing && missing.text !== text) said.push(missing.text);
  return html`
    ${said.length > 0 && html`<ul class="said">${said.map((line) => html`<li dir="auto">${line}</li>`)}</ul>`}
    ${(missing || open.length > 0) && !one.sentences.length && one.evidence.length > 0 && html`<${Passages} of=${one.evidence} />`}
  `;
}

function Passages({ of }) {
  const passage = (one) => {
    const name = html`<bdi>${shown(one.filename)}</bdi>`;
    return html`<li>
      ${mayRead.value ? html`<a href=${toPlace({ ...one, text: one.content })}>${name}</a>` : name}
      ${" "}<span class="hint">${where(one.metadata)}</span>
      <p class="excerpt" dir="auto">${one.content}</p>
    </li>`;
  };
  return html`<section class="nearest">
    <h2>${t("onSubject")}</h2>
    <ul>${of.map(passage)}</ul>
  </section>`;
}
