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
// Files that systems leave in folders, which nobody means.
const LEFT_BY_SYSTEMS = new Set(["thumbs.db", "desktop.ini"]);

const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;
const length = (text) => new TextEncoder().encode(text).length;

export function isMeant(path) {
  const parts = path.split("/");
  const isHidden = parts.length > 1 && parts.some((part) => part.startsWith("."));
  return !isHidden && !LEFT_BY_SYSTEMS.has(parts.at(-1).toLowerCase()) && !parts.at(-1).startsWith("~$");
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
