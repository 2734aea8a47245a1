// What changes on the server, as it changes: a stream of events while the page is seen. Where there is none (no place
// left, a proxy that holds it back), it asks every few seconds.
import { address, get, offline } from "./api.js";
import { mayRead, onAnotherCaller } from "./session.js";

// Milliseconds between two questions: what the API asks for where it has no stream left.
const AGAIN = 2000;
// Questions before a stream is tried again.
const QUESTIONS = 15;
// A stream that has not begun after so many milliseconds is held back on its way.
const SILENT = 8000;

const listeners = new Set();
let after = "";
let stream = null;
let timer = 0;
let questions = 0;
let turn = 0;

// Tell this listener of `{documents, deleted, more}` from now on. What this returns ends that.
export function follow(listener) {
  listeners.add(listener);
  begin();
  return () => {
    listeners.delete(listener);
    if (!listeners.size) end();
  };
}

const path = () => `api/events${after && `?after=${after}`}`;
const isWanted = () => listeners.size > 0 && !document.hidden && mayRead.value;

function begin() {
  if (stream || timer || !isWanted()) return;
  turn += 1;
  if (questions > 0) ask(turn);
  else open();
}

function end() {
  turn += 1;
  stream?.close();
  stream = null;
  clearTimeout(timer);
  timer = 0;
}

function open() {
  const mine = (stream = new EventSource(address(path())));
  const isFirst = !after;
  let breaks = 0;
  const awake = () => {
    if (stream === mine) clearTimeout(timer);
  };
  timer = setTimeout(instead, SILENT);
  mine.onopen = () => {
    breaks = 0;
    if (!isFirst) awake(); // the first one has something to say at once
  };
  mine.addEventListener("changes", (event) => {
    if (stream !== mine) return;
    awake();
    tell(JSON.parse(event.data));
  });
  mine.onerror = () => {
    breaks += 1;
    // Streams end after some time, and the browser opens the next one. It gives up on any other answer.
    if (stream === mine && (mine.readyState === EventSource.CLOSED || breaks > 1)) instead();
  };
}

function instead() {
  end();
  questions = QUESTIONS;
  ask(turn);
}

async function ask(mine) {
  let wait = AGAIN;
  try {
    const said = await get(path());
    if (mine === turn) tell(said);
  } catch (error) {
    wait = Math.max(wait, (error.retryAfter ?? 0) * 1000);
  }
  if (mine !== turn || !isWanted()) return;
  questions -= 1;
  timer = setTimeout(() => {
    timer = 0;
    begin();
  }, wait);
}

function tell(changes) {
  after = changes.next;
  for (const listener of listeners) listener(changes);
}

function again() {
  end();
  begin();
}

// A page that nobody sees needs no stream: each of them keeps a server awake.
document.addEventListener("visibilitychange", again);
mayRead.subscribe(() => (isWanted() ? begin() : end()));
offline.subscribe((is) => {
  if (is || !questions) return;
  questions = 0;
  again();
});
onAnotherCaller(() => {
  after = "";
  questions = 0;
  again();
});
