// What is done with documents, one or many of them: delete, retry, download.
import { address, send } from "./api.js";
import { forget, hidden, learn } from "./documents.js";
import { notice } from "./notices.js";
import { shown, t } from "./words.js";

const AT_ONCE = 4;
// A browser lets a page that closes send some requests, and no others. Of more documents, none is deleted then.
const MOST_AT_THE_END = 20;
// Milliseconds between two downloads: a browser takes two at once for one.
const APART = 400;

const pathOf = (one) => `api/documents/${encodeURIComponent(one.id)}`;

// Do it for all, a few at a time. Returns what failed, with the errors.
async function each(documents, act) {
  const rest = [...documents];
  const failed = [];
  const work = async () => {
    for (let one = rest.shift(); one; one = rest.shift()) await act(one).catch((error) => failed.push([one, error]));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return failed;
}

function tellOf(failed, one, many) {
  if (!failed.length) return;
  const [first, error] = failed[0];
  const text = t(failed.length > 1 ? many : one, {
    count: failed.length,
    name: shown(first.filename),
    why: error.message || t("offline"),
  });
  notice(text, { isBad: true });
}

export async function retry(documents) {
  const failed = await each(documents, async (one) => learn(await (await send("POST", `${pathOf(one)}/retry`)).json()));
  tellOf(failed, "notRetried", "notRetriedMany");
}

// The answer of a bucket is an address of its own, so a link is followed and nothing is fetched.
export async function download(documents) {
  for (const [index, one] of documents.entries()) {
    if (index) await new Promise((done) => setTimeout(done, APART));
    const link = Object.assign(document.createElement("a"), { href: address(`${pathOf(one)}/content`).href, download: "" });
    link.click();
  }
}

const leaving = new Set();

// They disappear at once, and are deleted when nobody can undo that any more. A page that closes deletes a few at
// once; before it leaves more of them, it asks, and then they stay.
export function remove(documents) {
  const ids = documents.map((one) => one.id);
  hidden.value = new Set([...hidden.value, ...ids]);
  const show = () => (hidden.value = new Set([...hidden.value].filter((id) => !ids.includes(id))));
  const isMany = ids.length > MOST_AT_THE_END;
  const key = Symbol("deletion");
  if (isMany) leaving.add(key);
  const name = shown(documents[0].filename);
  notice(ids.length > 1 ? t("deletedMany", { count: ids.length }) : t("deleted", { name }), {
    undo: () => {
      leaving.delete(key);
      show();
    },
    undoText: t("undo"),
    done: async ({ isEnd = false } = {}) => {
      if (isEnd && isMany) return show();
      const drop = async (one) => {
        await send("DELETE", pathOf(one), { keepalive: true }).catch((error) => {
          if (error.status !== 404) throw error; // somebody else was quicker
        });
        forget([one.id]);
      };
      const failed = await (isEnd ? Promise.all(documents.map(drop)).then(() => []) : each(documents, drop));
      leaving.delete(key);
      tellOf(failed, "notDeleted", "notDeletedMany");
      requestAnimationFrame(show); // after they are gone from the list
    },
  });
}

addEventListener("beforeunload", (event) => {
  if (leaving.size) event.preventDefault();
});
