/** Bodies and streams that come in any pieces, that are cut, and that are asked again. */

import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { type AnswerPart, ApiError, Client, ConfigurationError, NoAnswer, UnreadableAnswer } from "ragbase";
import { lost, passOn, reply } from "./front-server.js";
import { all, before, ENDPOINT, KEY, QUESTION } from "./server-client.js";

const EVIDENCE = 'event: evidence\ndata: {"evidence": []}\n\n';
const DONE = 'event: done\ndata: {"text": "At two.", "answered": true}\n\n';
const client = new Client(ENDPOINT, { key: KEY });

/** A body without a stated length: it ends with the connection, so that HTTP does not tell whether it is whole. */
function untilClosed(body: string | Uint8Array): Parameters<typeof before>[1][number] {
  return (request) => {
    request.resume().on("end", () => {
      request.socket.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n");
      request.socket.end(body);
    });
  };
}

/** Each request of this process gets the same body in these pieces, one read for each. */
function answersInPieces(t: TestContext, pieces: () => Uint8Array[]): void {
  t.mock.method(globalThis, "fetch", async () => {
    const [...left] = pieces();
    return new Response(
      new ReadableStream({
        pull(controller) {
          const piece = left.shift();
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
        },
      }),
    );
  });
}

/** The events of an answer, as the real server sends them. */
async function recorded(query: string): Promise<string> {
  const headers = { "Content-Type": "application/json", Accept: "text/event-stream", Authorization: `Bearer ${KEY}` };
  const response = await fetch(`${ENDPOINT}/api/answer`, { method: "POST", headers, body: JSON.stringify({ query }) });
  return response.text();
}

test("a recorded stream gives the same parts wherever it is split, and with any line ends", async (t) => {
  const question = "Wie lang ist die Kündigungsfrist?";
  const stream = await recorded(question);
  assert.match(stream, /beträgt/);
  const parts = await all(client.answerParts(question));
  assert.ok(parts.length >= 3);
  let pieces: Uint8Array[] = [];
  answersInPieces(t, () => pieces);
  const dressed = [stream, `\uFEFF${stream}`, stream.replaceAll("\n", "\r\n"), stream.replaceAll("\n", "\r")];
  for (const text of dressed) {
    const bytes = new TextEncoder().encode(text);
    for (let at = 0; at <= bytes.length; at++) {
      pieces = [bytes.subarray(0, at), bytes.subarray(at)];
      assert.deepEqual(await all(client.answerParts(question)), parts, `split at ${at}`);
    }
    pieces = Array.from(bytes, (_byte, at) => bytes.subarray(at, at + 1));
    assert.deepEqual(await all(client.answerParts(question)), parts, "each byte alone");
  }
});

test("a recorded stream that ends anywhere before its end is no answer", async (t) => {
  const bytes = new TextEncoder().encode(await recorded("Wie lang ist die Kündigungsfrist?"));
  let at = 0;
  answersInPieces(t, () => [bytes.subarray(0, at)]);
  for (; at < bytes.length; at++) await assert.rejects(all(client.answerParts(QUESTION)), NoAnswer, `cut at ${at}`);
  assert.equal((await all(client.answerParts(QUESTION))).at(-1)?.type, "done");
});

test("comments, other fields and data in several lines are read as the standard says", async (t) => {
  const odd = `:\n\nid: 7\nretry\nevent:evidence\ndata:{"evidence":\ndata: []}\n\nevent: later\ndata: {}\n\n${DONE}`;
  const seen = await before(t, [reply(200, odd)]);
  const answer = { text: "At two.", answered: true, sentences: [], evidence: [] };
  const expected = [{ type: "evidence", evidence: [] }, { type: "done", answer }];
  assert.deepEqual(await all(seen.client.answerParts(QUESTION)), expected);
});

test("an error in the middle of an answer names the request", async (t) => {
  const body = `${EVIDENCE}event: error\ndata: {"error": "SERVICE_UNAVAILABLE", "message": "The model is gone."}\n\n`;
  const seen = await before(t, [reply(200, body, { "X-Request-Id": "r-1" })]);
  const error = new ApiError(200, "SERVICE_UNAVAILABLE", "The model is gone.", "r-1");
  await assert.rejects(all(seen.client.answerParts(QUESTION)), error);
});

test("a text that is cut in a character is an error, not a shorter text", async (t) => {
  const bytes = new TextEncoder().encode("Der Schlüssel hängt am Tor für");
  const cut = bytes.subarray(0, bytes.length - 2);
  const seen = await before(t, [untilClosed(cut), untilClosed(bytes)]);
  await assert.rejects(seen.client.text("abc"), UnreadableAnswer);
  assert.equal(await seen.client.text("abc"), "Der Schlüssel hängt am Tor für");
});

