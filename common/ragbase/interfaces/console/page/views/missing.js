// What the documents do not say of a question, and the passages that are on its subject.
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { mayRead } from "../session.js";
import { toPlace } from "../places.js";
import { where } from "./where.js";

export function Missing({ one }) {
  const { parts, missing, text, answered } = one.end;
  // Without an answer, its text was shown, which says it already.
  const isSaid = !missing || (!answered && text.includes(missing.text));
  const isShort = missing || parts?.some((part) => !part.covered);
  return html`
    <${NotSaid} parts=${parts} text=${!isSaid && missing.text} />
    ${isShort && !one.sentences.length && one.evidence.length > 0 && html`<${Passages} of=${one.evidence} />`}
  `;
}

// The parts of a question that have no answer, and one text more, if there is one.
export function NotSaid({ parts = [], text }) {
  const open = parts.filter((part) => !part.covered);
  const said = open.map((part) => part.missing?.text ?? t(part.searched === false ? "notSearched" : "notCovered", { part: part.text }));
  if (text) said.push(text);
  return said.length > 0 && html`<ul class="said">${said.map((line) => html`<li dir="auto">${line}</li>`)}</ul>`;
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
