// The pages of a document as the server draws them, and where characters of its text stand on them.
import { get, send } from "./api.js";

// The server draws one page at a time for one caller. One that finds it busy comes again, so often.
const TRIES = 10;
// Places in the text that one request for marks may name.
const MOST_BREAKS = 300;
// Pixels: few widths, so that the server has most images already.
const STEP = 400;
const WIDEST = 2400;

const of = (id) => `api/documents/${encodeURIComponent(id)}/pages`;

export const pagesOf = (id) => get(of(id));

// The numbers of the pages on which characters of the text stand. `near` is where they should, if nobody knows.
export function pagesAt(pages, start, end, near) {
  const begun = pages.map(({ charStart }, index) => [charStart, index + 1]).filter(([place]) => place !== undefined);
  const after = (index) => begun[index + 1]?.[0] ?? Infinity;
  const found = begun.filter(([place], index) => place < end && after(index) > start).map(([, number]) => number);
  return found.length || near > pages.length ? found : [near];
}

// The marks of some characters on a page. None goes on from one chunk into another; those of each are told apart.
export async function marksOf(id, number, start, end, chunks = []) {
  const borders = [...new Set(chunks.flatMap(({ metadata }) => [metadata.charStart, metadata.charEnd]))];
  const breaks = borders.filter((place) => place > start && place < end).sort((one, other) => one - other);
  const said = [];
  let from = start;
  do {
    const some = breaks.splice(0, MOST_BREAKS);
    const to = breaks.length ? some[some.length - 1] : end;
    const query = new URLSearchParams({ from, to, ...(some.length && { breaks: some.join(",") }) });
    said.push(await get(`${of(id)}/${number}/marks?${query}`));
    from = to;
  } while (breaks.length);
  return { known: said.every(({ known }) => known), marks: said.flatMap(({ marks }) => marks) };
}

export const isIn = (mark, { charStart, charEnd }) => mark.charStart < charEnd && mark.charEnd > charStart;

// The width to ask for, to fill so many pixels of the style on this screen.
export const widthFor = (pixels) =>
  Math.min(WIDEST, Math.max(STEP, Math.ceil((pixels * devicePixelRatio) / STEP) * STEP));

let isDrawing = false;
const waiting = [];

// An address for the image of a page, for as long as nobody revokes it.
export async function imageOf(id, number, width, stop) {
  if (isDrawing) await new Promise((begin) => waiting.push(begin));
  isDrawing = true;
  try {
    for (let left = TRIES; ; left -= 1) {
      try {
        const answer = await send("GET", `${of(id)}/${number}?width=${width}`, { signal: stop });
        return URL.createObjectURL(await answer.blob());
      } catch (error) {
        if (error.status !== 503 || !left) throw error;
        await new Promise((again) => setTimeout(again, 1000 * (error.retryAfter || 1)));
      }
    }
  } finally {
    const next = waiting.shift();
    isDrawing = next !== undefined;
    next?.();
  }
}
