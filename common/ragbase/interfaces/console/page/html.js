// Components without a build: templates become elements, and values in them become text, never markup.
import { h } from "./vendor/preact.js";
import htm from "./vendor/htm.js";

export const html = htm.bind(h);
