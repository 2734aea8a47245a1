// The names of all documents, for those who look for one: page after page, as far as they are needed.
import { signal } from "./vendor/signals.js";
import { get } from "./api.js";
import { onAnotherCaller } from "./session.js";
import { folded } from "./words.js";

const PAGE = 100;

const empty = () => ({ items: [], next: null, isWhole: false });
const known = signal(empty());
let loading = null;

onAnotherCaller(() => (known.value = empty()));

export function beginNames() {
  known.value = empty();
  loading = null;
  return more();
}

function more() {
  loading ??= page().finally(() => (loading = null));
  return loading;
}

async function page() {
  const { items, next } = known.value;
  const found = await get(`api/documents?${new URLSearchParams({ limit: PAGE, ...(next && { cursor: next }) })}`);
  const names = found.documents.map(({ id, filename, status }) => ({ id, filename, status }));
  known.value = { items: [...items, ...names], next: found.nextCursor ?? null, isWhole: !found.nextCursor };
}

// The first `most` documents whose names have all of these words. `isWanted` says whether anybody still waits.
export async function named(words, most, isWanted) {
  const parts = folded(words).split(/\s+/).filter(Boolean);
  const fits = ({ filename }) => parts.every((part) => folded(filename).includes(part));
  for (;;) {
    const found = known.value.items.filter(fits).slice(0, most);
    if (found.length === most || known.value.isWhole || !isWanted()) return found;
    await more();
  }
}
