// Short messages: they are shown for some seconds, and screen readers say them.
import { signal } from "./vendor/signals.js";

export const notices = signal([]);
let count = 0;

// `undo` can be called until the notice goes; then `done` is, with `isEnd` if the page goes, too.
export function notice(text, { undo, undoText, done, seconds = 6, isBad = false } = {}) {
  const one = { id: (count += 1), text, undoText, isBad, done, seconds };
  release(one);
  one.undo =
    undo &&
    (() => {
      one.done = null;
      close(one);
      undo();
    });
  notices.value = [...notices.value, one];
  say(text);
}

// A person who reads it, or is on the way to its button, has the time for it.
export function hold(one) {
  clearTimeout(one.timer);
}

export function release(one) {
  clearTimeout(one.timer);
  one.timer = setTimeout(() => close(one), one.seconds * 1000);
}

export function close(one, { isEnd = false } = {}) {
  clearTimeout(one.timer);
  notices.value = notices.value.filter((other) => other.id !== one.id);
  one.done?.({ isEnd });
  one.done = null;
}

export function say(text) {
  const place = document.getElementById("said");
  place.textContent = "";
  requestAnimationFrame(() => (place.textContent = text));
}

// The page goes: nothing can be undone any more.
addEventListener("pagehide", () => notices.value.forEach((one) => close(one, { isEnd: true })));
