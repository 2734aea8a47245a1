import assert from "node:assert/strict";
import dns from "node:dns";
import { test } from "node:test";
import {
  ApiError,
  type AnswerPart,
  Client,
  ConfigurationError,
  Conversation,
  NoAnswer,
  PermanentError,
  type Sleep,
  UnreadableAnswer,
} from "ragbase";
import { FrontServer, lost, passOn, reply } from "./front-server.js";
import { all, before, ENDPOINT, KEY, QUESTION } from "./server-client.js";

const client = new Client(ENDPOINT, { key: KEY });

function text(name: string): string {
  return `The visitor's badge of ${name} is kept at the gate until the evening, in the box beside the door.\n`;
}

test("a query finds passages, within a filter", async () => {
  const { results } = await client.query(QUESTION, { topK: 1 });
  assert.equal(results.length, 1);
  assert.equal(results[0]?.filename, "backups.md");
  assert.match(results[0].content, /half past two/);
  assert.deepEqual((await client.query(QUESTION, { filter: { pathPrefix: "nowhere" } })).results, []);
});

test("a query takes the turns before it", async () => {
  const conversation = new Conversation();
  conversation.add(QUESTION, await client.answer(QUESTION));
  assert.equal(conversation.history.length, 2);
  const found = await client.query("How long are they kept?", { history: conversation.history });
  assert.match(found.searchedFor ?? "", /backup/);
});

test("an answer stands on citations, whole and in parts", async () => {
  const answer = await client.answer(QUESTION);
  assert.equal(answer.answered, true);
  assert.match(answer.text, /half past two/);
  assert.ok(answer.sentences[0]?.citations[0]?.documentId);
  const parts = await all(client.answerParts(QUESTION));
  assert.deepEqual(parts.map((part) => part.type), ["evidence", ...answer.sentences.map(() => "sentence"), "done"]);
  assert.deepEqual(parts.at(-1), { type: "done", answer });
});

test("each part of an answer is there before the next one is sent", async (t) => {
  const sentence = { text: "Um ½ 3 – 下午.", supported: true, citations: [] };
  const begun = `event: evidence\ndata: {"evidence": []}\n\n: alive\n\nevent: sentence\ndata: ${JSON.stringify(sentence)}\n\n`;
  const half = Buffer.from(begun).indexOf("½") + 1; // the character has two bytes
  let send = (_event: string | Buffer): void => assert.fail("nobody has asked");
  const slow = await before(t, [
    (_request, response) => {
      response.writeHead(200, { "Content-Type": "text/event-stream" });
      send = (event) => void response.write(event);
      send(Buffer.from(begun).subarray(0, half));
    },
  ]);
  const parts = slow.client.answerParts(QUESTION);
  const next = async (): Promise<AnswerPart | undefined> => (await parts.next()).value ?? undefined;
  assert.equal((await next())?.type, "evidence");
  send(Buffer.from(begun).subarray(half));
  assert.deepEqual(await next(), { type: "sentence", sentence });
  send('event: error\ndata: {"error": "SERVICE_UNAVAILABLE", "message": "The model is gone."}\n\n');
  await assert.rejects(parts.next(), new ApiError(200, "SERVICE_UNAVAILABLE", "The model is gone."));
});

test("an answer that breaks off is an error, and is not asked again", async (t) => {
  const broken = await before(t, [reply(200, 'event: evidence\ndata: {"evidence": []}\n\n')]);
  await assert.rejects(all(broken.client.answerParts(QUESTION)), NoAnswer);
  assert.equal(broken.front.requests.length, 1);
});

