// One document: what became of it, and its text.
import { useEffect, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { moment, shown, t } from "../words.js";
import { Offline, address, get } from "../api.js";
import { citationAt } from "../places.js";
import { route, toQuestion } from "../route.js";
import { Loading } from "./loading.js";
import { Status, facts } from "./documents.js";
import { Text } from "./text.js";

const AGAIN = 1500;

export function Document({ id }) {
  const [one, setOne] = useState(null);
  const [failed, setFailed] = useState("");
  useEffect(() => {
    let timer = 0;
    let isHere = true;
    const look = async () => {
      try {
        const found = await get(`api/documents/${encodeURIComponent(id)}`);
        if (!isHere) return;
        setFailed("");
        setOne(found);
        if (found.status !== "COMPLETED" && found.status !== "FAILED") timer = setTimeout(look, AGAIN);
      } catch (error) {
        if (isHere) setFailed(error instanceof Offline ? t("offline") : error.message);
      }
    };
    look();
    return () => {
      isHere = false;
      clearTimeout(timer);
    };
  }, [id]);
  const cited = useCitation(id, route.value.query);
  const back = html`<a class="back" href="#/documents">‹ ${t("documents")}</a>`;
  if (failed) return html`${back}<p class="empty" role="alert">${failed}</p>`;
  if (one === null) return html`${back}<${Loading} />`;
  const said = [...facts(one), t("changed", { time: moment(one.updatedAt) })];
  const content = address(`api/documents/${encodeURIComponent(id)}/content`).href;
  return html`
    ${back}
    <div class="head">
      <h1><bdi>${shown(one.filename)}</bdi></h1>
      ${one.status === "COMPLETED" && html`<a class="button quiet" href=${toQuestion("", id)}>${t("askThis")}</a>`}
      <a class="button quiet" href=${content} download>${t("download")}</a>
    </div>
    <p class="facts"><${Status} status=${one.status} /><span>${said.join(" · ")}</span></p>
    ${one.failReason && html`<p class="wrong">${one.failReason}</p>`}
    ${one.remedy && html`<p class="hint">${one.remedy}</p>`}
    ${one.notes && html`<ul class="said">${one.notes.map((note) => html`<li>${note}</li>`)}</ul>`}
    ${one.status === "COMPLETED" && cited !== undefined && html`<${Text} documentId=${id} citation=${cited} turn=${0} />`}
  `;
}

// What the address marks; null if it marks nothing, undefined until that is known.
function useCitation(id, query) {
  const [cited, setCited] = useState(undefined);
  useEffect(() => {
    let isHere = true;
    const set = (found) => isHere && setCited(found);
    citationAt(id, query).then(set, () => set(null));
    return () => (isHere = false);
  }, [id, query.toString()]);
  return cited;
}
