// <ragbase-ask>: visitors of a page ask the documents of a ragbase server. docs/access.md says how to set it up.
// One module without imports. Texts become text nodes, never markup, and styles are no inline style: the strictest
// policy of a page lets it run. It keeps nothing, and asks its own server alone.

// The server writes both in here, from strings/ and ragbase-ask.css (ask_element.py).
const WORDS = __WORDS__;
const STYLE = __STYLE__;

const MOST = 1000; // characters of a question
const TURNS = 4; // of the conversation go with a question: they count as its tokens
const TURN = 600; // characters of each
const AROUND = 240; // characters of a passage on each side of what is cited
const SERVER = new URL(".", import.meta.url);

// What would turn the letters around it is shown as a box.
const shown = (text) => text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\u0000-\u001f\u007f]/g, "\u25a1");

function make(tag, values = {}, ...children) {
  const { data, ...others } = values;
  const element = Object.assign(document.createElement(tag), others);
  for (const [name, value] of Object.entries(data ?? {})) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null));
  return element;
}

// What somebody can read and do something about.
class Told extends Error {}

class RagbaseAsk extends HTMLElement {
  static observedAttributes = ["endpoint", "key", "language", "heading", "placeholder"];
  #parts = null;
  #allowed = null;
  #looking = null;
  #stop = null;
  #turns = [];

  connectedCallback() {
    this.#parts ??= this.#build();
    this.#name();
  }

  disconnectedCallback() {
    this.#stop?.abort();
  }

  attributeChangedCallback(name) {
    if (name === "endpoint" || name === "key") [this.#allowed, this.#turns] = [null, []];
    if (this.#parts) this.#name();
  }

  get #language() {
    const wanted = [this.getAttribute("language"), this.closest("[lang]")?.lang, ...navigator.languages];
    return wanted.map((one) => (one ?? "").slice(0, 2).toLowerCase()).find((one) => Object.hasOwn(WORDS, one)) ?? "en";
  }

  // Of the texts of the page and its documents; empty if the page names none. The box's own words have #language.
  get #pageLanguage() {
    return this.closest("[lang]")?.lang ?? "";
  }

  #say(name, values = {}) {
    return WORDS[this.#language][name].replace(/\{(\w+)\}/g, (_, place) => String(values[place]));
  }

  #build() {
    const root = this.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    const parts = {
      heading: make("h2", { id: "heading" }),
      name: make("span", { className: "unseen" }),
      field: make("input", { type: "search", name: "question", maxLength: MOST, enterKeyHint: "search" }),
      button: make("button", { className: "button" }),
      answer: make("div", { className: "answer", hidden: true }),
      sources: make("ol"),
      said: make("p", { className: "unseen", data: { role: "status" } }),
    };
    parts.sourcesName = make("h3", { id: "sources" });
    const sources = { hidden: true, data: { "aria-labelledby": "sources" } };
    parts.sourcesBox = make("section", sources, parts.sourcesName, parts.sources);
    parts.form = make("form", { data: { role: "search" } }, make("label", {}, parts.name, parts.field), parts.button);
    const inside = [parts.heading, parts.form, parts.answer, parts.sourcesBox, parts.said];
    parts.box = make("section", { className: "box" }, ...inside);
    parts.form.addEventListener("submit", (event) => {
      event.preventDefault();
      const question = parts.field.value.trim();
      if (question) this.#ask(question);
    });
    // Enter in the field asks the next question, and clicks the button to do so. The second click of a double click
    // does nothing: the first one has asked.
    parts.button.addEventListener("click", (event) => {
      if (event.detail > 1) event.preventDefault();
      else if (this.#stop && !(event.detail === 0 && root.activeElement === parts.field)) {
        event.preventDefault();
        this.#stop.abort();
        this.#looking?.abort();
      }
    });
    // So a wrong key is told before somebody has written a question. After that, the question tells it.
    const tell = (error) => parts.answer.hidden && this.#fail(error);
    parts.form.addEventListener("focusin", () => this.#check().catch(tell), { once: true });
    root.append(parts.box);
    return parts;
  }

  #name() {
    const { heading, name, field, button, box, sourcesName } = this.#parts;
    const title = this.getAttribute("heading") ?? this.#say("heading");
    box.lang = this.#language;
    heading.lang = name.lang = this.hasAttribute("heading") ? this.#pageLanguage : this.#language;
    field.lang = this.#pageLanguage;
    box.setAttribute("aria-label", title || this.#say("heading"));
    heading.textContent = title;
    heading.hidden = !title;
    name.textContent = title || this.#say("heading");
    field.placeholder = this.getAttribute("placeholder") ?? "";
    button.textContent = this.#say(this.#stop ? "stop" : "ask");
    sourcesName.textContent = this.#say("sources");
  }

