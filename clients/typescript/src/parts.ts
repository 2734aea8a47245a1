/** A file that goes to its address in parts (docs/http-api.md), so that no proxy meets a request that is too large. */

import { NoAnswer } from "./errors.js";
import type { ApiRequest, Exchange, Reply } from "./exchange.js";

/** Resume Incomplete: `Range` says which bytes have come. */
const INCOMPLETE = 308;

/**
 * The answer to the last part. `request` has the address. Throws NoAnswer if the server keeps nothing of a part, and
 * what `ask` throws.
 */
export async function sendInParts(
  data: Blob,
  partSize: number,
  request: ApiRequest,
  exchange: Exchange,
): Promise<Reply> {
  let sent = 0;
  let begunAgain = false;
  for (;;) {
    const end = Math.min(data.size, sent + partSize);
    const reply = await exchange.ask({
      ...request,
      headers: { ...request.headers, "Content-Range": `bytes ${sent}-${end - 1}/${data.size}` },
      body: data.slice(sent, end),
      // A browser hides the answer 308 from who follows no redirect. This one names no address to follow.
      redirect: "follow",
    });
    if (reply.status !== INCOMPLETE) return reply;
    const arrived = arrivedBytes(reply, request.isOwn === true ? 0 : end);
    if (arrived <= sent) {
      // If the answer to the last part was lost, the server has the whole file and no parts: it takes them again.
      if (begunAgain || !reply.repeated) throw new NoAnswer(`${exchange.endpoint} keeps no part of the file.`);
      begunAgain = true;
    }
    sent = arrived;
  }
}

/**
 * How many bytes have come; `unsaid` without a word of the answer. Cloud Storage lets no page of another origin read
 * `Range`: it answers when it has kept all.
 */
function arrivedBytes(reply: Reply, unsaid: number): number {
  const last = /-(\d+)$/.exec(reply.headers.get("range") ?? "")?.[1];
  return last === undefined ? unsaid : Number(last) + 1;
}
