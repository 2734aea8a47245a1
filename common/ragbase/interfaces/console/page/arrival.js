// Another view begins at its top, or where people were in a list. The keyboard begins there, too, and
// screen readers say where they are.
import { say } from "./notices.js";
import { route } from "./route.js";

const scrolled = new Map();
const placeOf = ({ view, id }) => `${view}/${id}`;
let before = placeOf(route.value);

// This runs before the new view is drawn.
addEventListener("hashchange", () => {
  scrolled.set(before, scrollY);
  before = placeOf(route.value);
});

export function arrive(place, title) {
  const main = document.getElementById("main");
  // A view that has a field to begin with has chosen it by now.
  if (!main.contains(document.activeElement)) main.focus({ preventScroll: true });
  if (!place.endsWith("/")) scrolled.delete(place);
  scrollTo(0, scrolled.get(place) ?? 0);
  say(title);
}
