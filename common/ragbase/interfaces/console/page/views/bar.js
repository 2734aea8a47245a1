// A score from 0 to 1 as a bar, with the threshold on it if there is one. Words beside it say the same.
import { html } from "../html.js";

const WIDE = 200;

export const Bar = ({ value, threshold = null }) =>
  html`<svg
    class=${value >= (threshold ?? 0) ? "bar enough" : "bar"}
    viewBox="0 0 ${WIDE} 6"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    <rect class="track" y="1" width=${WIDE} height="4" />
    <rect class="value" y="1" width=${WIDE * value} height="4" />
    ${threshold !== null && html`<rect class="threshold" x=${WIDE * threshold - 0.75} width="1.5" height="6" />`}
  </svg>`;
