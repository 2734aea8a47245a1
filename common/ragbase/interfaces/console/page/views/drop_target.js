// Files can be dropped anywhere on the page.
import { useLayoutEffect, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { mayWrite } from "../session.js";
import { filesOf } from "../files.js";
import { add } from "../uploads.js";

export function DropTarget() {
  const [isOver, setOver] = useState(false);
  // As soon as the page is there to drop something on.
  useLayoutEffect(() => {
    const brings = (event) => mayWrite.value && event.dataTransfer?.types.includes("Files");
    const over = (event) => {
      if (!brings(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event) => event.relatedTarget === null && setOver(false);
    const drop = async (event) => {
      if (!brings(event)) return;
      event.preventDefault();
      setOver(false);
      const files = await filesOf(event.dataTransfer);
      location.hash = "#/documents";
      add(files);
    };
    const listeners = { dragover: over, dragleave: leave, drop };
    for (const [name, listener] of Object.entries(listeners)) addEventListener(name, listener);
    return () => Object.entries(listeners).forEach(([name, listener]) => removeEventListener(name, listener));
  }, []);
  return isOver && html`<div class="drop" aria-hidden="true">${t("drop")}</div>`;
}