test("bytes that are no UTF-8 are an error in a value and in a stream", async (t) => {
  const wrong = Buffer.from('{"results": ["\u00ff"]}', "latin1");
  const event = Buffer.from('event: evidence\ndata: {"evidence": [], "text": "\u00ff"}\n\n', "latin1");
  const seen = await before(t, [untilClosed(wrong), untilClosed(event)]);
  await assert.rejects(seen.client.query(QUESTION), UnreadableAnswer);
  await assert.rejects(all(seen.client.answerParts(QUESTION)), UnreadableAnswer);
});

test("a text keeps the mark at its beginning, because places count it, and a value has none", async (t) => {
  const seen = await before(t, [reply(200, "\uFEFFa"), reply(200, '\uFEFF{"results": []}')]);
  assert.equal(await seen.client.text("abc"), "\uFEFFa");
  assert.deepEqual((await seen.client.query(QUESTION)).results, []);
});

test("a stream is not asked again after a part of it, and its signal ends it", async (t) => {
  const breaks: Parameters<typeof before>[1][number] = (_request, response) => {
    response.writeHead(200).write(EVIDENCE, () => response.destroy());
  };
  const silent: typeof breaks = (_request, response) => void response.writeHead(200).write(EVIDENCE);
  const seen = await before(t, [breaks, silent]);
  const taken: AnswerPart[] = [];
  const take = async (signal?: AbortSignal): Promise<void> => {
    for await (const part of seen.client.answerParts(QUESTION, { signal })) taken.push(part);
  };
  await assert.rejects(take(), NoAnswer);
  assert.equal(seen.front.requests.length, 1);

  const controller = new AbortController();
  const parts = seen.client.answerParts(QUESTION, { signal: controller.signal });
  await parts.next();
  const reason = new Error("not wanted any more");
  const next = assert.rejects(parts.next(), reason);
  controller.abort(reason);
  await next;
  assert.deepEqual(taken, [{ type: "evidence", evidence: [] }]);
  assert.equal(seen.front.requests.length, 2);
});

test("a stream that fails before its first part is asked again", async (t) => {
  const seen = await before(t, [reply(503), lost(ENDPOINT), passOn(ENDPOINT)]);
  assert.equal((await all(seen.client.answerParts(QUESTION))).at(-1)?.type, "done");
  assert.equal(seen.front.requests.length, 3);
});

test("Retry-After is a number or a date, and what is over, too late or neither does not hold", async (t) => {
  const inTen = new Date(Date.now() + 10_500).toUTCString();
  const over = new Date(Date.now() - 60_000).toUTCString();
  const said = ["7", inTen, "0", over, "-1", "7.5", "soon 9999", "99999999999"];
  const seen = await before(t, said.map((text) => reply(503, "", { "Retry-After": text })));
  await seen.client.query(QUESTION);
  const [seven, ten = 0, ...others] = seen.waits;
  assert.equal(seven, 7);
  assert.ok(8 < ten && ten <= 10.5, String(ten));
  assert.equal(others.length, 6);
  for (const [at, wait] of others.entries()) {
    const most = Math.min(0.5 * 2 ** (at + 2), 8);
    assert.ok(most / 2 <= wait && wait <= most, `${said[at + 2]}: ${wait}`);
  }
  for (const late of ["121", new Date(Date.now() + 3_600_000).toUTCString()]) {
    const full = await before(t, [reply(503, "busy", { "Retry-After": late })]);
    await assert.rejects(full.client.query(QUESTION), new ApiError(503, "", "The server answered 503: busy"));
    assert.deepEqual(full.waits, []);
  }
});

test("a limit may be endless, but not 0 or no number", async (t) => {
  const endless = new Client(ENDPOINT, { key: KEY, timeout: Infinity, deadline: Infinity });
  assert.equal((await endless.query(QUESTION)).results[0]?.filename, "backups.md");
  const controller = new AbortController();
  const reason = new Error("waited long enough");
  const full = await before(t, [reply(503, "", { "Retry-After": "9999999999" }), () => controller.abort(reason)], {
    deadline: Infinity,
    sleep: undefined,
  });
  const refused = assert.rejects(full.client.query(QUESTION, { signal: controller.signal }), reason);
  while (full.front.requests.length === 0) await new Promise(setImmediate);
  await client.counts(); // time for a second attempt that does not wait
  controller.abort(reason);
  await refused;
  assert.equal(full.front.requests.length, 1);
  for (const wrong of [0, -1, Number.NaN]) {
    assert.throws(() => new Client(ENDPOINT, { timeout: wrong }), ConfigurationError);
    assert.throws(() => new Client(ENDPOINT, { deadline: wrong }), ConfigurationError);
  }
});
