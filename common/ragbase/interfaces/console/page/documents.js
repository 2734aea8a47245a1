// The list of documents, as far as it is loaded, and what changes in it.
import { computed, signal } from "./vendor/signals.js";
import { Offline, get, offline } from "./api.js";
import { follow } from "./changes.js";
import { onAnotherCaller } from "./session.js";
import { folded, language } from "./words.js";

const PAGE = 100;
// Milliseconds between two readings of the list, for each page of it: a storm of changes must not become one of requests.
const APART = 500;
const COUNTS_APART = 3000;

export const STATUSES = ["PENDING", "PROCESSING", "COMPLETED", "FAILED"];
export const list = signal(empty());
export const status = signal("");
export const wanted = signal("");
// By what the list is sorted, and whether the largest or newest comes first.
export const order = signal({ by: "age", isDown: true });
// Deleted on the page, and not yet on the server.
export const hidden = signal(new Set());
const told = signal(null);

function empty() {
  return { items: [], total: 0, next: null, isLoaded: false, failed: null };
}

// Names in small letters: ten thousand of them take longer than to look through them.
const small = new Map();

function smallName({ filename }) {
  if (!small.has(filename)) small.set(filename, folded(filename));
  return small.get(filename);
}

const present = computed(() =>
  hidden.value.size ? list.value.items.filter((one) => !hidden.value.has(one.id)) : list.value.items,
);

// Newest first, as the API lists them.
const place = (one, other) =>
  one.createdAt < other.createdAt || (one.createdAt === other.createdAt && one.id > other.id) ? 1 : -1;
const names = computed(() => new Intl.Collator(language.value, { numeric: true }));
const nothingLast = (field) => (one, other) => (one[field] ?? -1) - (other[field] ?? -1);
const ORDERS = {
  name: (one, other) => names.value.compare(one.filename, other.filename),
  status: (one, other) => STATUSES.indexOf(one.status) - STATUSES.indexOf(other.status),
  age: (one, other) => place(other, one),
  size: nothingLast("size"),
  chunks: nothingLast("chunkCount"),
};
export const COLUMNS = Object.keys(ORDERS);

let before = { by: "", isDown: false, items: [] };

// What was sorted before is nearly so again, and takes a moment then: pages come one after the other.
const sorted = computed(() => {
  const { by, isDown } = order.value;
  if (by === "age" && isDown) return present.value;
  const items = before.by === by ? asBefore(present.value, isDown) : [...present.value];
  const compare = ORDERS[by];
  items.sort(isDown ? (one, other) => compare(other, one) : compare);
  before = { by, isDown, items };
  return items;
});

function asBefore(items, isDown) {
  const rank = new Map(before.items.map((one, index) => [one.id, index]));
  const old = Array(before.items.length);
  const others = [];
  for (const one of items) {
    const index = rank.get(one.id);
    if (index === undefined) others.push(one);
    else old[index] = one;
  }
  const kept = old.filter(Boolean);
  return [...(isDown === before.isDown ? kept : kept.reverse()), ...others];
}

export const visible = computed(() => {
  const words = folded(wanted.value).split(/\s+/).filter(Boolean);
  if (!words.length) return sorted.value;
  return sorted.value.filter((one) => words.every((word) => smallName(one).includes(word)));
});

export const isWhole = computed(() => list.value.isLoaded && !list.value.next);
// Whether an answer about the list needs all of it.
export const needsAll = computed(() => wanted.value !== "" || order.value.by !== "age" || !order.value.isDown);
export const total = computed(() => list.value.total - (list.value.items.length - present.value.length));

// How many documents each status has: counted here if all are here, and else by the server.
export const counts = computed(() => {
  if (status.value || !isWhole.value) return told.value;
  const found = { "": present.value.length, ...Object.fromEntries(STATUSES.map((name) => [name, 0])) };
  for (const one of present.value) found[one.status] += 1;
  return found;
});

let counting = 0;

async function count() {
  try {
    const said = await get("api/counts");
    told.value = {
      "": said.total,
      ...Object.fromEntries(STATUSES.map((name) => [name, said[name.toLowerCase()]])),
    };
  } catch {
    told.value = null; // the chips say their names alone
  }
}

function countSoon() {
  if (!status.value && isWhole.value) return;
  counting ||= setTimeout(async () => {
    await count();
    counting = 0;
  }, COUNTS_APART);
}

let version = 0;
let loading = null;
// Something has changed while the first page was on its way.
let isLate = false;

const path = (cursor) => {
  const asked = { limit: PAGE, ...(status.value && { status: status.value }), ...(cursor && { cursor }) };
  return `api/documents?${new URLSearchParams(asked)}`;
};

// Begin again, with another status or after a failure.
export async function load() {
  const mine = (version += 1);
  list.value = empty();
  loading = null;
  isLate = false;
  news.clear();
  await take(mine, null);
  if (mine === version && isLate) reread();
  if (mine === version && (status.value || !isWhole.value)) await count();
}

