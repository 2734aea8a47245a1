// A field for the name of a document: it lists those that fit while somebody types.
import { useEffect, useId, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { shown, t } from "../words.js";
import { beginNames, named } from "../document_names.js";

const MOST = 8;

// `onPick` gets the document, or only the name that was typed. The field is empty again afterwards.
export function DocumentPicker({ label, onPick, isFocused = true }) {
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState([]);
  const [active, setActive] = useState(-1);
  const [isOpen, setOpen] = useState(false);
  const field = useRef(null);
  const id = useId();
  useEffect(() => {
    if (isFocused) field.current.focus({ preventScroll: true });
    beginNames().catch(() => null);
  }, []);
  useEffect(() => {
    let isWanted = true;
    named(typed, MOST, () => isWanted).then(
      (names) => isWanted && setFound(names),
      () => isWanted && setFound([]),
    );
    return () => (isWanted = false);
  }, [typed]);

  const pick = (one) => {
    if (!one.filename) return;
    setTyped("");
    setOpen(false);
    setActive(-1);
    onPick(one);
  };
  const keys = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && found.length) {
      event.preventDefault();
      setOpen(true);
      setActive((active + step + found.length + (active < 0 && step < 0 ? 1 : 0)) % found.length);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const exact = found.find((one) => one.filename.normalize() === typed.trim().normalize());
      pick(found[isOpen ? active : -1] ?? exact ?? (found.length === 1 ? found[0] : { filename: typed.trim() }));
    } else if (event.key === "Escape" && isOpen) {
      event.stopPropagation();
      setOpen(false);
    }
  };
  const type = (event) => {
    setTyped(event.target.value);
    setActive(-1);
    setOpen(true);
  };
  const isListed = isOpen && found.length > 0;
  const option = (one, index) =>
    html`<li
      id="${id}-${index}"
      role="option"
      aria-selected=${String(index === active)}
      onMouseDown=${(event) => event.preventDefault()}
      onClick=${() => pick(one)}
    >
      <bdi>${shown(one.filename)}</bdi>
    </li>`;
  return html`<div class="picker grow">
    <input
      ref=${field}
      role="combobox"
      aria-label=${label}
      aria-autocomplete="list"
      aria-expanded=${String(isListed)}
      aria-controls=${id}
      aria-activedescendant=${isListed && active >= 0 ? `${id}-${active}` : null}
      autocomplete="off"
      placeholder=${label}
      value=${typed}
      onInput=${type}
      onKeyDown=${keys}
      onFocus=${() => setOpen(true)}
      onBlur=${() => setOpen(false)}
    />
    <ul id=${id} role="listbox" aria-label=${t("documents")} hidden=${!isListed}>
      ${isListed && found.map(option)}
    </ul>
  </div>`;
}
