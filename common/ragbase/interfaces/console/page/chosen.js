// Which documents are chosen, to do something with all of them.
import { computed, effect, signal } from "./vendor/signals.js";
import { onAnotherCaller } from "./session.js";
import { visible } from "./documents.js";

const ids = signal(new Set());
let anchor = null;

export const chosen = computed(() => (ids.value.size ? visible.value.filter((one) => ids.value.has(one.id)) : []));
export const isChosen = (one) => ids.value.has(one.id);
export const areAllChosen = computed(() => chosen.value.length > 0 && chosen.value.length === visible.value.length);

// One more or less; with `isRange`, all from the last one on become as that one.
export function choose(one, { isRange = false } = {}) {
  const next = new Set(ids.value);
  const rows = visible.value;
  const from = isRange ? rows.findIndex((other) => other.id === anchor) : -1;
  if (from < 0) {
    if (!next.delete(one.id)) next.add(one.id);
    anchor = one.id;
  } else {
    const to = rows.findIndex((other) => other.id === one.id);
    const isOn = next.has(anchor);
    for (const { id } of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) isOn ? next.add(id) : next.delete(id);
  }
  ids.value = next;
}

export const chooseAll = () => (ids.value = new Set(visible.value.map((one) => one.id)));

export function chooseNone() {
  if (ids.value.size) ids.value = new Set();
  anchor = null;
}

// What is not on the page is not chosen: nobody deletes what they do not see.
effect(() => {
  if (!ids.value.size) return;
  const seen = new Set(visible.value.map((one) => one.id));
  const left = [...ids.value].filter((id) => seen.has(id));
  if (left.length < ids.value.size) ids.value = new Set(left);
});
onAnotherCaller(chooseNone);
