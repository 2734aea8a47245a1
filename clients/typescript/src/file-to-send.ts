/** A file that is to be sent, read to its end. */

import { PermanentError, RagbaseError } from "./errors.js";

/** Bytes of a file that a server takes (docs/limits.md). */
const MAX_FILE_SIZE = 50 * 1024 * 1024;

export interface FileToSend {
  /** The document's name. */
  path: string;
  /** The content type, if it is known. */
  type: string | undefined;
  bytes: ArrayBuffer | Uint8Array<ArrayBuffer>;
}

/**
 * The bytes are read once, before anything is sent, so that each attempt and each part has the same ones: a Blob may be a
 * file that somebody changes or removes. Throws TypeError for what is no file or has no name, PermanentError
 * (FILE_TOO_LARGE), and RagbaseError for a Blob that cannot be read.
 */
export async function readFile(
  file: Blob | Uint8Array,
  path: string | undefined,
  contentType: string | undefined,
): Promise<FileToSend> {
  const isBlob = isOfBlob(file);
  if (!isBlob && !ArrayBuffer.isView(file) && kindOf(file) !== "ArrayBuffer") {
    throw new TypeError(`file is of the kind ${kindOf(file)}. Give a File, a Blob or a Uint8Array, and await it before.`);
  }
  const name = path || (isBlob && "name" in file && typeof file.name === "string" ? file.name : "");
  if (!name) throw new TypeError("path is missing: bytes and blobs have no name of their own. Give one.");
  if ((isBlob ? file.size : file.byteLength) > MAX_FILE_SIZE) {
    const most = `the limit of ${MAX_FILE_SIZE / 1048576} MB a file`;
    throw new PermanentError("FILE_TOO_LARGE", `${name} is over ${most}. Split it into smaller ones.`);
  }
  const type = contentType ?? ((isBlob && file.type) || undefined);
  // Blob itself refuses the bytes of a memory that threads share.
  return { path: name, type, bytes: isBlob ? await readBlob(file, name) : (file as Uint8Array<ArrayBuffer>) };
}

async function readBlob(file: Blob, name: string): Promise<ArrayBuffer> {
  try {
    return await file.arrayBuffer();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new RagbaseError(`${name} can't be read: ${why}. It may have changed since it was opened: open it again.`);
  }
}

function isOfBlob(file: Blob | Uint8Array): file is Blob {
  return ["Blob", "File"].includes(kindOf(file));
}

/**
 * What JavaScript calls a value, also one of another window or another realm of Node. Blob takes any value, and would send
 * a path or a promise as the text "[object Promise]".
 */
function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}