  async #send(method, path, { body, accept, signal } = {}) {
    const key = this.getAttribute("key");
    const endpoint = new URL(this.getAttribute("endpoint") ?? SERVER, document.baseURI);
    if (!endpoint.pathname.endsWith("/")) endpoint.pathname += "/";
    const headers = {
      ...(key && { Authorization: `Bearer ${key}` }),
      ...(body && { "Content-Type": "application/json" }),
      ...(accept && { Accept: accept }),
    };
    let answer;
    try {
      answer = await fetch(new URL(path, endpoint), {
        method,
        headers,
        signal,
        body: body && JSON.stringify(body),
        credentials: "omit", // no cookie goes with it
        cache: "no-store",
        redirect: "error", // the key goes nowhere else
        referrerPolicy: "origin",
      });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Told(this.#say("unreachable", { origin: location.origin }));
    }
    if (!answer.ok) throw new Told(await this.#refusal(answer));
    return answer;
  }

  async #refusal(answer) {
    if (answer.status === 401) return this.#say("wrongKey");
    if (answer.status === 429) return this.#say("limit", { time: this.#later(answer.headers.get("Retry-After")) });
    const said = answer.status < 500 ? await answer.json().catch(() => ({})) : {};
    return said.message ?? this.#say("failed");
  }

  #later(text) {
    const seconds = Number(text) || 60;
    const [length, unit] = seconds >= 5400 ? [3600, "hour"] : seconds >= 90 ? [60, "minute"] : [1, "second"];
    return new Intl.RelativeTimeFormat(this.#language).format(Math.ceil(seconds / length), unit);
  }

