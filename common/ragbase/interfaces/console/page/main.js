// The start of the console: the language, then who asks, then the view.
import { render } from "./vendor/preact.js";
import { html } from "./html.js";
import { preferred, speak } from "./words.js";
import { barred, look } from "./session.js";
import { Offline, offline } from "./api.js";
import { App } from "./views/app.js";

const AGAIN = 3000;
let timer = 0;

function later() {
  clearTimeout(timer);
  timer = setTimeout(reach, AGAIN);
}

// Ask who asks until the server answers: the first time, and whenever it could not be reached.
async function reach() {
  try {
    await look();
    barred.value = "";
  } catch (error) {
    if (error instanceof Offline) later();
    else barred.value = error.message;
  }
}

// Without its words, the page can say nothing. index.html says that it waits.
while (!(await speak(preferred()).then(() => true, () => false))) await new Promise((go) => setTimeout(go, AGAIN));
const place = document.getElementById("console");
place.replaceChildren();
render(html`<${App} again=${reach} />`, place);
offline.subscribe((is) => is && later());
addEventListener("online", reach);
await reach();