// The next page, if there is one. Two callers share one request.
export function more() {
  if (!list.value.next) return null;
  loading ??= take(version, list.value.next).finally(() => (loading = null));
  return loading;
}

async function take(mine, cursor) {
  try {
    const page = await read(cursor);
    if (mine !== version) return;
    const known = new Set(list.value.items.map((one) => one.id));
    const items = [...list.value.items, ...page.documents.filter((one) => isFitting(one) && !known.has(one.id))];
    const all = cursor ? list.value.total : page.total;
    list.value = { items, total: all, next: page.nextCursor ?? null, isLoaded: true, failed: null };
  } catch (error) {
    if (mine !== version) return;
    list.value = { ...list.value, isLoaded: true, failed: error };
    if (error instanceof Offline && !offline.value) load(); // another request has found the server meanwhile
  }
}

// What was heard of documents, and when: an answer that was on its way meanwhile may be older.
const news = new Map();
let now = 0;

// A page of the list, with what was heard of its documents since it was asked for; null for one that is gone.
async function read(cursor) {
  const asked = now;
  const page = await get(path(cursor));
  const newer = ({ id }) => (news.get(id)?.at > asked ? news.get(id) : null);
  return { ...page, documents: page.documents.map((one) => (newer(one) ?? { one }).one).filter(Boolean) };
}

const isFitting = (one) => one !== null && (!status.value || one.status === status.value);

let waiting = new Map();
let frame = 0;

// Documents as they are now, by id; null for one that is gone. All that come until the next frame are one repaint.
function merge(documents, deleted = []) {
  for (const one of documents) waiting.set(one.id, one);
  for (const id of deleted) waiting.set(id, null);
  if (waiting.size) frame ||= requestAnimationFrame(apply);
}

function apply() {
  frame = 0;
  const changed = waiting;
  waiting = new Map();
  const { items, next, total: all } = list.value;
  const kept = [];
  for (const one of items) {
    const current = changed.has(one.id) ? changed.get(one.id) : one;
    changed.delete(one.id);
    if (isFitting(current)) kept.push(current);
  }
  const gone = items.length - kept.length;
  const last = items.at(-1);
  // What stands further down than all that is loaded comes with its page.
  const added = [...changed.values()].filter((one) => isFitting(one) && (!next || !last || place(one, last) < 0));
  if (added.length) {
    kept.push(...added);
    kept.sort(place);
  }
  list.value = { ...list.value, items: kept, total: Math.max(kept.length, all - gone + added.length) };
}

let isReading = false;
let isStale = false;

// All that is loaded, once more: others have changed, and nobody tells which. One reading at a time.
async function reread() {
  isStale = true;
  if (isReading) return;
  isReading = true;
  while (isStale) {
    isStale = false;
    const pages = await sweep().catch(() => 0);
    if (isStale) await new Promise((done) => setTimeout(done, APART * Math.max(1, pages)));
  }
  isReading = false;
}

async function sweep() {
  const mine = version;
  const had = list.value.items;
  const wasWhole = isWhole.value;
  const end = had.at(-1);
  const seen = new Set();
  let page = { nextCursor: null };
  let last = null;
  let pages = 0;
  let all = 0;
  do {
    page = await read(page.nextCursor);
    if (mine !== version) return 0;
    if (!pages) all = page.total;
    pages += 1;
    merge(page.documents);
    page.documents.forEach((one) => seen.add(one.id));
    last = page.documents.at(-1) ?? last;
  } while (page.nextCursor && end && (wasWhole || place(last, end) < 0));
  const isPassed = (one) => !page.nextCursor || (last && place(one, last) < 0);
  merge(
    [],
    had.filter((one) => !seen.has(one.id) && isPassed(one)).map((one) => one.id),
  );
  if (frame) {
    cancelAnimationFrame(frame);
    apply();
  }
  const next = wasWhole || !list.value.next ? (page.nextCursor ?? null) : list.value.next;
  list.value = { ...list.value, total: all, next: page.nextCursor ? next : null, failed: null };
  return pages;
}

function heard({ documents, deleted, more: others }) {
  now += 1;
  for (const one of documents) news.set(one.id, { at: now, one });
  for (const id of deleted) news.set(id, { at: now, one: null });
  if (!list.value.isLoaded) {
    isLate = true;
    return;
  }
  merge(documents, deleted);
  if (others) reread();
  if (others || documents.length || deleted.length) countSoon();
}

// Follow the changes for as long as somebody sees the list. What this returns ends that.
export const watch = () => follow(heard);

// What an answer says of a document is shown, unless its event has come before and says more.
export function learn(one) {
  const known = news.get(one.id)?.one;
  const isOld = known && new Date(known.updatedAt) > new Date(one.updatedAt);
  if (list.value.isLoaded && known !== null && !isOld) merge([one]);
}

export function forget(ids) {
  merge([], ids);
  countSoon();
}

offline.subscribe((is) => {
  if (!is && list.value.failed) load();
});

onAnotherCaller(() => {
  small.clear();
  before = { by: "", isDown: false, items: [] };
  waiting.clear();
  told.value = null;
  version += 1;
  list.value = empty();
});
