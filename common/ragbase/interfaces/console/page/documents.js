// The list of documents, as far as it is loaded, and what changes in it.
import { computed, signal } from "./vendor/signals.js";
import { get, offline, send } from "./api.js";
import { mayRead, onAnotherCaller } from "./session.js";
import { notice } from "./notices.js";
import { shown, t } from "./words.js";

const PAGE = 100;
const SOON = 1500;
const LATER = 10_000;
// How many documents that are in work are asked for one by one, in each round.
const MOST_LOOKS = 10;

export const STATUSES = ["PENDING", "PROCESSING", "COMPLETED", "FAILED"];
export const list = signal(empty());
export const status = signal("");
export const wanted = signal("");
const hidden = signal(new Set());

function empty() {
  return { items: [], total: 0, next: null, isLoaded: false, failed: null };
}

const isInWork = (one) => one.status === "PENDING" || one.status === "PROCESSING";

// Names in small letters: ten thousand of them take longer than to look through them.
const small = new Map();

function smallName({ filename }) {
  if (!small.has(filename)) small.set(filename, filename.toLocaleLowerCase());
  return small.get(filename);
}

export const visible = computed(() => {
  const words = wanted.value.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const fits = (one) => words.every((word) => smallName(one).includes(word));
  return list.value.items.filter((one) => !hidden.value.has(one.id) && fits(one));
});

export const isWhole = computed(() => list.value.isLoaded && !list.value.next);

let version = 0;
let loading = null;

const path = (cursor) => {
  const asked = { limit: PAGE, ...(status.value && { status: status.value }), ...(cursor && { cursor }) };
  return `api/documents?${new URLSearchParams(asked)}`;
};

// Begin again, with another status or after a failure.
export async function load() {
  const mine = (version += 1);
  list.value = empty();
  loading = null;
  await take(mine, null);
}

// The next page, if there is one. Two callers share one request.
export function more() {
  if (!list.value.next) return null;
  loading ??= take(version, list.value.next).finally(() => (loading = null));
  return loading;
}

async function take(mine, cursor) {
  try {
    const page = await get(path(cursor));
    if (mine !== version) return;
    const known = new Set(list.value.items.map((one) => one.id));
    const items = [...list.value.items, ...page.documents.filter((one) => !known.has(one.id))];
    list.value = { items, total: page.total, next: page.nextCursor ?? null, isLoaded: true, failed: null };
  } catch (error) {
    if (mine === version) list.value = { ...list.value, isLoaded: true, failed: error };
  }
}

// The newest page again, and each document that is in work further down.
export async function refresh() {
  const mine = version;
  const page = await get(path(null));
  const fresh = new Map(page.documents.map((one) => [one.id, one]));
  const old = list.value.items.filter((one) => isInWork(one) && !fresh.has(one.id)).slice(0, MOST_LOOKS);
  const looks = await Promise.all(old.map((one) => get(`api/documents/${one.id}`).catch(() => null)));
  if (mine !== version) return;
  const others = new Map(old.map((one, index) => [one.id, looks[index]]));
  const kept = list.value.items.filter((one) => !fresh.has(one.id) && others.get(one.id) !== null);
  const isFitting = (one) => !status.value || one.status === status.value;
  const items = [...page.documents, ...kept.map((one) => others.get(one.id) ?? one).filter(isFitting)];
  // A first page that is all there is: what it lacks is gone.
  const whole = page.nextCursor ? items : page.documents;
  const known = list.value.items.length ? list.value.next : page.nextCursor;
  const next = page.nextCursor ? (known ?? null) : null;
  list.value = { ...list.value, items: whole, total: page.total, next, failed: null };
}

let timer = 0;
let isWatched = false;

// Look again for as long as somebody sees the list. What this returns ends that.
export function watch() {
  isWatched = true;
  plan();
  return () => {
    isWatched = false;
    clearTimeout(timer);
  };
}

function plan() {
  clearTimeout(timer);
  if (!isWatched) return;
  const wait = list.value.items.some(isInWork) ? SOON : LATER;
  timer = setTimeout(async () => {
    if (!document.hidden && mayRead.value && list.value.isLoaded) await refresh().catch(() => null);
    plan();
  }, wait);
}

// Something has just changed: look now, and soon again.
export async function lookNow() {
  await (list.value.isLoaded ? refresh() : load());
  plan();
}

offline.subscribe((is) => {
  if (!is && isWatched && list.value.failed) lookNow().catch(() => null);
});

onAnotherCaller(() => {
  small.clear();
  version += 1;
  list.value = empty();
});

export async function retry(id) {
  await send("POST", `api/documents/${encodeURIComponent(id)}/retry`);
  await lookNow();
}

// It disappears at once, and is deleted when nobody can undo that any more.
export function remove(one) {
  hidden.value = new Set([...hidden.value, one.id]);
  const show = () => (hidden.value = new Set([...hidden.value].filter((id) => id !== one.id)));
  notice(t("deleted", { name: shown(one.filename) }), {
    undo: show,
    undoText: t("undo"),
    done: async () => {
      try {
        await send("DELETE", `api/documents/${encodeURIComponent(one.id)}`, { keepalive: true });
        list.value = {
          ...list.value,
          items: list.value.items.filter((other) => other.id !== one.id),
          total: list.value.total - 1,
        };
      } catch (error) {
        notice(t("notDeleted", { name: shown(one.filename), why: error.message }), { isBad: true });
      }
      show();
    },
  });
}
