// A document without pages: its text in its passages, and beside each what is known of it.
import { useEffect, useMemo, useRef } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { html } from "../html.js";
import { isOfRow } from "../entry.js";
import { About, lights } from "./passage.js";
import { Cells } from "./row.js";
import { useNear } from "./sheet.js";
import { place } from "./text.js";

export function DocumentText({ id, passages, at }) {
  const lit = useMemo(() => signal(-1), [id]);
  const chosen = useMemo(() => signal(-1), [id]);
  const end = useRef(null);
  const isNear = useNear(end);
  const { items, next } = passages.state.value;
  const last = items[items.length - 1];
  const isNeeded = isNear || (at && last && last.metadata.charEnd < at.charEnd);
  useEffect(() => {
    if (isNeeded) passages.more();
  }, [isNeeded, items.length]);
  // What two passages share belongs to the first.
  const before = (index) => Math.max(0, ...items.slice(Math.max(0, index - 3), index).map((one) => one.metadata.charEnd));
  return html`
    <div class="text rows">
      ${items.map(
        (one, index) => html`<${Part} key=${one.id} one=${one} from=${before(index)} lit=${lit} chosen=${chosen} at=${at}
          isFirst=${at && before(index) <= at.charStart && one.metadata.charEnd > at.charStart} />`,
      )}
    </div>
    <div ref=${end} aria-busy=${String(next !== null)} />
  `;
}

function Part({ one, from, lit, chosen, at, isFirst }) {
  const { charStart, charEnd } = one.metadata;
  const start = Math.max(from, charStart);
  const isLit = (lit.value >= 0 ? lit.value : chosen.value) === one.chunkIndex;
  const choose = () => (chosen.value = chosen.value === one.chunkIndex ? -1 : one.chunkIndex);
  const cited = useRef(null);
  useEffect(() => {
    if (isFirst) cited.current?.scrollIntoView({ block: "center" });
  }, []);
  const within = (character) => Math.min(Math.max(character, start), charEnd) - charStart;
  const [fresh, low, high] = [start, at?.charStart ?? 0, at?.charEnd ?? 0].map(
    (character) => place(one.content, 0, within(character))[1],
  );
  const text = isOfRow(one.metadata)
    ? html`<${Cells} text=${one.content} start=${fresh} end=${one.content.length} marked=${[low, high]} first=${cited} />`
    : html`${one.content.slice(fresh, low)}${low < high && html`<mark ref=${cited}>${one.content.slice(low, high)}</mark>`}
        ${one.content.slice(high)}`;
  return html`<section class=${isLit ? "part is-lit" : "part"} ...${lights(lit, one.chunkIndex)}>
    <div class="left" dir="auto">${text}</div>
    <div class="right"><${About} one=${one} isChosen=${chosen.value === one.chunkIndex} choose=${choose} /></div>
  </section>`;
}
