// Requests to the public API, on the address that the page came from. The browser adds the cookie of the sign-in.
import { signal } from "./vendor/signals.js";

export const offline = signal(false);

// What to do when the server says that nobody is signed in. session.js sets it.
export const whenOver = { call: () => {} };

export class Refused extends Error {
  constructor(status, code, message, retryAfter) {
    super(message);
    Object.assign(this, { status, code, retryAfter });
  }
}

export class Offline extends Error {}

export const address = (path) => new URL(path, document.baseURI);

// A server with much to do says when to come again, and has begun nothing. How often, and for how many seconds at most.
const TURNS = 5;
const SOON = 3;

async function fetched(path, options) {
  for (let turn = 1; ; turn += 1) {
    const answer = await fetch(address(path), options);
    const wait = Number(answer.headers.get("Retry-After"));
    if (answer.status !== 429 || turn === TURNS || !(wait > 0 && wait <= SOON)) return answer;
    await new Promise((go) => setTimeout(go, 1000 * wait));
    options.signal?.throwIfAborted();
  }
}

export async function send(method, path, { body, accept, signal: stop, keepalive } = {}) {
  const headers = { ...(body && { "Content-Type": "application/json" }), ...(accept && { Accept: accept }) };
  let answer;
  try {
    answer = await fetched(path, {
      method,
      headers,
      body: body && JSON.stringify(body),
      signal: stop,
      keepalive,
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    offline.value = true;
    throw new Offline();
  }
  offline.value = false;
  if (!answer.ok) throw await refusal(answer);
  return answer;
}

export const get = async (path, options) => (await send("GET", path, options)).json();
export const post = async (path, body) => (await send("POST", path, { body })).json();

async function refusal(answer) {
  const said = await answer.json().catch(() => ({}));
  return refused(answer.status, said, answer.headers.get("Retry-After"));
}

export function refused(status, said, retryAfter) {
  if (status === 401) whenOver.call();
  return new Refused(status, said.error ?? "", said.message ?? `${status}`, Number(retryAfter) || 0);
}

// The events of an answer, one after the other, each as soon as it is there.
export async function* events(path, body, stop) {
  const answer = await send("POST", path, { body, accept: "text/event-stream", signal: stop });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    waiting += value;
    const whole = waiting.split("\n\n");
    waiting = whole.pop();
    for (const one of whole) yield event(one);
  }
}

function event(text) {
  const fields = Object.fromEntries(
    text.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  return { name: fields.event, data: JSON.parse(fields.data) };
}
