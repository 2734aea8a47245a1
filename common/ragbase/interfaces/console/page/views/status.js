// The state of a document, and its numbers in words.
import { html } from "../html.js";
import { number, t } from "../words.js";

export function Status({ status: name }) {
  return html`<span class="status ${name.toLowerCase()}">${t(name)}</span>`;
}

export const facts = (one) =>
  [
    one.pageCount !== undefined && t("pages", { count: one.pageCount }),
    one.ocrPages && t("ocrPages", { count: one.ocrPages }),
    one.pagesWithoutText && t("pagesWithoutText", { count: one.pagesWithoutText }),
    one.chunkCount !== undefined && t("chunks", { count: one.chunkCount }),
    one.parts && t("partsRead", { done: number(one.partsRead), total: number(one.parts) }),
    one.retryCount > 0 && t("attempts", { count: one.retryCount }),
  ].filter(Boolean);
