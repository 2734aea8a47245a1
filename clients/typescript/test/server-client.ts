/** What the tests share: the server that they ask, and clients of a server before it. */

import type { TestContext } from "node:test";
import { Client, type ClientOptions, type Sleep } from "ragbase";
import { FrontServer } from "./front-server.js";

/** The real server, a key that may read and write, and the password. */
export const { ENDPOINT = "", KEY = "", PASSWORD = "" } = process.env;
export const QUESTION = "When does the nightly backup start?";

/** A client of a server that gives these answers first, and the waits that it made. */
export async function before(
  t: TestContext,
  answers: ConstructorParameters<typeof FrontServer>[1][],
  options: ClientOptions = {},
) {
  const front = new FrontServer(ENDPOINT, ...answers);
  t.after(() => front[Symbol.asyncDispose]());
  const waits: number[] = [];
  const sleep: Sleep = async (seconds) => void waits.push(seconds);
  const endpoint = await front.start();
  return { front, endpoint, waits, client: new Client(endpoint, { key: KEY, sleep, ...options }) };
}

export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
