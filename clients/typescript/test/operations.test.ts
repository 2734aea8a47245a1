/** What a program does beside asking: files and pages, golden questions, signing in, and what the operator does. */

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { ApiError, Client, ConfigurationError, UnreadableAnswer } from "ragbase";
import { reply } from "./front-server.js";
import { all, before, ENDPOINT, KEY, PASSWORD, QUESTION } from "./server-client.js";

/** A PDF with one line of text. */
const { HANDBOOK = "" } = process.env;
const client = new Client(ENDPOINT, { key: KEY });

function isRefused(status: number, code: string): (error: unknown) => boolean {
  return (error) => error instanceof ApiError && error.status === status && error.code === code;
}

test("a PDF is kept as it was, and shows its pages", async () => {
  const bytes = await readFile(HANDBOOK);
  const { id } = await client.upload(bytes, { path: "hr/handbook.pdf" });
  const { chunkCount } = await client.wait(id);
  assert.equal(chunkCount, 1);
  const content = await client.content(id);
  assert.ok(Buffer.from(await content.arrayBuffer()).equals(bytes));
  assert.equal(content.type, "application/pdf");

  const pages = await client.pages(id);
  assert.deepEqual([pages.known, pages.pages.map((page) => page.charStart)], [true, [0]]);
  const image = await client.pageImage(id, 1, { width: 300 });
  assert.equal(image.type, "image/png");
  assert.equal(Buffer.from(await image.slice(16, 20).arrayBuffer()).readUInt32BE(), 300);
  await assert.rejects(client.pageImage(id, 2), isRefused(404, "NOT_FOUND"));

  const whole = await client.pageMarks(id, 1, 0, 20);
  const halves = await client.pageMarks(id, 1, 0, 20, { breaks: [8] });
  assert.deepEqual([whole.marks.length, halves.marks.length], [1, 2]);
  assert.equal((await client.reread(id)).status, "COMPLETED"); // this version has read it
  await client.delete(id);
  await assert.rejects(client.content(id), isRefused(404, "NOT_FOUND"));
});

test("places in a text count its characters", async () => {
  const said = `🙂🙂 The visitor's badge is kept at the gate until the evening.\n`;
  const { id } = await client.upload(new Blob([said]), { path: "gate.txt" });
  await client.wait(id);
  const [chunk] = await all(client.chunks(id));
  const { charStart = 0, charEnd = 0 } = chunk?.metadata ?? {};
  const text = await client.text(id);
  assert.equal([...text].slice(charStart, charEnd).join(""), chunk?.content);
  assert.match(chunk?.content ?? "", /evening/);
  await client.delete(id);
});

test("a bucket gives the file without the key, and not over plain http", async (t) => {
  const bucket = await before(t, [reply(200, "the file")]);
  const signed = `${bucket.endpoint}/signed?right=1`;
  const plain = "http://bucket.example.com/signed";
  const seen = await before(t, [reply(302, "", { Location: signed }), reply(302, "", { Location: plain })]);
  assert.equal(await (await seen.client.content("abc")).text(), "the file");
  assert.deepEqual(bucket.front.requests, ["GET /signed?right=1"]);
  assert.deepEqual(bucket.front.authorizations, [undefined]);
  await assert.rejects(seen.client.content("abc"), UnreadableAnswer);
});

test("golden questions are kept, listed and removed", async () => {
  const { id } = await client.upload(new Blob(["It starts when the last visitor has left the building."]), { path: "night.txt" });
  const kept = await client.keepGoldenQuestion(QUESTION, "night.txt");
  assert.deepEqual([kept.question, kept.documentId, kept.filename], [QUESTION, id, "night.txt"]);
  assert.deepEqual(await client.keepGoldenQuestion(QUESTION, id), kept);
  assert.deepEqual(await client.goldenQuestions(), [kept]);
  await client.removeGoldenQuestion(kept.id);
  assert.deepEqual(await client.goldenQuestions(), []);
  await assert.rejects(client.removeGoldenQuestion(kept.id), isRefused(404, "NOT_FOUND"));
  await client.delete(id);
});

test("a password gives a token, until it is given back", async (t) => {
  const seen = await before(t, [], { key: undefined });
  await assert.rejects(seen.client.signIn("wrong"), isRefused(401, "UNAUTHORIZED"));
  assert.equal((await seen.client.session()).by, undefined);
  const { token, expiresAt } = await seen.client.signIn(PASSWORD);
  assert.ok(Date.parse(expiresAt) > Date.now());
  assert.deepEqual([(await seen.client.session()).by, seen.front.authorizations.at(-1)], ["password", `Bearer ${token}`]);
  await seen.client.signOut();
  await assert.rejects(seen.client.counts(), isRefused(401, "UNAUTHORIZED"));
  assert.equal(seen.front.authorizations.at(-1), undefined);
  await assert.rejects(new Client(ENDPOINT, { key: token }).counts(), isRefused(401, "UNAUTHORIZED"));
  await assert.rejects(new Client("http://rag.example.com").signIn(PASSWORD), ConfigurationError);
});

test("the operator sees how the deployment is", async () => {
  const { ok, checks } = await client.operator.health();
  assert.ok(ok && checks.some((check) => check.name === "index"));
  assert.equal(await client.operator.rate(), undefined);
  assert.deepEqual((await client.operator.sources()).sources, []);
  assert.equal((await client.operator.reconciliation()).report, undefined);
  assert.deepEqual(await client.operator.evaluations(), []);
  assert.deepEqual(await all(client.operator.tenants()), []);
  assert.deepEqual(await all(client.operator.deadLetters({ reason: "none" })), []);
  await assert.rejects(client.operator.deadLetter("none"), isRefused(404, "NOT_FOUND"));
  await assert.rejects(client.operator.replay("none"), isRefused(404, "NOT_FOUND"));
});

test("a key is made, used and revoked, and the audit log says so", async () => {
  const since = new Date();
  const made = await client.operator.createKey("robot", { expires: 3, limits: { requests: 9 } });
  const robot = new Client(ENDPOINT, { key: made.key });
  assert.deepEqual((await robot.session()).scopes, ["read"]);
  await assert.rejects(robot.operator.health(), isRefused(403, "FORBIDDEN"));
  const listed = (await all(client.operator.keys())).find((key) => key.id === made.id);
  assert.deepEqual([listed?.name, listed?.limits?.["requests"]?.limit], ["robot", 9]);
  await client.operator.revokeKey(made.id);
  await assert.rejects(robot.counts(), isRefused(401, "UNAUTHORIZED"));
  const entries = await all(client.operator.audit({ action: "key.create", since }));
  assert.deepEqual(entries.map((entry) => entry.outcome), ["done", "begun"]);
  assert.deepEqual(await all(client.operator.audit({ since: new Date("2999-01-01") })), []);
});

test("an id that would be another path is refused", async () => {
  for (const id of ["", ".", ".."]) {
    assert.throws(() => client.delete(id), TypeError);
    assert.throws(() => client.operator.revokeKey(id), TypeError);
    assert.throws(() => client.removeGoldenQuestion(id), TypeError);
  }
});
