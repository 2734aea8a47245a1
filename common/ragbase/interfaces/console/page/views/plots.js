// Plots of evaluations as SVG. A table beside them has the same figures.
import { html } from "../html.js";
import { day, moment, number, percent, score, t } from "../words.js";

const WIDE = 380;
const HIGH = 190;
const LEFT = 34;
const RIGHT = 72;
const TOP = 12;
const BOTTOM = 26;
const GRID = [0, 0.25, 0.5, 0.75, 1];

const y = (share) => TOP + (1 - share) * (HIGH - TOP - BOTTOM);

// The share of hits and the mean reciprocal rank of each run. The lines differ in their dashes and points, too.
export function Lines({ runs }) {
  const x = (index) =>
    runs.length === 1 ? (LEFT + WIDE - RIGHT) / 2 : LEFT + (index * (WIDE - LEFT - RIGHT)) / (runs.length - 1);
  const last = runs.at(-1);
  const series = [
    { name: "hitRate", value: (one) => one.hitRate, write: percent },
    { name: "mrr", value: (one) => one.mrr, write: score },
  ];
  const ends = apart(series.map(({ value }) => y(value(last))));
  const label = series.map(({ name, value, write }) => `${t(name)}: ${write(value(last))}`).join(", ");
  return html`<svg class="plot" viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label=${t("plotOf", { what: t("runsPlot"), last: label })}>
    ${GRID.map(
      (share) => html`<line class="grid" x1=${LEFT} x2=${WIDE - RIGHT} y1=${y(share)} y2=${y(share)} />
        <text class="tick end" x=${LEFT - 6} y=${y(share) + 4}>${percent(share)}</text>`,
    )}
    ${series.map(
      ({ name, value, write }, at) => html`<g class=${`line ${name}`}>
        <polyline points=${runs.map((one, index) => `${x(index)},${y(value(one))}`).join(" ")} />
        ${runs.map((one, index) => html`<${Point} shape=${at} x=${x(index)} y=${y(value(one))} title=${`${t(name)} ${write(value(one))} · ${moment(one.at)}`} />`)}
        <text class="name" x=${WIDE - RIGHT + 8} y=${ends[at] + 4}>${t(name)} ${write(value(last))}</text>
      </g>`,
    )}
    <text class="tick" x=${LEFT} y=${HIGH - 6}>${day(runs[0].at)}</text>
    ${runs.length > 1 && html`<text class="tick end" x=${WIDE - RIGHT} y=${HIGH - 6}>${day(last.at)}</text>`}
  </svg>`;
}

function Point({ shape, x, y: at, title }) {
  const said = html`<title>${title}</title>`;
  return shape
    ? html`<rect x=${x - 3} y=${at - 3} width="6" height="6">${said}</rect>`
    : html`<circle cx=${x} cy=${at} r="3.5">${said}</circle>`;
}

// Labels that would stand on each other stand side by side.
function apart([one, other]) {
  const LINE = 15;
  if (Math.abs(one - other) >= LINE) return [one, other];
  const middle = (one + other) / 2;
  return one <= other ? [middle - LINE / 2, middle + LINE / 2] : [middle + LINE / 2, middle - LINE / 2];
}

// On which rank the first answer of each question stands.
export function RankBars({ run }) {
  const rows = RankBars.rows(run);
  const most = Math.max(...rows.map(([, count]) => count), 1);
  const step = (WIDE - 8) / rows.length;
  const high = (count) => (count / most) * (HIGH - 2 * BOTTOM);
  return html`<svg class="plot" viewBox="0 0 ${WIDE} ${HIGH}" role="img" aria-label=${rows.map((row) => row.join(": ")).join(", ")}>
    <line class="grid" x1="0" x2=${WIDE} y1=${HIGH - BOTTOM} y2=${HIGH - BOTTOM} />
    ${rows.map(
      ([label, count], index) => html`<g>
        <rect
          class=${index === rows.length - 1 ? "column missing" : "column"}
          x=${4 + index * step + 3}
          width=${step - 6}
          y=${HIGH - BOTTOM - high(count)}
          height=${high(count)}
        />
        ${count > 0 && html`<text class="tick middle" x=${4 + (index + 0.5) * step} y=${HIGH - BOTTOM - high(count) - 5}>${number(count)}</text>`}
        <text class="tick middle" x=${4 + (index + 0.5) * step} y=${HIGH - 8}>${label}</text>
      </g>`,
    )}
  </svg>`;
}

RankBars.rows = ({ ranks, later, missing }) => [
  ...ranks.map((count, index) => [number(index + 1), count]),
  [`>${number(ranks.length)}`, later],
  [t("missing"), missing],
];
