// What is said of a passage: its number, the headings above it, and from where to where it goes in the text.
import { html } from "../html.js";
import { number, shown, t } from "../words.js";

// `chosen` is the number of the passage that stays lit.
export function About({ one, isChosen, choose }) {
  const { heading, row, charStart, charEnd } = one.metadata;
  const place = t("characters", { from: number(charStart), to: number(charEnd) });
  return html`
    <button type="button" class="plain" aria-pressed=${String(isChosen)} onClick=${choose}>
      ${t("passage", { number: one.chunkIndex + 1 })}
    </button>
    ${heading && html`<p class="path"><bdi>${shown(heading)}</bdi></p>`}
    <p class="hint">${row !== undefined && `${t("row", { number: row })} · `}${place}</p>
  `;
}

// The handlers of an element that is a passage: while somebody points at it or is in it, it is lit.
export const lights = (lit, index) => ({
  onPointerEnter: () => (lit.value = index),
  onPointerLeave: () => (lit.value = -1),
  onFocusIn: () => (lit.value = index),
  onFocusOut: () => (lit.value = -1),
});
