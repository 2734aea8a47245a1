// The question that was asked last, and its answer as far as it has come.
import { computed, signal } from "./vendor/signals.js";
import { events, Offline, offline, Refused } from "./api.js";
import { filterBody, isSame } from "./filters.js";
import { onAnotherCaller } from "./session.js";
import { say } from "./notices.js";
import { t } from "./words.js";

// Its phase is searching, writing, done, stopped, failed or unreachable.
export const answer = signal(null);
export const chosen = signal({ index: -1, turn: 0 });
export const isRunning = computed(() => ["searching", "writing"].includes(answer.value?.phase));

const key = (one) => `${one.documentId} ${one.metadata.charStart} ${one.metadata.charEnd}`;

// Each citation once, in the order of the sentences: its number is its place.
export const citations = computed(() => {
  const found = new Map();
  for (const sentence of answer.value?.sentences ?? [])
    for (const one of sentence.citations) if (!found.has(key(one))) found.set(key(one), one);
  return [...found.values()];
});

export const indexOf = (one) => citations.value.findIndex((other) => key(other) === key(one));

let running = null;

export function forget() {
  running?.abort();
  running = null;
  answer.value = null;
  chosen.value = { index: -1, turn: 0 };
}

onAnotherCaller(forget);

// What the API takes: a question, and the filter of the documents that may answer.
export const request = ({ question, filter }) => ({ query: question, filter: filterBody(filter) });

export const isAsked = (question, filter) =>
  answer.value?.question === question && isSame(answer.value.filter, filter);

export async function ask(question, filter) {
  forget();
  const mine = (running = new AbortController());
  const change = (changed) => mine === running && (answer.value = { ...answer.value, ...changed });
  answer.value = { question, filter, phase: "searching", evidence: [], sentences: [], end: null, failed: "" };
  say(t("searching"));
  try {
    for await (const { name, data } of events("api/answer", request({ question, filter }), mine.signal)) {
      if (name === "evidence") change({ evidence: data.evidence, phase: "writing" });
      if (name === "sentence") change({ sentences: [...(answer.value?.sentences ?? []), data] });
      if (name === "done") change({ end: data, phase: "done" });
      if (name === "error") change({ failed: data.message, phase: "failed" });
    }
    if (mine !== running) return;
    if (isRunning.value) change({ failed: t("cutOff"), phase: "failed" });
    if (answer.value.end) say(answer.value.end.text);
  } catch (error) {
    if (error instanceof Offline) change({ failed: t("offline"), phase: "unreachable" });
    else if (error instanceof Refused) change({ failed: error.message, phase: "failed" });
    else change({ failed: t("cutOff"), phase: "failed" });
  }
}

// Nobody waits for it any more. The sentences that have come are verified, and stay.
export function stop() {
  if (!isRunning.value) return;
  running.abort();
  running = null;
  answer.value = { ...answer.value, phase: "stopped" };
  say(t("stopped"));
}

// A question that never reached the server is asked as soon as the server answers.
offline.subscribe((is) => {
  if (!is && answer.peek()?.phase === "unreachable") ask(answer.peek().question, answer.peek().filter);
});

// A second choice of the same one scrolls to it again.
export function choose(index) {
  const count = citations.value.length;
  if (!count) return;
  const wrapped = (index + count) % count;
  chosen.value = { index: wrapped, turn: chosen.value.turn + 1 };
  say(t("sourceOf", { number: wrapped + 1, count, name: citations.value[wrapped].filename }));
}

export const closeSource = () => (chosen.value = { index: -1, turn: 0 });
