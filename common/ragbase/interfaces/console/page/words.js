// What the console says, in the language of the reader: a file of strings for each language.
import { computed, signal } from "./vendor/signals.js";

export const LANGUAGES = { en: "English", vi: "Tiếng Việt" };

export const language = signal("en");
const strings = signal({});

export async function speak(chosen) {
  const answer = await fetch(new URL(`strings/${chosen}.json`, import.meta.url));
  if (!answer.ok) throw new Error(`strings/${chosen}.json: ${answer.status}`);
  strings.value = await answer.json();
  language.value = chosen;
  document.documentElement.lang = chosen;
}

// The language that was chosen before, or else the first of the browser's that there is.
export function preferred() {
  const wanted = [remembered(), ...navigator.languages].map((one) => (one ?? "").slice(0, 2));
  return wanted.find((one) => one in LANGUAGES) ?? "en";
}

export async function choose(chosen) {
  await speak(chosen).catch(() => location.reload()); // the server has another version by now
  try {
    localStorage.setItem("language", chosen);
  } catch {
    // A browser that keeps nothing asks again at the next visit.
  }
}

function remembered() {
  try {
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}

// The string of this name, with values for its {places}. One that counts has a form for each kind of number.
export function t(name, values = {}) {
  let string = strings.value[name];
  if (string === undefined) throw new Error(`no string is called ${name}`);
  if (typeof string === "object") string = string[plural(values.count)] ?? string.other;
  return string.replace(/\{(\w+)\}/g, (_, place) => {
    const value = values[place];
    return typeof value === "number" ? number(value) : String(value);
  });
}

// Numbers and dates as they are written where the reader is, if the browser says so: 27 Nov 2026 or Nov 27, 2026.
const region = computed(
  () => navigator.languages.find((one) => one.slice(0, 2) === language.value) ?? language.value,
);

// To make one takes longer than to use it a hundred times, and a list that moves shows many numbers and times.
const formats = new Map();

function format(kind, place, options) {
  const key = `${kind} ${place} ${JSON.stringify(options)}`;
  if (!formats.has(key)) formats.set(key, new Intl[kind](place, options));
  return formats.get(key);
}

const plural = (count) => format("PluralRules", language.value).select(count);
export const number = (value) => format("NumberFormat", region.value).format(value);
export const percent = (value) => format("NumberFormat", region.value, { style: "percent" }).format(value);
export const score = (value) =>
  format("NumberFormat", region.value, { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value);
export const signed = (value) =>
  format("NumberFormat", region.value, { maximumFractionDigits: 2, signDisplay: "exceptZero" }).format(value);

const UNITS = ["byte", "kilobyte", "megabyte", "gigabyte"];

export function bytes(count) {
  let unit = 0;
  while (count >= 1000 && unit < UNITS.length - 1) {
    count /= 1000;
    unit += 1;
  }
  const unitDisplay = unit ? "short" : "long"; // 388 bytes, 3.8 kB
  const options = { style: "unit", unit: UNITS[unit], unitDisplay, maximumFractionDigits: count < 10 && unit ? 1 : 0 };
  return format("NumberFormat", region.value, options).format(count);
}

const SPANS = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

// How long ago a time was, as people say it.
export function ago(time) {
  const seconds = (new Date(time) - Date.now()) / 1000;
  const [unit, length] = SPANS.find(([, span]) => Math.abs(seconds) >= span) ?? ["second", 1];
  const options = { numeric: "auto", style: "short" };
  return format("RelativeTimeFormat", region.value, options).format(
    unit === "second" ? 0 : Math.round(seconds / length),
    unit,
  );
}

export const day = (time) =>
  format("DateTimeFormat", language.value, { dateStyle: "medium" }).format(new Date(time));

export const moment = (time) =>
  format("DateTimeFormat", region.value, { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));

// A name as it can be shown: what would turn the letters around it is shown as a box.
export const shown = (name) => name.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0000-\u001f\u007f]/g, "\u25a1");

// A name, or a part of one, for comparison: without regard to capitals, and to how its accents are encoded.
export const folded = (text) => text.normalize("NFC").toLocaleLowerCase();
