// The passages of a document, as far as they are loaded: a hundred at a time, in their order.
import { signal } from "./vendor/signals.js";
import { Offline, get } from "./api.js";
import { t } from "./words.js";

const PAGE = 100;

export class Passages {
  constructor(id) {
    this.path = `api/documents/${encodeURIComponent(id)}/chunks?limit=${PAGE}`;
    this.state = signal({ items: [], next: "0", failed: "" });
    this.loading = null;
  }

  // The next ones. Two callers share one request.
  more() {
    if (this.state.value.next !== null && !this.state.value.failed) this.loading ??= this.take();
  }

  again() {
    this.state.value = { ...this.state.value, failed: "" };
    this.more();
  }

  async take() {
    const { items, next } = this.state.value;
    try {
      const page = await get(`${this.path}&cursor=${next}`);
      this.loading = null;
      this.state.value = { items: [...items, ...page.chunks], next: page.nextCursor ?? null, failed: "" };
    } catch (error) {
      this.loading = null;
      this.state.value = { items, next, failed: error instanceof Offline ? t("offline") : error.message };
    }
  }
}
