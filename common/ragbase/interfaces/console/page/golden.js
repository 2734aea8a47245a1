// The golden questions, and what evaluations of them have found.
import { signal } from "./vendor/signals.js";
import { get, post, send } from "./api.js";
import { notice } from "./notices.js";
import { onAnotherCaller } from "./session.js";
import { shown, t } from "./words.js";

// null until they are loaded
export const questions = signal(null);
export const runs = signal(null);

onAnotherCaller(() => {
  questions.value = null;
  runs.value = null;
});

export async function loadQuestions() {
  questions.value = (await get("api/golden-questions")).questions;
}

export async function loadRuns() {
  runs.value = (await get("api/evaluations")).runs;
}

export async function keepQuestion(question, document) {
  const kept = await post("api/golden-questions", { question, document });
  questions.value = [...(questions.value ?? []).filter((one) => one.id !== kept.id), kept];
  notice(t("goldenKept", { name: shown(kept.filename ?? "") }));
}

export const keepsQuestion = (question, documentId) =>
  (questions.value ?? []).some((one) => one.documentId === documentId && one.question === question.trim());

export async function removeQuestion(id) {
  await send("DELETE", `api/golden-questions/${encodeURIComponent(id)}`);
  questions.value = questions.value.filter((one) => one.id !== id);
}
