// What can be said of a file before it is sent.
import { number, t } from "./words.js";

// The most megabytes of a file that the API takes.
const MOST = 50;
// The most bytes of a name, and of a part of it.
const LONGEST = 1024;
const LONGEST_PART = 255;
// Nothing here reads these. Of any other file, the server says so if its content cannot be read.
const UNREAD = new Set(
  (
    "7z aac apk avi bin bz2 class dll dmg exe flac gz iso jar m4a mkv mov mp3 mp4 o obj ogg otf pyc rar so tar tgz ttf " +
    "wasm wav webm whl wma wmv woff woff2 xz zip zst"
  ).split(" "),
);

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const length = (text) => new TextEncoder().encode(text).length;

// What matches one of these patterns of the shell, in capitals or not.
const matcher = (patterns) => {
  const sources = patterns.map((pattern) =>
    pattern
      .replace(/[\\^$+.()|{}]/g, "\\$&")
      .replace(/\[(?![^\]]+\])/g, "\\[")
      .replaceAll("[!", "[^")
      .replaceAll("*", ".*")
      .replaceAll("?", "."),
  );
  return patterns.length ? new RegExp(`^(?:${sources.join("|")})$`, "is") : /(?!)/;
};

// The names that programs keep for themselves, as the server knows them (domain/program_files.py).
const rules = JSON.parse(document.querySelector("meta[name=program-files]")?.content ?? "[]");
const [kept, own] = [true, false].map((isKept) => {
  const some = rules.filter((one) => one.startsWith("!") === isKept).map((one) => (isKept ? one.slice(1) : one));
  const folders = some.filter((one) => one.endsWith("/")).map((one) => one.slice(0, -1));
  return { folders: matcher(folders), files: matcher(some.filter((one) => !one.endsWith("/"))) };
});

function isProgramFile(parts) {
  const [file, folders] = [parts.at(-1), parts.slice(0, -1)];
  const isOwn = (part, kind) => own[kind].test(part) && !kept[kind].test(part);
  return isOwn(file, "files") || folders.some((folder) => isOwn(folder, "folders"));
}

// Whether somebody who drops a folder means this file of it.
export function isMeant(path) {
  const parts = path.split("/");
  const isHidden = parts.length > 1 && parts.some((part) => part.startsWith("."));
  return !isHidden && !isProgramFile(parts);
}

// Why the file is not sent, and whether it can be sent nevertheless.
export function fault(path, file) {
  const name = path.normalize("NFC");
  if (UNSEEN.test(name)) return { why: t("nameUnseen") };
  if (length(name) > LONGEST || name.split("/").some((part) => length(part) > LONGEST_PART))
    return { why: t("nameTooLong", { most: number(LONGEST), part: number(LONGEST_PART) }) };
  if (file.size > MOST * 1024 * 1024) return { why: t("tooLarge", { most: MOST }) };
  const [, ending] = name.match(/\.([a-z0-9]+)$/i) ?? [];
  if (ending && UNREAD.has(ending.toLowerCase())) return { why: t("typeUnread", { type: `.${ending}` }), isDoubt: true };
  return null;
}