test("a document is uploaded, read, listed, followed and deleted", async () => {
  const name = "gäste/访客 №1 “a+b”.md";
  const events = client.events();
  const first = await events.next();
  assert.deepEqual(first.value?.documents, []);
  const uploaded = await client.upload(new Blob([text("Zoë")]), { path: name });
  assert.equal(uploaded.isNew, true);
  assert.equal(uploaded.filename, name);
  assert.equal((await client.upload(new TextEncoder().encode(text("Zoë")), { path: name })).isNew, false);
  assert.equal((await client.wait(uploaded.id)).status, "COMPLETED");
  assert.equal((await client.get(uploaded.id)).filename, name);
  assert.equal(await client.text(uploaded.id), text("Zoë"));
  assert.equal((await all(client.chunks(uploaded.id))).length, 1);
  assert.ok((await all(client.list({ status: "COMPLETED" }))).some((document) => document.id === uploaded.id));
  for await (const changes of events) if (changes.documents.some((one) => one.id === uploaded.id)) break;
  await assert.rejects(
    client.upload(new File([text("Yves")], name), { path: name }),
    (error) => error instanceof ApiError && error.status === 409 && error.code === "ALREADY_EXISTS",
  );
  await client.delete(uploaded.id);
  await assert.rejects(client.get(uploaded.id), (error) => error instanceof ApiError && error.status === 404);
});

test("pages follow one another", async () => {
  const first = await client.page({ limit: 2 });
  assert.equal(first.documents.length, 2);
  const second = await client.page({ limit: 2, cursor: first.nextCursor });
  assert.notEqual(second.documents[0]?.id, first.documents[1]?.id);
  assert.equal((await client.counts()).completed, first.total);
});

test("an explanation names the stage that a document reaches", async () => {
  const { results } = await client.query(QUESTION);
  assert.equal((await client.explain(QUESTION, results[0]?.documentId ?? "")).stage, "FOUND");
  assert.equal((await client.explain(QUESTION, "no document.md")).stage, "NOT_IN_BUCKET");
});

test("a file that is too large for a request is sent apart", async (t) => {
  const small = await before(t, [reply(413, "<h1>Request Entity Too Large</h1>")]);
  const uploaded = await small.client.upload(new File([text("Xaver")], "xaver.md"), { contentType: "text/markdown" });
  assert.equal(uploaded.filename, "xaver.md");
  assert.deepEqual(small.front.requests.slice(0, 2), ["POST /api/documents", "POST /api/uploads"]);
  assert.match(small.front.requests[2] ?? "", /^PUT /);
  assert.equal((await client.wait(uploaded.id)).status, "COMPLETED");
  await client.delete(uploaded.id);
});

/** A file of three parts, with another letter in each. It has too little text to become passages. */
function threeParts(letters: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(9 * 1024 * 1024).fill(0x20);
  [...letters].forEach((letter, at) => (bytes[at * 4 * 1024 * 1024 + 5] = letter.charCodeAt(0)));
  return bytes;
}

async function isKept(id: string, bytes: Uint8Array): Promise<boolean> {
  return Buffer.from(await (await client.content(id)).arrayBuffer()).equals(bytes);
}

test("a file that is larger than a part is sent in parts", async (t) => {
  const small = await before(t, [reply(413)]);
  const bytes = threeParts("abc");
  const { id, isNew } = await small.client.upload(bytes, { path: "größere datei.txt" });
  assert.equal(isNew, true);
  const [, , ...parts] = small.front.requests;
  assert.equal(parts.length, 3);
  assert.equal(new Set(parts).size, 1);
  assert.ok(await isKept(id, bytes));
  await client.delete(id);
});

test("a part goes on from where the server says, after faults and lost answers", async (t) => {
  const small = await before(t, [
    reply(413),
    passOn(ENDPOINT),
    reply(503), // the first part
    lost(ENDPOINT), // it has come, but its answer has not
    passOn(ENDPOINT), // the same bytes again
    passOn(ENDPOINT), // the second part
    lost(ENDPOINT), // the file is whole, but nobody knows
  ]);
  const bytes = threeParts("xyz");
  const { id } = await small.client.upload(bytes, { path: "lost.txt" });
  assert.ok(await isKept(id, bytes));
  await client.delete(id);
});

