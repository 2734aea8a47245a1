// A list of any length: only the rows in sight are elements. All rows have one height, which the style gives.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";

// Rows beyond those in sight, and rows that scrolling passes before the list is drawn again.
const BEYOND = 8;
const STEP = 4;

export function LongList({ items, total, label, row, onNearEnd }) {
  const place = useRef(null);
  // A row of the same item is the same, so nobody looks for what has changed in it.
  const made = useRef(new WeakMap()).current;
  const [range, setRange] = useState([0, 30]);
  const height = rowHeight();

  function look() {
    const top = place.current?.getBoundingClientRect().top ?? 0;
    const seen = Math.floor(-top / height / STEP) * STEP;
    const first = Math.max(0, seen - BEYOND);
    const last = Math.max(0, seen + Math.ceil(innerHeight / height) + STEP) + BEYOND;
    setRange((old) => (old[0] === first && old[1] === last ? old : [first, last]));
  }

  useEffect(() => {
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [height]);
  useLayoutEffect(look);
  useEffect(() => {
    if (range[1] >= items.length) onNearEnd();
  }, [range[1], items.length]);

  function rowOf(one) {
    if (!made.has(one)) made.set(one, row(one));
    return made.get(one);
  }

  const [first, last] = range;
  const space = { height: `${items.length * height}px` };
  // Rows that stay keep their place in the page: moved in one piece, all of them would be painted again.
  const moved = { paddingBlockStart: `${Math.min(first, items.length) * height}px` };
  return html`<div ref=${place} class="long" style=${space}>
    <ul style=${moved} aria-label=${label}>
      ${items
        .slice(first, last)
        .map(
          (one, index) =>
            html`<li key=${one.id} aria-posinset=${first + index + 1} aria-setsize=${total}>${rowOf(one)}</li>`,
        )}
    </ul>
  </div>`;
}

// 4rem, as .long li has it.
const rowHeight = () => 4 * parseFloat(getComputedStyle(document.documentElement).fontSize);
