// A document with pages: each page, and beside it its passages. What is lit in one is lit in the other.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/hooks.js";
import { signal } from "../vendor/signals.js";
import { html } from "../html.js";
import { number as shownNumber, t } from "../words.js";
import { isIn, marksOf, pagesAt } from "../pages.js";
import { About, lights } from "./passage.js";
import { Sheet, useNear } from "./sheet.js";

const TOGETHER = 20;
// In rem, as the style has them: between a page and its passages, and what a leaf has beside its image.
const GAP = 1.5;
const ABOVE = 2 + 0.8125 * 1.5 + 0.5;
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

// `at` is what the address names of the text, from where to where; null is nothing.
export function DocumentPages({ id, pages, known, passages, at }) {
  const lit = useMemo(() => signal(-1), [id]);
  const chosen = useMemo(() => signal(-1), [id]);
  const [first] = at ? pagesAt(pages, at.charStart, at.charEnd, 1) : [];
  const place = useRef(null);
  const width = useSheetWidth(place);
  const leaf = (number) =>
    html`<${Leaf} key=${number} id=${id} number=${number} size=${pages[number - 1]} known=${known} passages=${passages}
      lit=${lit} chosen=${chosen} at=${at} isFirst=${first === number} count=${pages.length} />`;
  const starts = Array.from({ length: Math.ceil(pages.length / TOGETHER) }, (_, index) => index * TOGETHER);
  return html`<div ref=${place}>
    ${starts.map((start) => {
      const some = pages.slice(start, start + TOGETHER);
      return html`<${Leaves} key=${start} first=${start + 1} sizes=${some} width=${width} leaf=${leaf}
        isWanted=${first > start && first <= start + TOGETHER} />`;
    })}
  </div>`;
}

// The width of a page's image, as the style has it: half of the place on a wide screen.
function useSheetWidth(place) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const look = () => {
      const { clientWidth } = place.current;
      setWidth(matchMedia("(min-width: 64rem)").matches ? (clientWidth - GAP * rem()) / 2 : clientWidth);
    };
    const watch = new ResizeObserver(look);
    watch.observe(place.current);
    look();
    return () => watch.disconnect();
  }, []);
  return width;
}

// Some pages together: thousands of elements that nobody sees would make a long document slow.
function Leaves({ first, sizes, width, leaf, isWanted }) {
  const place = useRef(null);
  const room = useRef({ width: 0, height: 0 });
  const isNear = useNear(place);
  useLayoutEffect(() => {
    if (!isNear) return undefined;
    // Passages may be longer than their page. What was seen keeps its height when it goes.
    const watch = new ResizeObserver(() => (room.current = { width, height: place.current.offsetHeight }));
    watch.observe(place.current);
    return () => watch.disconnect();
  }, [isNear, width]);
  useEffect(() => {
    if (isWanted) place.current.scrollIntoView({ block: "start" });
  }, []);
  const likely = () => sizes.reduce((sum, size) => sum + (width * size.height) / size.width + ABOVE * rem() + 1, 0);
  const height = room.current.width === width && room.current.height ? room.current.height : likely();
  return html`<div ref=${place} style=${{ height: isNear ? "auto" : `${height}px` }}>
    ${isNear && sizes.map((_, index) => leaf(first + index))}
  </div>`;
}

// As long as it is far away, it is only its room.
function Leaf({ id, number, size, known, passages, lit, chosen, at, isFirst, count }) {
  const place = useRef(null);
  const isNear = useNear(place);
  const { items, next } = passages.state.value;
  const here = isNear ? items.filter(({ metadata }) => metadata.page === number) : [];
  const last = items[items.length - 1];
  const isWhole = next === null || last?.metadata.page > number;
  const marks = useMarks(id, number, isNear && known && isWhole, here);
  const cited = useCited(id, number, isNear && known, at);
  const target = useRef(null);
  const sheet = useRef(null);
  useEffect(() => {
    if (isNear && !isWhole) passages.more();
  }, [isNear, isWhole, items.length]);
  useEffect(() => {
    if (isFirst) place.current.scrollIntoView({ block: "start" });
  }, []);
  useEffect(() => {
    if (isFirst) target.current?.scrollIntoView({ block: "center" });
  }, [cited]);

  const at_ = ({ x, y }) => marks.find(({ left, top, right, bottom }) => x >= left && x <= right && y >= top && y <= bottom);
  const passageAt = (point) => {
    const mark = point && at_(point);
    return (mark && here.find(({ metadata }) => isIn(mark, metadata))?.chunkIndex) ?? -1;
  };
  const look = (point) => {
    const index = passageAt(point);
    if (lit.value !== index) lit.value = index;
  };
  const choose = (point) => {
    const index = passageAt(point);
    chosen.value = index;
    if (index >= 0) place.current.querySelector(`[data-passage="${index}"]`).scrollIntoView({ block: "nearest" });
  };
  const light = here.find(({ chunkIndex }) => chunkIndex === (lit.value >= 0 ? lit.value : chosen.value));
  const ofLight = light ? marks.filter((mark) => isIn(mark, light.metadata)) : [];
  const pin = (index) => {
    chosen.value = chosen.value === index ? -1 : index;
    sheet.current.scrollIntoView({ block: "nearest" });
  };
  return html`<section ref=${place} class="leaf" aria-label=${t("pageImage", { number })}>
    <div ref=${sheet} class="left">
      <h2 class="hint">${t("pageOf", { number: shownNumber(number), count: shownNumber(count) })}</h2>
      <${Sheet} id=${id} number=${number} size=${size} marks=${light ? ofLight : cited} first=${target}
        look=${look} choose=${choose} />
    </div>
    <ol class="right">
      ${here.map(
        (one) => html`<li key=${one.id} data-passage=${one.chunkIndex} ...${lights(lit, one.chunkIndex)}
          class=${one === light ? "passage is-lit" : "passage"}>
          <${About} one=${one} isChosen=${chosen.value === one.chunkIndex} choose=${() => pin(one.chunkIndex)} />
          <p class="text" dir="auto">${one.content}</p>
        </li>`,
      )}
      ${isNear && isWhole && !here.length && html`<li class="hint">${t("noPassage")}</li>`}
    </ol>
  </section>`;
}

// The marks of all passages of a page, when these are known.
function useMarks(id, number, isWanted, here) {
  const [marks, setMarks] = useState([]);
  const range = here.length ? [here[0].metadata.charStart, Math.max(...here.map((one) => one.metadata.charEnd))] : [];
  useEffect(() => {
    if (!isWanted || !range.length) return undefined;
    let isHere = true;
    // Without them, nothing lights up; the page and its passages are there all the same.
    marksOf(id, number, ...range, here).then(
      (found) => isHere && setMarks(found.marks),
      () => {},
    );
    return () => (isHere = false);
  }, [id, number, isWanted, ...range]);
  return marks;
}

// The marks of what the address names, on this page.
function useCited(id, number, isWanted, at) {
  const [marks, setMarks] = useState([]);
  useEffect(() => {
    if (!isWanted || !at) return undefined;
    let isHere = true;
    marksOf(id, number, at.charStart, at.charEnd).then(
      (found) => isHere && setMarks(found.marks),
      () => {},
    );
    return () => (isHere = false);
  }, [id, number, isWanted, at?.charStart, at?.charEnd]);
  return marks;
}