test("a server that keeps no part of a file is no answer", async (t) => {
  const named = { id: "abc", method: "PUT", url: "", headers: {}, expiresAt: "", partSize: 4 };
  const seen = await before(t, [reply(413)]);
  seen.front.add(reply(200, JSON.stringify({ ...named, url: `${seen.endpoint}/api/uploads/abc` })), reply(308));
  await assert.rejects(seen.client.upload(new Blob(["12345678"]), { path: "a.md" }), NoAnswer);
  assert.equal(seen.front.requests.length, 3);
});

test("a file over the limit is not sent", async () => {
  const large = new Blob([new Uint8Array(50 * 1024 * 1024 + 1)]);
  await assert.rejects(
    client.upload(large, { path: "large.md" }),
    (error) => error instanceof PermanentError && error.code === "FILE_TOO_LARGE",
  );
  await assert.rejects(client.upload(new Blob(["a"])), TypeError);
});

test("a wrong key is an error that does not show it", async () => {
  const key = "rb_no_key_of_this_server";
  await assert.rejects(new Client(ENDPOINT, { key }).query(QUESTION), (error) => {
    assert.ok(error instanceof ApiError && error.name === "ApiError");
    assert.equal(error.status, 401);
    assert.equal(error.code, "UNAUTHORIZED");
    assert.ok(error.requestId);
    assert.ok(!error.message.includes(key));
    return true;
  });
});

test("passing faults are tried again, after the wait that the server asks for", async (t) => {
  const seen = await before(t, [
    reply(429, "", { "Retry-After": "7" }),
    reply(502),
    (request) => void request.socket.destroy(),
  ]);
  assert.equal((await seen.client.query(QUESTION)).results[0]?.filename, "backups.md");
  assert.equal(seen.front.requests.length, 4);
  const [asked, second = 0, third = 0] = seen.waits;
  assert.equal(asked, 7);
  assert.ok(0.5 <= second && second <= 1 && 1 <= third && third <= 2, String(seen.waits));
});

test("what may not be done twice is repeated only if nothing was done", async (t) => {
  const full = await before(t, [reply(429), reply(503, "busy")]);
  await assert.rejects(full.client.retry("abc"), new ApiError(503, "", "The server answered 503: busy"));
  assert.equal(full.front.requests.length, 2);
});

test("no attempt begins after the deadline", async (t) => {
  const full = await before(t, [reply(429, "", { "Retry-After": "3600" })]);
  await assert.rejects(full.client.query(QUESTION), (error) => error instanceof ApiError && error.status === 429);
  assert.deepEqual(full.waits, []);
});

test("a lost answer to a removal is no error", async (t) => {
  const { id } = await client.upload(new Blob([text("Wanda")]), { path: "wanda.md" });
  await client.wait(id);
  const seen = await before(t, [lost(ENDPOINT)]);
  await seen.client.delete(id);
  assert.equal(seen.front.requests.length, 2);
  await assert.rejects(seen.client.delete(id), (error) => error instanceof ApiError && error.status === 404);
});

test("a silent server is no answer", async (t) => {
  const silent = await before(t, [() => undefined], { timeout: 0.05, deadline: 0.05 });
  await assert.rejects(silent.client.counts(), (error) => error instanceof NoAnswer && /silent/.test(error.message));
});

test("nobody at the endpoint is no answer", async () => {
  const gone = new FrontServer(ENDPOINT);
  const endpoint = await gone.start();
  await gone[Symbol.asyncDispose]();
  const waits: number[] = [];
  const sleep: Sleep = async (seconds) => void waits.push(seconds);
  await assert.rejects(new Client(endpoint, { deadline: 2, sleep }).retry("abc"), NoAnswer);
  assert.ok(waits.length > 0); // nothing was sent, so it may be tried again
});

test("a host with several addresses that all refuse is named with the reason", async (t) => {
  const gone = new FrontServer(ENDPOINT);
  const { port } = new URL(await gone.start());
  await gone[Symbol.asyncDispose]();
  const addresses = ["127.0.0.1", "::1"].map((address) => ({ address, family: address === "::1" ? 6 : 4 }));
  const lookup = (_host: string, _options: object, found: (error: null, all: object[]) => void): void => found(null, addresses);
  t.mock.method(dns, "lookup", lookup as unknown as typeof dns.lookup);
  const refused = new Client(`http://localhost:${port}`, { deadline: 0.1 }).counts();
  await assert.rejects(refused, (error) => {
    assert.ok(error instanceof NoAnswer);
    assert.match(error.message, /gave no answer: connect \w+ 127\.0\.0\.1:\d+.*, connect \w+ ::1:\d+/);
    return true;
  });
});

