// An entry of a table: in the extracted text, a row is a heading with a number, and below it a line for each cell.

const HEADING = /^(#{1,6}) (?:row|item) \d+(?=: |$)/gm;
const FIELD = /^- (.*?):(?: |$)/;
const NAMED = /^#{1,6} /;
const OF_ENTRY = /(?:^| > )(?:row|item) \d+(?=: | > |$)/;

// Whether a passage is of a row, by its place.
export const isOfRow = ({ row, heading }) => row !== undefined || OF_ENTRY.test(heading ?? "");

// From where to where the row goes in which a place is; null if it is in none.
export function entryAt(text, place) {
  let found = null;
  for (const heading of text.matchAll(HEADING)) {
    if (heading.index > place) break;
    found = heading;
  }
  if (found === null) return null;
  const next = new RegExp(`^#{1,${found[1].length}} `, "gm");
  next.lastIndex = found.index + found[0].length;
  const end = next.exec(text)?.index ?? text.length;
  return end > place ? [found.index, end] : null;
}

// The cells from one place to another: where the name and the value of each begin and end.
export function cellsOf(text, start, end) {
  const cells = [];
  let at = start;
  for (const line of text.slice(start, end).split("\n")) {
    const stop = at + line.length;
    const field = FIELD.exec(line);
    const last = cells[cells.length - 1];
    if (field) cells.push({ name: [at + 2, at + 2 + field[1].length], value: [at + field[0].length, stop] });
    else if (NAMED.test(line)) cells.push({ name: [at + line.indexOf(" ") + 1, stop], value: [stop, stop] });
    else if (line.trim() && last) last.value = [last.value[0] === last.value[1] ? at : last.value[0], stop];
    else if (line.trim()) cells.push({ name: [at, at], value: [at, stop] });
    at = stop + 1;
  }
  return cells;
}
