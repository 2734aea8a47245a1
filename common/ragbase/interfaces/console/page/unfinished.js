// Large files that were not sent to their end, with the addresses where they go on. They outlive a reload of this tab, and
// nothing else: who has an address may send that file.
import { signal } from "./vendor/signals.js";
import { onAnotherCaller } from "./session.js";

const KEY = "unfinished-uploads";

// {path, size, changed, sent, url, headers, partSize, id, until}
export const unfinished = signal(read());

function read() {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "[]").filter((one) => new Date(one.until) > Date.now());
  } catch {
    return [];
  }
}

function write(items) {
  unfinished.value = items;
  try {
    sessionStorage.setItem(KEY, JSON.stringify(items));
  } catch {
    // A browser that keeps nothing begins such a file again.
  }
}

// The same file has the same name, size and time of its last change.
const isOf = (kept, { path, size, file }) =>
  kept.path === path && kept.size === size && kept.changed === file.lastModified;

export const unfinishedOf = (one) => unfinished.value.find((kept) => isOf(kept, one) && new Date(kept.until) > Date.now());

export function keepUnfinished(one, { url, headers, partSize, id, until }, sent) {
  const kept = { path: one.path, size: one.size, changed: one.file.lastModified, sent };
  const rest = unfinished.value.filter((other) => !isOf(other, one));
  write([...rest, { ...kept, url, headers, partSize, id, until }]);
}

export const forgetUnfinished = (one) => write(unfinished.value.filter((kept) => !isOf(kept, one)));
export const forgetAllUnfinished = () => write([]);

onAnotherCaller(forgetAllUnfinished);
