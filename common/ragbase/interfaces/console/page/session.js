// Who asks, and what they may do. The token is in a cookie that no script sees.
import { computed, signal } from "./vendor/signals.js";
import { get, post, send, whenOver } from "./api.js";

// null until the server has said it. Without `by`, nobody is signed in.
export const session = signal(null);
export const isOver = signal(false);
// Why the server answers nobody here, if it does not.
export const barred = signal("");

export const mayRead = computed(() => session.value?.scopes.includes("read") && session.value.by !== "public");
export const mayWrite = computed(() => session.value?.scopes.includes("write") ?? false);
// What is about the whole deployment: its keys, dead letters, sources.
export const mayOperate = computed(() => session.value?.operator ?? false);

// Another caller has other documents: nothing of the last one's stays on the page.
export function onAnotherCaller(forget) {
  let before = null;
  session.subscribe((now) => {
    const caller = now && `${now.by} ${now.name} ${now.tenant}`;
    if (before !== null && caller !== null && caller !== before) forget();
    before = caller ?? before;
  });
}

whenOver.call = () => {
  if (!session.value?.signedIn) return;
  isOver.value = true;
  session.value = { scopes: [], signedIn: false };
};

const known = (said) => ({ scopes: [], ...said });

export async function look() {
  session.value = known(await get("api/session"));
}

export async function signIn(secret) {
  const said = await post("api/session", { secret });
  isOver.value = false;
  session.value = known(said);
}

export async function signOut({ everywhere = false } = {}) {
  await send("DELETE", `api/session${everywhere ? "?everywhere=true" : ""}`);
  isOver.value = false;
  await look();
}
