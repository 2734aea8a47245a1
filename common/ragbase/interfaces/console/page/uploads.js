// Files on their way to the server: a few at a time, with their progress.
import { computed, signal } from "./vendor/signals.js";
import { address, refused } from "./api.js";
import { lookNow } from "./documents.js";
import { say } from "./notices.js";
import { t } from "./words.js";

const AT_ONCE = 3;
// The most megabytes of a file that the API takes.
const MOST = 50;
export const isTooLarge = (one) => one.size > MOST * 1024 * 1024;

// waiting, sending, done, exists (another content is there), failed
export const uploads = signal([]);
let count = 0;

export const open = computed(() => uploads.value.filter((one) => one.state !== "done"));
export const conflicts = computed(() => uploads.value.filter((one) => one.state === "exists"));
export const progress = computed(() => {
  const sum = (field) => uploads.value.reduce((all, one) => all + one[field], 0);
  return { sent: sum("sent"), size: sum("size"), done: uploads.value.filter((one) => one.state === "done").length };
});

function change(id, changed) {
  uploads.value = uploads.value.map((one) => (one.id === id ? { ...one, ...changed } : one));
}

// `files` are pairs of a path and a file.
export function add(files) {
  if (!open.value.length) uploads.value = [];
  const added = files.map(([path, file]) => {
    count += 1;
    const one = { id: count, path, file, size: file.size, sent: 0, state: "waiting", replace: false };
    // Not sent: a server that refuses it at its first bytes breaks the connection, and nobody reads why.
    return isTooLarge(one) ? { ...one, state: "failed", why: t("tooLarge", { most: MOST }) } : one;
  });
  uploads.value = [...uploads.value, ...added];
  say(t("adding", { count: added.length }));
  next();
}

export function cancel(one) {
  one.request?.abort();
  uploads.value = uploads.value.filter((other) => other.id !== one.id);
  next();
}

export const cancelAll = () => open.value.forEach(cancel);

export function again(one, { replace = one.replace } = {}) {
  change(one.id, { state: "waiting", sent: 0, why: "", replace });
  next();
}

export const replaceAll = () => conflicts.value.forEach((one) => again(one, { replace: true }));
export const keepAll = () => conflicts.value.forEach(cancel);

function next() {
  const sending = uploads.value.filter((one) => one.state === "sending").length;
  const waiting = uploads.value.filter((one) => one.state === "waiting").slice(0, AT_ONCE - sending);
  waiting.forEach(sendFile);
}

// A form by XMLHttpRequest: fetch does not say how much is sent.
function sendFile(one) {
  const form = new FormData();
  form.append("file", one.file);
  form.append("path", one.path);
  form.append("replace", String(one.replace));
  const request = new XMLHttpRequest();
  request.open("POST", address("api/documents"));
  request.upload.onprogress = (event) =>
    change(one.id, { sent: Math.min(one.size, Math.round((event.loaded / event.total) * one.size)) });
  request.onload = () => ended(one, request);
  request.onerror = () => fail(one, t("notSent"));
  change(one.id, { state: "sending", request });
  request.send(form);
}

function ended(one, request) {
  if (request.status < 300) {
    change(one.id, { state: "done", sent: one.size, request: null });
    arrived();
    return next();
  }
  const said = refused(request.status, parsed(request.responseText), request.getResponseHeader("Retry-After"));
  if (said.status === 409) return fail(one, said.message, "exists");
  if (said.status === 429 && said.retryAfter) {
    change(one.id, { state: "sending", sent: 0, request: null });
    return setTimeout(() => uploads.value.some((other) => other.id === one.id) && again(one), said.retryAfter * 1000);
  }
  fail(one, said.message);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function fail(one, why, state = "failed") {
  change(one.id, { state, why, sent: 0, request: null });
  next();
}

let told = 0;

// Many files arrive at once: the list is asked for once.
function arrived() {
  clearTimeout(told);
  told = setTimeout(async () => {
    await lookNow().catch(() => null);
    if (!open.value.length) say(t("added", { count: progress.value.done }));
  }, 300);
}

// The files of a drop, also those in folders, with their paths.
export async function filesOf(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return [...transfer.files].map((file) => [file.name, file]);
  return (await Promise.all(entries.map(filesIn))).flat();
}

async function filesIn(entry) {
  const path = entry.fullPath.replace(/^\//, "");
  if (entry.isFile) return [[path, await new Promise((give, fail) => entry.file(give, fail))]];
  const reader = entry.createReader();
  const found = [];
  for (;;) {
    const some = await new Promise((give, fail) => reader.readEntries(give, fail));
    if (!some.length) return (await Promise.all(found.map(filesIn))).flat();
    found.push(...some);
  }
}
