// A page of a document as an image, with marks over it. It has its room before the image is there.
import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/hooks.js";
import { html } from "../html.js";
import { t } from "../words.js";
import { Offline } from "../api.js";
import { imageOf, widthFor } from "../pages.js";
import { Wrong } from "./wrong.js";

// Whether an element is in sight, or less than a screen away from it.
export function useNear(place, first = false) {
  const [isNear, setNear] = useState(first);
  useEffect(() => {
    const watch = new IntersectionObserver((seen) => setNear(seen[seen.length - 1].isIntersecting), {
      rootMargin: "100% 0px",
    });
    watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return isNear;
}

function useWidth(place) {
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const look = () => setWidth(widthFor(place.current.clientWidth));
    const watch = new ResizeObserver(look);
    watch.observe(place.current);
    look();
    return () => watch.disconnect();
  }, []);
  return width;
}

function useImage(id, number, width, isNear, turn) {
  const [image, setImage] = useState({ url: "", failed: "" });
  useEffect(() => {
    if (!isNear || !width) return undefined;
    const stop = new AbortController();
    let shown = "";
    imageOf(id, number, width, stop.signal).then(
      (url) => {
        if (stop.signal.aborted) return URL.revokeObjectURL(url);
        shown = url;
        return setImage({ url, failed: "" });
      },
      (error) => {
        if (!stop.signal.aborted) setImage({ url: "", failed: error instanceof Offline ? t("offline") : error.message });
      },
    );
    return () => {
      stop.abort();
      if (shown) URL.revokeObjectURL(shown);
      setImage({ url: "", failed: "" });
    };
  }, [id, number, width, isNear, turn]);
  return image;
}

// `marks` are the lit ones. `look` and `choose` are called with a place on the page, in fractions; null is none.
export function Sheet({ id, number, size, marks = [], first, look, choose }) {
  const place = useRef(null);
  const [turn, setTurn] = useState(0);
  const isNear = useNear(place);
  const width = useWidth(place);
  const { url, failed } = useImage(id, number, width, isNear, turn);
  const at = (event) => {
    const box = place.current.getBoundingClientRect();
    return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height };
  };
  const room = { aspectRatio: `${size.width} / ${size.height}` };
  return html`<figure ref=${place} class="sheet" style=${room} aria-busy=${String(isNear && !url && !failed)}
    onPointerMove=${look && ((event) => look(at(event)))} onPointerLeave=${look && (() => look(null))}
    onClick=${choose && ((event) => choose(at(event)))}>
    ${url && html`<img src=${url} alt=${t("pageImage", { number })} />`}
    ${failed && html`<${Wrong} why=${failed} again=${() => setTurn(turn + 1)} />`}
    ${marks.map((mark, index) => html`<span ref=${index ? null : first} class="lit" style=${sides(mark)} />`)}
  </figure>`;
}

const part = (share) => `${100 * share}%`;
const sides = ({ left, top, right, bottom }) => ({
  left: part(left),
  top: part(top),
  width: part(right - left),
  height: part(bottom - top),
});
