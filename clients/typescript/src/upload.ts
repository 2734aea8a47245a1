/** A file on its way to a server: in a form, or to an address of its own if the form is too large on the way. */

import type { CallOptions } from "./call-options.js";
import { errorOf, type Exchange, type Reply } from "./exchange.js";
import { readFile } from "./file-to-send.js";
import { sendInParts } from "./parts.js";
import { given, json } from "./requests.js";
import { good, isOk, type TypedExchange } from "./typed-exchange.js";
import { DOCUMENT_FIELDS, type OcrMode, type Uploaded, type UploadResponse, type UploadUrlResponse } from "./types.js";

const ACCEPTED = 202;
const PRECONDITION_FAILED = 412;
const TOO_LARGE = 413;
const UNKNOWN_TYPE = "application/octet-stream";

export interface UploadOptions extends CallOptions {
  /** The document's name on the server, by default that of a File. */
  path?: string | undefined;
  /** Replaces a document that has other bytes. */
  replace?: boolean | undefined;
  /** How the pages of a PDF are read; without it, the server's settings hold, and so they do for `ocrLanguages`. */
  ocrMode?: OcrMode | undefined;
  ocrLanguages?: readonly string[] | undefined;
  /** By default that of a Blob. */
  contentType?: string | undefined;
}

/** Send a file. Throws what `readFile` and `ask` throw. */
export async function upload(
  file: Blob | Uint8Array,
  options: UploadOptions,
  exchange: Exchange,
  typed: TypedExchange,
): Promise<Uploaded> {
  const { path, type, bytes } = await readFile(file, options.path, options.contentType);
  const data = new Blob([bytes], { type: type ?? UNKNOWN_TYPE });
  const fields = given({ path, ocrMode: options.ocrMode, ocrLanguages: options.ocrLanguages?.join(",") });
  const form = new FormData();
  for (const [name, value] of Object.entries({ ...fields, replace: String(options.replace ?? false) })) {
    form.set(name, value);
  }
  form.set("file", data, path.slice(path.lastIndexOf("/") + 1));
  const { signal } = options;
  const reply = await exchange.ask({ method: "POST", path: "/api/documents", body: form, signal });
  if (reply.status !== TOO_LARGE) return uploaded(reply, typed);
  const wanted = { ...fields, contentType: type, size: data.size, replace: options.replace ?? false };
  return uploadApart(path, data, wanted, exchange, typed, signal);
}

/** The server takes no request of this size: it says where the file can be sent, and in which parts. */
async function uploadApart(
  path: string,
  data: Blob,
  wanted: object,
  exchange: Exchange,
  typed: TypedExchange,
  signal: AbortSignal | undefined,
): Promise<Uploaded> {
  const where = { ...json({ ...wanted, inParts: true }), method: "POST", path: "/api/uploads", signal };
  const address = await typed.read<UploadUrlResponse>(["id", "method", "url", "headers"], where);
  // A Blob brings a header of its own: the address may be signed for another one, or for none.
  const body = new Blob([data], { type: "" });
  const { method, headers, partSize } = address;
  const request = { method, ...typed.named(address.url), headers, signal };
  const reply = partSize
    ? await sendInParts(body, partSize, request, exchange)
    : await exchange.ask({ ...request, body });
  // If an answer was lost, a bucket that takes the file once finds at the next attempt that it is there.
  if (!isOk(reply) && !(reply.status === PRECONDITION_FAILED && reply.repeated)) throw errorOf(reply);
  if (reply.headers.get("content-type")?.startsWith("application/json")) return uploaded(reply, typed);
  return { id: address.id, filename: path, status: "PENDING", isNew: true }; // a bucket's own answer
}

function uploaded(reply: Reply, typed: TypedExchange): Uploaded {
  const answer = typed.value<UploadResponse>(DOCUMENT_FIELDS, good(reply));
  return { ...answer, isNew: reply.status === ACCEPTED };
}
