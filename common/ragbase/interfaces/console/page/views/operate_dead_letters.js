// The undeliverable messages: why each failed, and a way to send it again.
import { useEffect, useMemo, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { post } from "../api.js";
import { listing } from "../listing.js";
import { notice } from "../notices.js";
import { toDocument } from "../route.js";
import { Confirm } from "./operate_confirm.js";
import { Listed, Time } from "./operate_table.js";

const FATES = { replayed: "replayed", outdated: "replayOutdated", refused: "replayRefused" };
const PAUSE = 300;

export function DeadLetters() {
  const letters = useMemo(() => listing("api/dead-letters", "deadLetters"), []);
  const [reason, setReason] = useState("");
  const [asked, setAsked] = useState(null);
  const parameters = { reason };
  useEffect(() => {
    const timer = setTimeout(() => letters.load({ parameters }), reason ? PAUSE : 0);
    return () => clearTimeout(timer);
  }, [reason]);
  const replay = async () => {
    const { fate, reason: why } = await post(`api/dead-letters/${encodeURIComponent(asked.id)}/replay`);
    notice(t(FATES[fate], { why: why ?? "" }), { isBad: fate === "refused" });
  };
  const over = (isDone) => {
    setAsked(null);
    if (!isDone) return;
    document.getElementById("section").focus(); // the button that asked goes with its row
    letters.load({ parameters });
  };
  const columns = [
    ["document", name],
    ["reason", ({ code, reason: why }) => html`<span class="code">${code}</span> ${why}`],
    ["now", ({ documentStatus }) => NOW[documentStatus] ? t(NOW[documentStatus]) : (documentStatus ?? "–")],
    ["lastSeen", ({ lastSeen }) => html`<${Time} at=${lastSeen} />`],
    [
      "action",
      (one) => html`<button type="button" aria-label=${t("replayNamed", { name: nameOf(one) })}
        onClick=${() => setAsked(one)}>${t("replay")}</button>`,
    ],
  ];
  return html`
    <p class="hint">${t("deadLettersHint")}</p>
    <div class="tools" role="search">
      <label class="grow"><span class="unseen">${t("filterByReason")}</span>
        <input type="search" maxlength="200" placeholder=${t("filterByReason")} value=${reason}
          onInput=${(event) => setReason(event.target.value)} />
      </label>
    </div>
    <${Listed} of=${letters} parameters=${parameters} label=${t("deadLetters")} columns=${columns}
      keyOf=${({ id }) => id} empty=${t(reason ? "noSuchReason" : "noDeadLetters")} />
    ${
      asked &&
      html`<${Confirm} question=${t("replayAsked", { name: nameOf(asked) })} about=${t("replayAbout")}
        verb=${t("replay")} act=${replay} done=${over} />`
    }
  `;
}

const NOW = { PENDING: "PENDING", PROCESSING: "PROCESSING", COMPLETED: "COMPLETED", FAILED: "FAILED", DELETED: "wasDeleted", REPLACED: "wasReplaced" };

const nameOf = ({ filename }) => (filename === undefined ? t("unreadMessage") : shown(filename));

function name(one) {
  if (one.filename === undefined) return t("unreadMessage");
  return html`<a href=${toDocument(one.documentId)}><bdi>${shown(one.filename)}</bdi></a>`;
}
