// How one file is sent: a small one in a form, a large one in parts to an address of its own, which goes on after a break.
import { Offline, address, post, refused } from "./api.js";
import { forgetUnfinished, keepUnfinished, unfinishedOf } from "./unfinished.js";

// Above so many bytes, it is not sent in a form: Cloud Run takes no request above 32 MB, and a break costs too much.
const LARGE = 8 * 1024 * 1024;
// Resume Incomplete: some bytes are there, and `Range` says which.
const INCOMPLETE = 308;

// Send it. `progress` is told of the bytes that have arrived, `stop` ends it. Returns what the server says of the
// document; raises Refused, Offline, or an AbortError.
export function send(one, progress, stop) {
  return one.size > LARGE || one.expects ? sendInParts(one, progress, stop) : sendForm(one, progress, stop);
}

async function sendForm(one, progress, stop) {
  const form = new FormData();
  form.append("file", one.file);
  form.append("path", one.path);
  form.append("replace", String(one.replace));
  const answer = await ask("POST", address("api/documents"), { body: form, size: one.size, progress, stop });
  return parsed(good(answer));
}

async function sendInParts(one, progress, stop) {
  let place = unfinishedOf(one);
  let at = place ? await arrived(place, one, stop) : null;
  if (!at) {
    forgetUnfinished(one); // the time of the address is over, or another content came meanwhile
    place = await begin(one);
    at = { sent: 0 };
  }
  while (!at.answer) {
    progress(at.sent);
    if (place.partSize) keepUnfinished(one, place, at.sent);
    at = await sendPart(one, place, at.sent, progress, stop);
  }
  // A refusal of the whole file ends its address, but a server that is away does not.
  if (at.answer.status < 500) forgetUnfinished(one);
  return { ...parsed(good(at.answer)), id: place.id };
}

async function sendPart(one, { url, headers, partSize }, from, progress, stop) {
  const end = Math.min(one.size, from + (partSize ?? one.size));
  const range = partSize && { "Content-Range": `bytes ${from}-${end - 1}/${one.size}` };
  const answer = await ask("PUT", here(url), {
    body: one.file.slice(from, end),
    headers: { ...headers, ...range },
    size: end - from,
    progress: (sent) => progress(from + sent),
    stop,
  });
  if (answer.status !== INCOMPLETE) return { answer };
  const sent = placeAfter(answer, url, end);
  if (sent <= from) throw new Offline(); // it takes nothing: try again later
  return { sent };
}

async function begin(one) {
  const wanted = { path: one.path, size: one.size, replace: one.replace || Boolean(one.expects), inParts: true };
  const place = await post("api/uploads", wanted);
  if (one.expects && one.expects !== place.id) throw new OtherDocument();
  return { ...place, until: place.expiresAt };
}

// The document that is to be replaced has not come by an upload: it would come back from where it is.
export class OtherDocument extends Error {}

// How many bytes are there already, or the answer if all of them are; null if the address is over.
async function arrived(place, one, stop) {
  const headers = { "Content-Range": `bytes */${one.size}` };
  const answer = await ask("PUT", here(place.url), { headers, size: 0, progress: () => {}, stop });
  if (answer.status === INCOMPLETE) return { sent: placeAfter(answer, place.url, place.sent) };
  if (answer.status >= 500 || answer.status === 429) good(answer);
  return answer.status < 300 ? { answer } : null;
}

// Cloud Storage lets no page of another origin read `Range`. Then all that it was sent before has come: it answers a part
// when it has kept it, and leaves out bytes that it has already
// (cloud.google.com/storage/docs/performing-resumable-uploads).
function placeAfter({ range }, url, sent) {
  const [, last] = range.match(/-(\d+)$/) ?? [];
  if (last !== undefined) return Number(last) + 1;
  return isOwn(url) ? 0 : sent;
}

const ownPart = (url) => new URL(url, document.baseURI).pathname.match(/\/api\/uploads\/([^/]+)$/);
const isOwn = (url) => ownPart(url) !== null;

// An address of this server is asked where the page is: a proxy may have another name than the server knows.
function here(url) {
  const own = ownPart(url);
  return own ? address(`api/uploads/${own[1]}`) : new URL(url);
}

// By XMLHttpRequest: fetch does not say how much is sent.
function ask(method, url, { body, headers = {}, size, progress, stop }) {
  return new Promise((give, fail) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = (event) => progress(Math.min(size, Math.round((event.loaded / event.total) * size)));
    request.onload = () =>
      give({
        status: request.status,
        text: request.responseText,
        range: header(request, "range"),
        after: header(request, "retry-after"),
      });
    request.onerror = () => fail(new Offline());
    request.onabort = () => fail(new DOMException("", "AbortError"));
    stop.addEventListener("abort", () => request.abort());
    request.send(body ?? null);
  });
}

// To ask for one that another origin does not show is an error in the browser's log.
const header = (request, name) =>
  request.getAllResponseHeaders().match(new RegExp(`^${name}: *(.*)$`, "im"))?.[1].trim() ?? "";

function good(answer) {
  if (answer.status < 300) return answer;
  throw refused(answer.status, parsed(answer), answer.after);
}

function parsed({ text }) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}
