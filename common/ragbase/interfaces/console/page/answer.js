// The question that was asked last, and its answer as far as it has come.
import { computed, signal } from "./vendor/signals.js";
import { events, Offline, Refused } from "./api.js";
import { onAnotherCaller } from "./session.js";
import { say } from "./notices.js";
import { t } from "./words.js";

// searching, writing, done, failed
export const answer = signal(null);
export const chosen = signal({ index: -1, turn: 0 });

const key = (one) => `${one.documentId} ${one.metadata.charStart} ${one.metadata.charEnd}`;

// Each citation once, in the order of the sentences: its number is its place.
export const citations = computed(() => {
  const found = new Map();
  for (const sentence of answer.value?.sentences ?? [])
    for (const one of sentence.citations) if (!found.has(key(one))) found.set(key(one), one);
  return [...found.values()];
});

export const indexOf = (one) => citations.value.findIndex((other) => key(other) === key(one));

let stop = null;

export function forget() {
  stop?.abort();
  answer.value = null;
  chosen.value = { index: -1, turn: 0 };
}

onAnotherCaller(forget);

// What the API takes: a question, to all documents or to one.
export const request = ({ question, only }) => ({
  query: question,
  ...(only && { filter: { documentIds: [only] } }),
});

// `only` is the id of the one document that is asked.
export async function ask(question, only = "") {
  forget();
  const mine = (stop = new AbortController());
  const change = (changed) => mine === stop && (answer.value = { ...answer.value, ...changed });
  answer.value = { question, only, phase: "searching", evidence: [], sentences: [], end: null, failed: "" };
  say(t("searching"));
  try {
    for await (const { name, data } of events("api/answer", request({ question, only }), mine.signal)) {
      if (name === "evidence") change({ evidence: data.evidence, phase: "writing" });
      if (name === "sentence") change({ sentences: [...answer.value.sentences, data] });
      if (name === "done") change({ end: data, phase: "done" });
      if (name === "error") change({ failed: data.message, phase: "failed" });
    }
    if (mine === stop && answer.value.phase === "writing") change({ failed: t("cutOff"), phase: "failed" });
    if (mine === stop && answer.value.end) say(answer.value.end.text);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (error instanceof Refused || error instanceof Offline)
      change({ failed: error.message || t("offline"), phase: "failed" });
    else change({ failed: t("cutOff"), phase: "failed" });
  }
}

// A second choice of the same one scrolls to it again.
export function choose(index) {
  const count = citations.value.length;
  if (!count) return;
  const wrapped = (index + count) % count;
  chosen.value = { index: wrapped, turn: chosen.value.turn + 1 };
  say(t("sourceOf", { number: wrapped + 1, count, name: citations.value[wrapped].filename }));
}

export const closeSource = () => (chosen.value = { index: -1, turn: 0 });
