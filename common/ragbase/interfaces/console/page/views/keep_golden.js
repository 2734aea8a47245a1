// Keeps a question and the document that should answer it, for the evaluation.
import { useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { Offline } from "../api.js";
import { keepQuestion, keepsQuestion } from "../golden.js";
import { notice } from "../notices.js";
import { mayWrite } from "../session.js";

export function KeepGolden({ question, documentId, filename }) {
  const [isSent, setSent] = useState(false);
  if (!mayWrite.value) return null;
  const isKept = isSent || keepsQuestion(question, documentId);
  const keep = async () => {
    setSent(true);
    try {
      await keepQuestion(question, documentId);
    } catch (error) {
      notice(error instanceof Offline ? t("offline") : error.message, { isBad: true });
    }
    setSent(false);
  };
  const label = t("keepGoldenNamed", { name: shown(filename) });
  return html`<button
    type="button"
    class="keep-golden"
    disabled=${isKept}
    aria-label=${label}
    title=${label}
    onClick=${keep}
  >
    <span aria-hidden="true">${isKept ? "★" : "☆"}</span> ${isKept ? t("golden") : t("keepGolden")}
  </button>`;
}
