// Files on their way to the server: a few at a time, with their progress.
import { computed, signal } from "./vendor/signals.js";
import { Offline, get, offline } from "./api.js";
import { fault, isMeant } from "./file_checks.js";
import { notice, say } from "./notices.js";
import { OtherDocument, send } from "./sending.js";
import { onAnotherCaller } from "./session.js";
import { forgetUnfinished } from "./unfinished.js";
import { t } from "./words.js";

const AT_ONCE = 3;

// waiting, sending, done, exists (another content is there), lost (the connection broke), failed
const all = new Map();
const stops = new Map();
export const uploads = signal([]);
// Files that nobody means: hidden ones of folders, and those that programs keep for themselves.
export const leftOut = signal(0);
let count = 0;
let frame = 0;

export const open = computed(() => uploads.value.filter((one) => one.state !== "done"));
export const conflicts = computed(() => uploads.value.filter((one) => one.state === "exists"));
export const failures = computed(() => uploads.value.filter((one) => one.state === "failed" && one.canRetry));
export const progress = computed(() => {
  const sum = (field) => uploads.value.reduce((whole, one) => whole + (one.state === "failed" ? 0 : one[field]), 0);
  return { sent: sum("sent"), size: sum("size"), done: uploads.value.length - open.value.length };
});

// Many files make progress at once: they are shown together.
function show() {
  frame ||= (document.hidden ? setTimeout : requestAnimationFrame)(() => {
    frame = 0;
    uploads.value = [...all.values()];
  });
}

function change(id, changed) {
  if (all.has(id)) all.set(id, { ...all.get(id), ...changed });
  show();
}

const isOpen = (one) => one.state !== "done";

// `files` are pairs of a path and a file. The same path once more, in whatever form, is the newer file.
export function add(files, { expects = "" } = {}) {
  if (![...all.values()].some(isOpen)) {
    all.clear();
    leftOut.value = 0;
  }
  const meant = files.filter(([path]) => expects || isMeant(path));
  leftOut.value += files.length - meant.length;
  const same = new Map([...all.values()].filter(isOpen).map((one) => [one.path, one]));
  for (const [given, file] of meant) {
    const path = given.normalize("NFC");
    if (same.has(path)) cancel(same.get(path));
    const found = fault(path, file);
    const one = { id: (count += 1), path, file, expects, size: file.size, sent: 0, state: "waiting", replace: false };
    // Not sent: a server that refuses it at its first bytes breaks the connection, and nobody reads why.
    const failed = found && { state: "failed", why: found.why, isDoubt: found.isDoubt, canRetry: false };
    all.set(one.id, { ...one, ...failed });
    same.set(path, one);
  }
  if (meant.length) say(t("adding", { count: meant.length }));
  show();
  next();
}

export const replace = (document, file) => add([[document.filename, file]], { expects: document.id });

export function cancel(one) {
  stops.get(one.id)?.abort();
  all.delete(one.id);
  forgetUnfinished(one);
  show();
  next();
}

export const cancelAll = () => [...all.values()].filter(isOpen).forEach(cancel);

export function again(one, { replace = one.replace } = {}) {
  change(one.id, { state: "waiting", why: "", replace });
  next();
}

export const replaceAll = () => conflicts.value.forEach((one) => again(one, { replace: true }));
export const keepAll = () => conflicts.value.forEach(cancel);
export const againAll = () => failures.value.forEach((one) => again(one));

function next() {
  const states = [...all.values()];
  const sending = states.filter((one) => one.state === "sending").length;
  const waiting = states.filter((one) => one.state === "waiting").slice(0, Math.max(0, AT_ONCE - sending));
  waiting.forEach(begin);
}

async function begin(one) {
  const stop = new AbortController();
  stops.set(one.id, stop);
  change(one.id, { state: "sending" });
  try {
    await send(all.get(one.id), (sent) => change(one.id, { sent }), stop.signal);
    change(one.id, { state: "done", sent: one.size });
    finish();
  } catch (error) {
    if (error.name !== "AbortError") await failed(one, error);
  } finally {
    if (stops.get(one.id) === stop) stops.delete(one.id);
    next();
  }
}

async function failed(one, error) {
  if (error.status === 409 && error.code === "ALREADY_EXISTS")
    return change(one.id, { state: "exists", sent: 0, why: error.message });
  if (error.status === 429 && error.retryAfter) {
    change(one.id, { state: "sending", why: t("waitsFor", { count: error.retryAfter }) });
    setTimeout(() => all.get(one.id)?.state === "sending" && again(one), error.retryAfter * 1000);
    return;
  }
  if (error instanceof OtherDocument) return fail(one, t("notReplaceable"), false);
  if (!(error instanceof Offline)) return fail(one, error.message);
  // A server that is there has refused the file; one that is away is asked again when it is back.
  const isAway = await get("api/session").then(
    () => false,
    (reason) => reason instanceof Offline,
  );
  if (isAway) change(one.id, { state: "lost", why: t("goesOn") });
  else fail(one, t("notSent"));
}

function fail(one, why, canRetry = true) {
  change(one.id, { state: "failed", why, sent: 0, canRetry });
}

offline.subscribe((is) => {
  if (!is) [...all.values()].filter((one) => one.state === "lost").forEach((one) => again(one));
});

function finish() {
  const states = [...all.values()];
  if (states.some(isOpen)) return;
  const left = leftOut.value ? ` ${t("leftOut", { count: leftOut.value })}` : "";
  notice(t("added", { count: states.length }) + left);
}

// The tab is closed while files are on their way.
addEventListener("beforeunload", (event) => {
  if ([...all.values()].some((one) => one.state === "sending" || one.state === "waiting")) event.preventDefault();
});

onAnotherCaller(() => {
  cancelAll();
  all.clear();
  show();
});
