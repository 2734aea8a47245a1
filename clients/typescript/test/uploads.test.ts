/** Files that change, that go slowly, and what is no file. */

import assert from "node:assert/strict";
import { openAsBlob } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Client, NoAnswer, RagbaseError } from "ragbase";
import { passOn, reply } from "./front-server.js";
import { before, ENDPOINT, KEY } from "./server-client.js";

const TEXT = "The spare keys hang in the porter's lodge, on the board behind the second door.\n";
const client = new Client(ENDPOINT, { key: KEY });

/** A file on the disk, as a Blob that is read when it is sent. */
async function fileOf(t: TestContext, text: string): Promise<{ blob: Blob; file: string }> {
  const folder = await mkdtemp(join(tmpdir(), "ragbase-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = join(folder, "keys.md");
  await writeFile(file, text);
  return { blob: await openAsBlob(file), file };
}

test("what is no file is refused, and no text is made of it", async (t) => {
  const seen = await before(t, []);
  const { blob } = await fileOf(t, TEXT);
  const kinds = { String: "handbook.pdf", Promise: blob.arrayBuffer(), ReadableStream: blob.stream(), Undefined: undefined };
  for (const [kind, value] of Object.entries({ ...kinds, Null: null, Object: { name: "keys.md", size: 8 } })) {
    await assert.rejects(seen.client.upload(value as unknown as Blob, { path: "keys.md" }), (error) => {
      assert.ok(error instanceof TypeError);
      assert.match(error.message, new RegExp(`kind ${kind}\\. Give`));
      return true;
    });
  }
  assert.deepEqual(seen.front.requests, []);
});

test("any bytes are a file", async () => {
  const bytes = new TextEncoder().encode(`..${TEXT}`);
  const kinds = [bytes.subarray(2), Buffer.from(TEXT), new DataView(bytes.buffer, 2), bytes.slice(2).buffer];
  const { id } = await client.upload(new Blob([TEXT]), { path: "any bytes.md" });
  for (const kind of kinds) {
    const uploaded = await client.upload(kind as Uint8Array, { path: "any bytes.md" });
    assert.deepEqual([uploaded.id, uploaded.isNew], [id, false]);
  }
  await client.delete(id);
});

test("a file that is gone is named, and nothing is sent", async (t) => {
  const { blob, file } = await fileOf(t, TEXT);
  await rm(file);
  const seen = await before(t, []);
  await assert.rejects(seen.client.upload(blob, { path: "hr/keys.md" }), (error) => {
    assert.ok(error instanceof RagbaseError && !(error instanceof NoAnswer));
    assert.match(error.message, /^hr\/keys\.md can't be read: /);
    return true;
  });
  assert.deepEqual([seen.front.requests, seen.waits], [[], []]);
});

test("each attempt sends the bytes of the first one, whatever happens to the file", async (t) => {
  const { blob, file } = await fileOf(t, TEXT);
  const changed = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await writeFile(file, "Something else, which nobody has uploaded.");
    reply(503)(request, response);
  };
  const seen = await before(t, [(request, response) => void changed(request, response), passOn(ENDPOINT)]);
  const { id } = await seen.client.upload(blob, { path: "changed.md" });
  assert.equal(seen.front.requests.length, 2);
  assert.equal(await (await client.content(id)).text(), TEXT);
  await client.delete(id);
});

test("the time in which a file is sent is no silence of the server", async (t) => {
  const uploaded = JSON.stringify({ id: "abc", filename: "a.md", status: "PENDING" });
  let take = (): void => assert.fail("nothing was sent");
  const slow = await before(
    t,
    [(request, response) => void (take = () => reply(202, uploaded)(request, response))],
    { timeout: 0.05 },
  );
  const upload = slow.client.upload(new Uint8Array(10_000_000), { path: "a.md" });
  while (slow.front.requests.length === 0) await new Promise(setImmediate);
  // Another request of the same server and limits, which begins later, is over before the file has gone.
  const silent = await before(t, [() => undefined], { timeout: 0.05, deadline: 0.05 });
  await assert.rejects(silent.client.counts(), NoAnswer);
  take();
  assert.equal((await upload).id, "abc");
  assert.equal(slow.front.requests.length, 1);
});
