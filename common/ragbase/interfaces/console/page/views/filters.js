// The filter of a question as chips, and a row to add one.
import { useEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { get } from "../api.js";
import { COMPARISONS, FORMATS, NAMES, withPart } from "../filters.js";
import { mayRead } from "../session.js";
import { DocumentPicker } from "./document_picker.js";

const LABELS = {
  in: "filterDocument",
  folder: "filterFolder",
  format: "filterFormat",
  tag: "filterTag",
  title: "filterTitle",
  url: "filterUrl",
  from: "filterFrom",
  to: "filterTo",
  where: "filterWhere",
};
const WORDS = { "=": "equals", ">=": "atLeast", "<=": "atMost" };

// `onChange` gets the other filter.
export function Filters({ filter, onChange }) {
  const [isAdding, setAdding] = useState(false);
  const adder = useRef(null);
  const chips = useRef(null);
  const close = () => {
    setAdding(false);
    requestAnimationFrame(() => adder.current?.focus());
  };
  const add = (part) => {
    onChange(withPart(filter, part));
    close();
  };
  const removed = useRef(-1);
  const remove = (index) => {
    removed.current = index;
    onChange(filter.filter((_, other) => other !== index));
  };
  // The focus goes on to the next chip, so that a second key removes that one.
  useEffect(() => {
    if (removed.current >= 0) chips.current.querySelectorAll("button")[removed.current]?.focus();
    removed.current = -1;
  }, [filter.length]);
  return html`<div class="filters" role="group" aria-label=${t("filters")} ref=${chips}>
    ${filter.map((part, index) => html`<${Chip} key=${part.join(" ")} part=${part} onRemove=${() => remove(index)} />`)}
    ${
      isAdding
        ? html`<${Adding} onAdd=${add} onClose=${close} />`
        : html`<button type="button" ref=${adder} class="chip add" onClick=${() => setAdding(true)}>
            + ${t("addFilter")}
          </button>`
    }
  </div>`;
}

function Chip({ part: [kind, text], onRemove }) {
  const value = kind === "in" ? html`<${Name} id=${text} />` : shown(text);
  const keys = (event) => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    onRemove();
  };
  return html`<button type="button" class="chip on" title=${t("removeFilter")} onClick=${onRemove} onKeyDown=${keys}>
    <span class="kind">${t(LABELS[kind])}</span> <bdi>${value}</bdi>
    <span aria-hidden="true">×</span><span class="unseen"> (${t("removeFilter")})</span>
  </button>`;
}

function Name({ id }) {
  const [name, setName] = useState(id.slice(0, 8));
  useEffect(() => {
    get(`api/documents/${encodeURIComponent(id)}`).then(
      (one) => setName(one.filename),
      () => null,
    );
  }, [id]);
  return shown(name);
}

function Adding({ onAdd, onClose }) {
  const kinds = NAMES.filter((kind) => kind !== "in" || mayRead.value);
  const [kind, setKind] = useState("folder");
  const place = useRef(null);
  const submit = (event) => {
    event.preventDefault();
    const { value, key, comparison } = Object.fromEntries(new FormData(event.target));
    if (value?.trim()) onAdd([kind, kind === "where" ? `${key.trim()}${comparison}${value.trim()}` : value.trim()]);
  };
  const escape = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    onClose();
  };
  useEffect(() => place.current.querySelector("input").focus(), [kind]);
  return html`<form class="adding" ref=${place} onSubmit=${submit} onKeyDown=${escape}>
    <label
      ><span class="unseen">${t("filterKind")}</span>
      <select value=${kind} onChange=${(event) => setKind(event.target.value)}>
        ${kinds.map((one) => html`<option value=${one}>${t(LABELS[one])}</option>`)}
      </select>
    </label>
    ${
      kind === "in"
        ? html`<${DocumentPicker}
            label=${t("whichDocument")}
            onPick=${(one) => one.id && onAdd(["in", one.id])}
          />`
        : html`<${Value} key=${kind} kind=${kind} />
            <button class="button quiet">${t("add")}</button>`
    }
    <button type="button" aria-label=${t("close")} onClick=${onClose}>×</button>
  </form>`;
}

const PLACEHOLDERS = { folder: "guides/2024", tag: "backup", title: "…", url: "docs.example/" };

function Value({ kind }) {
  if (kind === "where")
    return html`<label class="grow"
        ><span class="unseen">${t("conditionKey")}</span>
        <input name="key" required pattern="[^=<>]*\\S[^=<>]*" placeholder=${t("conditionKey")} />
      </label>
      <label
        ><span class="unseen">${t("comparison")}</span>
        <select name="comparison">
          ${COMPARISONS.map((one) => html`<option value=${one}>${t(WORDS[one])}</option>`)}
        </select>
      </label>
      <label class="grow"
        ><span class="unseen">${t("conditionValue")}</span>
        <input name="value" required placeholder=${t("conditionValue")} />
      </label>`;
  const type = kind === "from" || kind === "to" ? "date" : "text";
  return html`<label class="grow"
    ><span class="unseen">${t(LABELS[kind])}</span>
    <input
      name="value"
      type=${type}
      required
      autocomplete="off"
      list=${kind === "format" ? "formats" : null}
      placeholder=${PLACEHOLDERS[kind] ?? ""}
    />
    ${kind === "format" && html`<datalist id="formats">${FORMATS.map((one) => html`<option value=${one} />`)}</datalist>`}
  </label>`;
}
