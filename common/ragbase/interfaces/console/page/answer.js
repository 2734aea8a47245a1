// The conversation: each question with its answer as far as it has come. The last one may still be running.
import { computed, signal } from "./vendor/signals.js";
import { events, Offline, offline, Refused } from "./api.js";
import { filterBody, isSame } from "./filters.js";
import { historyOf } from "./turns.js";
import { onAnotherCaller } from "./session.js";
import { say } from "./notices.js";
import { t } from "./words.js";

// The phase of an answer is searching, writing, done, stopped, failed or unreachable.
export const conversation = signal([]);
export const answer = computed(() => conversation.value.at(-1) ?? null);
export const chosen = signal({ index: -1, turn: 0 });
export const isRunning = computed(() => ["searching", "writing"].includes(answer.value?.phase));

const key = (one) => `${one.documentId} ${one.metadata.charStart} ${one.metadata.charEnd}`;

// Each citation once, in the order of the sentences.
export function citationsOf(answers) {
  const found = new Map();
  for (const { sentences } of answers)
    for (const sentence of sentences)
      for (const one of sentence.citations) if (!found.has(key(one))) found.set(key(one), one);
  return [...found.values()];
}

// Its number is its place among those of the whole conversation.
export const citations = computed(() => citationsOf(conversation.value));

export const indexOf = (one, among = citations.value) => among.findIndex((other) => key(other) === key(one));

let running = null;

export function forget() {
  running?.abort();
  running = null;
  conversation.value = [];
  chosen.value = { index: -1, turn: 0 };
}

onAnotherCaller(forget);

// What the API takes: a question, and the filter of the documents that may answer.
export const request = ({ question, filter }) => ({ query: question, filter: filterBody(filter) });

// Whether the conversation began with it.
export const isAsked = (question, filter) => {
  const [first] = conversation.value;
  return first?.question === question && isSame(first.filter, filter);
};

// Begin a conversation.
export function ask(question, filter) {
  forget();
  return run([], { question, filter });
}

// Go on with it.
export const follow = (question) => run(conversation.value, { question, filter: answer.value.filter });

// Ask the last question again.
export const again = () => run(conversation.value.slice(0, -1), answer.value);

// Ask instead of this one, and of those after it, a question that makes sense alone.
export function correct(index, question) {
  const { filter } = conversation.value[index];
  return run(conversation.value.slice(0, index), { question, filter, isAlone: true });
}

async function run(before, { question, filter, isAlone = false }) {
  running?.abort();
  const mine = (running = new AbortController());
  let one = { question, filter, isAlone, phase: "searching", evidence: [], sentences: [], end: null, failed: "" };
  const change = (changed) => {
    if (mine === running) conversation.value = [...before, (one = { ...one, ...changed })];
  };
  change({});
  if (chosen.value.index >= 0) closeSource();
  say(t("searching"));
  const history = isAlone ? [] : historyOf(before);
  const body = { ...request(one), ...(history.length && { history }) };
  try {
    for await (const { name, data } of events("api/answer", body, mine.signal)) {
      if (name === "evidence") change({ evidence: data.evidence, phase: "writing" });
      if (name === "sentence") change({ sentences: [...one.sentences, data] });
      if (name === "done") change({ end: data, phase: "done" });
      if (name === "error") change({ failed: data.message, phase: "failed" });
    }
    if (mine !== running) return;
    if (isRunning.value) change({ failed: t("cutOff"), phase: "failed" });
    if (one.end) say(one.end.text);
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
  conversation.value = [...conversation.value.slice(0, -1), { ...answer.value, phase: "stopped" }];
  say(t("stopped"));
}

// A question that never reached the server is asked as soon as the server answers.
offline.subscribe((is) => {
  if (!is && answer.peek()?.phase === "unreachable") again();
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