test("a signal ends a request, a wait and a stream with its own reason", async (t) => {
  const reason = new Error("not wanted any more");
  const asked = new AbortController();
  const silent = await before(t, [() => asked.abort(reason)]);
  await assert.rejects(silent.client.query(QUESTION, { signal: asked.signal }), reason);
  assert.equal(silent.front.requests.length, 1);

  const waiting = new AbortController();
  const full = await before(t, [reply(429, "", { "Retry-After": "60" })], { sleep: undefined });
  const refused = assert.rejects(full.client.query(QUESTION, { signal: waiting.signal }), reason);
  while (full.front.requests.length === 0) await new Promise(setImmediate);
  waiting.abort(reason);
  await refused;

  const followed = new AbortController();
  const events = client.events({ signal: followed.signal });
  await events.next();
  const next = assert.rejects(events.next(), reason);
  followed.abort(reason);
  await next;
});

test("a redirect does not take the key elsewhere", async (t) => {
  const other = await before(t, []);
  const seen = await before(t, [reply(307, "", { Location: `${other.endpoint}/api/query` })]);
  await assert.rejects(seen.client.query(QUESTION), (error) => error instanceof ApiError && error.status === 307);
  assert.deepEqual(other.front.requests, []);
  assert.deepEqual(seen.front.authorizations, [`Bearer ${KEY}`]);
});

test("a bucket gets the file without the key", async (t) => {
  const bucket = await before(t, [reply(200)]);
  const url = `${bucket.endpoint}/signed`;
  const named = { id: "abc", method: "PUT", url, headers: { "X-Signed": "1" }, expiresAt: "" };
  const seen = await before(t, [reply(413), reply(200, JSON.stringify(named))]);
  const uploaded = await seen.client.upload(new Blob([text("Vera")]), { path: "vera.md" });
  assert.deepEqual(uploaded, { id: "abc", filename: "vera.md", status: "PENDING", isNew: true });
  assert.deepEqual(bucket.front.requests, ["PUT /signed"]);
  assert.deepEqual(bucket.front.authorizations, [undefined]);
});

test("an answer of another server is unreadable", async (t) => {
  const other = await before(t, [reply(200, "<h1>Welcome</h1>"), reply(200, '{"hits": []}')]);
  await assert.rejects(other.client.query(QUESTION), /wrong: the whole/);
  await assert.rejects(other.client.query(QUESTION), UnreadableAnswer);
});

test("a key does not go to another machine without encryption", () => {
  for (const endpoint of ["http://rag.example.com", "http://127.0.0.1.example.com", "http://10.0.0.1:8080"]) {
    assert.throws(() => new Client(endpoint, { key: KEY }), ConfigurationError);
    new Client(endpoint, { key: KEY, allowPlainHttp: true });
    new Client(endpoint);
  }
  for (const endpoint of ["https://rag.example.com", "http://[::1]:8080", "http://rag.localhost", "http://127.9.9.9"]) {
    new Client(endpoint, { key: KEY });
  }
});

test("what is no endpoint and no key is refused, and not repeated", () => {
  for (const endpoint of ["", "rag.example.com", "ftp://a", "https://a:secret@b", "https://a?key=secret", "https://a#secret"]) {
    assert.throws(
      () => new Client(endpoint),
      (error) => error instanceof ConfigurationError && !error.message.includes("secret"),
    );
  }
  for (const key of ["", " secret", "secret\n", "sécret"]) {
    assert.throws(
      () => new Client("https://rag.example.com", { key }),
      (error) => error instanceof ConfigurationError && !error.message.includes("cret"),
    );
  }
});
