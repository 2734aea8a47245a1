// Calls each method of the client with the given arguments, with its name as the key. Prints the names of all methods.
import { Client } from "ragbase";
import { text } from "node:stream/consumers";

const ENDPOINT = process.argv[2];
const calls = JSON.parse(await text(process.stdin));
const names = (object) => Object.getOwnPropertyNames(Object.getPrototypeOf(object)).filter((name) => name !== "constructor");
const client = new Client(ENDPOINT);
const methods = [...names(client), ...names(client.operator).map((name) => `operator.${name}`)];

for (const [name, [positional, options]] of Object.entries(calls)) {
  if (!methods.includes(name)) continue;
  const asked = new Client(ENDPOINT, { key: name });
  const [method, group] = name.split(".").reverse();
  const object = group ? asked[group] : asked;
  const given = method === "upload" ? [new Blob(positional)] : positional;
  try {
    const called = object[method](...given, options);
    await (called[Symbol.asyncIterator] ? called.next() : called);
  } catch (error) {
    if (error.name !== "ApiError") throw error;
  }
}
console.log(JSON.stringify(methods));
