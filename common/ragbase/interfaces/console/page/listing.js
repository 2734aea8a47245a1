// What the server lists page after page, for a view that shows one such list. No view in it.
import { signal } from "./vendor/signals.js";
import { Offline, Refused, get } from "./api.js";
import { t } from "./words.js";

// `field` is where an answer has its rows. `said` is the whole last answer.
export function listing(path, field) {
  const state = signal({ rows: [], said: null, next: null, isLoading: true, error: "" });
  let turn = 0;

  async function load(options = {}) {
    const mine = (turn += 1);
    const before = state.value;
    state.value = { ...before, isLoading: true, error: "" };
    const asked = { ...options.parameters, ...(options.next && { cursor: options.next }) };
    const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value));
    try {
      const said = await get(`${path}${query.size ? `?${query}` : ""}`);
      if (mine !== turn) return;
      const rows = options.next ? [...before.rows, ...said[field]] : (said[field] ?? []);
      state.value = { rows, said, next: said.nextCursor ?? null, isLoading: false, error: "" };
    } catch (error) {
      if (!(error instanceof Offline || error instanceof Refused)) throw error;
      const why = error instanceof Offline ? t("offline") : error.message;
      if (mine === turn) state.value = { ...before, isLoading: false, error: why };
    }
  }

  return { state, load };
}