  // Whether the key may read and do nothing else: asked once, and again after it could not be.
  #check() {
    return (this.#allowed ??= this.#look().catch((error) => {
      this.#allowed = null;
      throw error;
    }));
  }

  async #look() {
    this.#looking = new AbortController();
    const { by, scopes } = await (await this.#send("GET", "api/session", { signal: this.#looking.signal })).json();
    if (!this.getAttribute("key") && by !== "public") throw new Told(this.#say("noKey"));
    if (!by) throw new Told(this.#say("wrongKey"));
    const mayMore = scopes.some((scope) => scope !== "read");
    if (mayMore) throw new Told(this.#say("mayWrite", { origin: location.origin }));
  }

  async #ask(question, history = this.#turns) {
    this.#stop?.abort();
    const mine = (this.#stop = new AbortController());
    const { answer } = this.#parts;
    const text = make("p", { dir: "auto" });
    const state = make("p", { className: "hint" });
    const seen = { evidence: new Map(), sources: new Map(), ids: new Set(), isDone: false };
    const tell = (word) => {
      state.textContent = this.#say(word);
      this.#announce(this.#say(word));
    };
    this.#clear();
    answer.replaceChildren(text, state);
    answer.hidden = false;
    answer.setAttribute("aria-busy", "true");
    this.#name();
    tell("searching");
    try {
      await this.#check();
      for await (const { name, data } of this.#events({ query: question, ...(history.length && { history }) }, mine.signal)) {
        if (mine !== this.#stop) return;
        if (name === "evidence") {
          for (const one of data.evidence) seen.evidence.set(one.id, one);
          tell("writing");
        } else if (name === "sentence") this.#addSentence(text, data, seen);
        else if (name === "done") {
          this.#turns = [...history, ...exchange(question, data.text, seen)].slice(-TURNS);
          this.#end(text, state, data, seen, question);
        }
        else if (name === "error") throw new Told(this.#say("failed"));
      }
      if (!seen.isDone) throw new Told(this.#say("cutOff"));
    } catch (error) {
      if (mine !== this.#stop) return;
      if (mine.signal.aborted) tell("stopped");
      else this.#fail(error, question, history);
    } finally {
      if (mine === this.#stop) {
        this.#stop = null;
        answer.setAttribute("aria-busy", "false");
        this.#name();
      }
    }
  }

  async *#events(body, signal) {
    const answer = await this.#send("POST", "api/answer", { body, signal, accept: "text/event-stream" });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let waiting = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      waiting += value;
      const whole = waiting.split("\n\n");
      waiting = whole.pop();
      for (const one of whole) {
        const fields = Object.fromEntries(
          one.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        );
        if (fields.data) yield { name: fields.event, data: JSON.parse(fields.data) };
      }
    }
  }

  #addSentence(text, { text: said, supported, citations }, seen) {
    const marks = citations.map((one) => this.#cite(one, seen));
    const why = supported ? [] : [` (${this.#say("unproven")})`];
    const sentence = make("span", { lang: this.#pageLanguage }, said);
    text.append(make("span", { className: supported ? "" : "unproven" }, sentence, ...why), ...marks, " ");
  }

  // The number of a citation opens its source. Each source is listed once.
  #cite(one, seen) {
    const { charStart, charEnd } = one.metadata;
    const place = `${one.documentId} ${charStart} ${charEnd}`;
    if (!seen.sources.has(place)) {
      seen.ids.add(one.documentId);
      seen.sources.set(place, this.#source(one, seen.sources.size + 1, seen.evidence.get(one.evidence)));
      this.#parts.sources.append(make("li", {}, seen.sources.get(place)));
      this.#parts.sourcesBox.hidden = false;
    }
    const details = seen.sources.get(place);
    const number = details.dataset.number;
    const label = this.#say("source", { number, name: shown(one.filename) });
    const mark = make("button", { type: "button", className: "cite", data: { "aria-label": label } }, number);
    mark.addEventListener("click", () => {
      details.open = true;
      details.opener = mark;
      details.firstChild.focus({ preventScroll: true });
      details.scrollIntoView({ block: "nearest" });
    });
    return mark;
  }

  #source(one, number, passage) {
    const shownNumber = make("span", { className: "number" }, String(number));
    const summary = make("summary", {}, shownNumber, make("span", {}, ...this.#place(one)));
    const quoted = make("blockquote", { dir: "auto", lang: this.#pageLanguage }, ...around(one, passage));
    const details = make("details", {}, summary, quoted);
    details.dataset.number = number;
    details.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || !details.open) return;
      details.open = false;
      (details.opener ?? summary).focus();
    });
    return details;
  }

  #place({ filename, metadata: { page, row, heading } }) {
    const where = [page && this.#say("page", { number: page }), row && this.#say("row", { number: row })];
    const parts = [...where, heading && shown(heading)].filter(Boolean).join(" · ");
    return [make("bdi", {}, shown(filename)), " ", make("span", { className: "where", dir: "auto" }, parts)];
  }

  // The end has the whole text: a refusal came without sentences.
  #end(text, state, end, seen, question) {
    const hint = (...parts) => this.#parts.answer.append(make("p", { className: "hint", dir: "auto" }, ...parts));
    seen.isDone = true;
    state.remove();
    if (!end.answered) {
      this.#clear();
      text.replaceChildren(end.text);
      const near = end.nearMiss?.passages ?? (end.missing ? [...seen.evidence.values()] : []);
      text.after(make("p", { className: "hint" }, this.#say(near.length ? "nearest" : "nothing")));
      if (near.length)
        this.#parts.answer.append(make("ul", {}, ...near.map((one) => make("li", {}, ...this.#place(one)))));
    }
    if (end.lacks?.length) {
      hint(this.#say("lacks", { words: end.lacks.map(shown).join(", ") }));
    }
    for (const part of end.parts ?? [])
      if (!part.covered) {
        const word = part.searched === false ? "notSearched" : "notCovered";
        hint(part.missing?.text ?? this.#say(word, { part: shown(part.text) }));
      }
    if (end.missing && (end.answered || !end.text.includes(end.missing.text))) hint(end.missing.text);
    if (end.searchedFor) {
      const alone = make("button", { type: "button", className: "button quiet" }, this.#say("alone"));
      alone.addEventListener("click", () => {
        this.#parts.field.focus();
        this.#ask(question, []);
      });
      hint(this.#say("searchedFor", { question: shown(end.searchedFor) }), " ", alone);
    }
    this.#announce(end.text, end.answered ? this.#pageLanguage : this.#language);
  }

  #fail(error, question, history) {
    const { answer, field } = this.#parts;
    const message = error instanceof Told ? error.message : this.#say("cutOff");
    const again = make("button", { type: "button", className: "button quiet" }, this.#say("tryAgain"));
    again.addEventListener("click", () => {
      field.focus();
      this.#ask(question, history);
    });
    this.#clear();
    answer.hidden = false;
    answer.replaceChildren(make("p", { className: "wrong" }, message), ...(question ? [again] : []));
    this.#announce(message);
  }

  #clear() {
    this.#parts.sources.replaceChildren();
    this.#parts.sourcesBox.hidden = true;
  }

  #announce(text, language = this.#language) {
    this.#parts.said.lang = language;
    this.#parts.said.textContent = text;
  }
}

// A question and its answer, as the server takes what was said before.
function exchange(question, text, { ids }) {
  const short = (said) => [...said.trim()].slice(0, TURN).join("");
  const said = [
    { role: "user", text: short(question) },
    { role: "assistant", text: short(text), documentIds: [...ids] },
  ];
  return said.filter((one) => one.text);
}

// What is cited, marked, with what stands around it in its passage. Offsets count characters, which a script's text has
// one or two units of.
function around(citation, passage) {
  if (!passage) return [make("mark", {}, citation.text)];
  const letters = Array.from(passage.content);
  const start = citation.metadata.charStart - passage.metadata.charStart;
  const end = citation.metadata.charEnd - passage.metadata.charStart;
  if (letters.slice(start, end).join("") !== citation.text) return [make("mark", {}, citation.text)];
  const before = letters.slice(Math.max(0, start - AROUND), start).join("");
  const after = letters.slice(end, end + AROUND).join("");
  return [
    start > AROUND ? `…${before.replace(/^\S*/, "")}` : before.replace(/^(#+ .*\n+)+/, ""), // its place has the heading
    make("mark", {}, citation.text),
    letters.length > end + AROUND ? `${after.replace(/\S*$/, "")}…` : after,
  ];
}

if (!customElements.get("ragbase-ask")) customElements.define("ragbase-ask", RagbaseAsk);
