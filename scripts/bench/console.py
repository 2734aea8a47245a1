"""Measure the console in Chromium, against its limits. Prints one line of JSON for each profile.

Each figure has its limit, and the ratio to it: above 1, the limit is missed. The server is `ragbase serve` on this
machine, with 10,000 documents; with --cloud, the api function of a local cloud, too.

- `first_view`: bytes over the wire, with headers, and the time from the request until a question can be typed; the
  median of some browsers that know nothing yet.
- `page_image`: a page of a PDF, 1,200 pixels wide: asked for the first time, and again.
- `scroll`: the times between frames while the list moves by 900 pixels a frame, first while it loads the documents,
  then over those that are loaded. `over` is the share of frames that took longer than the limit, and `lost` the share
  over one and a half times the limit: the clock of frames trembles, so many are a little longer or shorter. `work` is
  what a frame takes of a processor: it says how much of a frame is left, also on a machine that others use.
- `filter`: from a key until the last change of the list that follows from it is painted, when all documents are
  loaded. `all_searched_ms`: a filter that is set when only some are loaded has the rest loaded first. From its key
  until then.
- `status`: from the time that the record has until the page shows the new status.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING

from ragbase import Client
from scripts.bench.filled import fill_documents
from scripts.bench.harness import Bench, Figures, load, share
from scripts.running_server import running_server
from tests.chromium import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, CDPSession, Page

KILOBYTES, USABLE, FIRST, AGAIN, FRAME, KEY, STATUS = 150, 1000, 300, 20, 1000 / 60, 100, 1000
"""The limits. All but the first are milliseconds."""
PDF = Path(__file__).resolve().parents[2] / "common/ragbase/interfaces/demo/documents/installation-handbook.pdf"
QUESTION = "input[type=search]"
FRAMES = 300

_WHEN_USABLE = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("input[type=search]")) return;
  observer.disconnect();
  requestAnimationFrame(() => (window.usable = performance.now()));
}).observe(document, { childList: true, subtree: true });
"""
_SCROLL = """async (frames) => {
  const times = [];
  scrollTo(0, 0);
  let last = await new Promise(requestAnimationFrame);
  for (let frame = 0; frame < frames; frame += 1) {
    scrollBy(0, 900);
    const now = await new Promise(requestAnimationFrame);
    times.push(now - last);
    last = now;
  }
  return times;
}"""
_KEYS = """async (text) => {
  const field = document.querySelector("main input[type=search]");
  const times = [];
  for (let length = 1; length <= text.length; length += 1) {
    let painted = null;
    const observer = new MutationObserver(() => requestAnimationFrame(() => (painted = performance.now())));
    observer.observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
    const start = performance.now();
    field.value = text.slice(0, length);
    field.dispatchEvent(new InputEvent("input", { bubbles: true }));
    await new Promise((go) => setTimeout(go, 600));
    observer.disconnect();
    if (painted !== null) times.push(painted - start);
  }
  return times;
}"""
_WATCH = """() => {
  window.seen = {};
  const look = () => document.querySelectorAll(".row:has(.status.completed) .name").forEach(
    (name) => (window.seen[name.textContent] ??= Date.now()));
  const all = { childList: true, subtree: true, attributes: true, characterData: true };
  new MutationObserver(look).observe(document, all);
}"""


def main() -> None:
    bench = Bench("console", __doc__)
    bench.number("--documents", 10_000)
    bench.number("--times", 7, "browsers that know nothing yet")
    bench.add_argument("--cloud", action="store_true", help="measure a local cloud, too")
    options = bench.parse_args()
    with chromium() as browser, ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        fill_documents(folder, options.documents, chunks_of_each=1)
        settings = {"RAGBASE_HOME": folder, "RAGBASE_EMBEDDER": "hashing"}
        with running_server(settings, Path(folder, "log")) as server:
            figures = measured(browser, server.origin, options.times)
            figures |= long_list(browser, server.origin, options.documents)
        bench.say({"profile": "embedded", **figures, "load": load()})
        if options.cloud:
            from scripts.local_cloud.temporary_cloud import temporary_cloud

            _, user = stack.enter_context(temporary_cloud())
            bench.say({"profile": "gcp", **measured(browser, user.api.url, options.times), "load": load()})


def measured(browser: Browser, url: str, times: int) -> Figures:
    with Client(url) as client:
        return {
            "first_view": first_view(browser, url, times),
            "page_image": page_image(client),
            "status": statuses(browser, url, client),
        }


def first_view(browser: Browser, url: str, times: int) -> Figures:
    kilobytes, usable = list[float](), list[float]()
    for _ in range(times):
        with opened(browser) as page:
            page.add_init_script(_WHEN_USABLE)
            network, sizes = page.context.new_cdp_session(page), list[int]()
            network.on("Network.loadingFinished", lambda event, sizes=sizes: sizes.append(event["encodedDataLength"]))
            network.send("Network.enable")
            page.goto(f"{url}/")
            page.locator(QUESTION).wait_for()
            page.wait_for_load_state("networkidle")
            usable.append(page.evaluate("window.usable"))
            kilobytes.append(sum(sizes) / 1000)
    return {"kilobytes": against(KILOBYTES, kilobytes), "usable_ms": against(USABLE, usable)}


def page_image(client: Client) -> Figures:
    document = client.wait(client.upload(PDF.read_bytes(), path="handbook.pdf").id)
    id, count = document.id, document.page_count or 0
    first, again = list[float](), list[float]()
    for turn in (first, again):
        for page in range(1, count + 1):
            start = time.perf_counter()
            client.page_image(id, page, width=1200)
            turn.append(1000 * (time.perf_counter() - start))
    return {"first_ms": against(FIRST, first), "again_ms": against(AGAIN, again)}


def statuses(browser: Browser, url: str, client: Client, count: int = 10) -> Figures:
    with opened(browser) as page:
        page.goto(f"{url}/#/documents")
        page.locator(".row").first.wait_for()
        page.evaluate(_WATCH)
        delays = []
        for number in range(count):
            name = f"new-{time.time_ns()}.md"
            text = f"# Note {number}\n\nThe nightly backup number {number} starts at half past two.\n"
            recorded = client.wait(client.upload(text.encode(), path=name).id).updated_at
            page.wait_for_function("name => window.seen[name]", arg=name)
            delays.append(page.evaluate("name => window.seen[name]", name) - 1000 * recorded.timestamp())
    return {"shown_ms": against(STATUS, delays)}


def long_list(browser: Browser, url: str, documents: int) -> Figures:
    with opened(browser) as page:
        page.goto(f"{url}/#/documents")
        page.locator(".row").first.wait_for()
        passes = {name: frames(page) for name in ("loading", "loaded")}
        page.evaluate("scrollTo(0, 0)")
        start = time.perf_counter()
        page.locator("main input[type=search]").fill("0")
        page.locator(".count", has_not_text="searched").wait_for()
        all_searched = round(1000 * (time.perf_counter() - start))
        keys = page.evaluate(_KEYS, "0099")
    return {
        "documents": documents,
        "scroll": passes,
        "filter_ms": against(KEY, keys),
        "all_searched_ms": all_searched,
    }


def frames(page: Page) -> Figures:
    browser = page.context.new_cdp_session(page)
    browser.send("Performance.enable", {"timeDomain": "threadTicks"})
    before = busy(browser)
    times: list[float] = page.evaluate(_SCROLL, FRAMES)
    work = 1000 * (busy(browser) - before) / FRAMES
    browser.detach()
    p95 = round(quantiles(times, n=20)[-1], 1)
    return {
        **against(FRAME, times),
        "p95": p95,
        "over": share(time > FRAME for time in times),
        "lost": share(time > 1.5 * FRAME for time in times),
        "work": round(work, 1),
    }


def busy(browser: CDPSession) -> float:
    """Seconds of a processor that the page's main thread has taken."""
    figures = browser.send("Performance.getMetrics")["metrics"]
    return float(sum(one["value"] for one in figures if one["name"] == "TaskDuration"))


def against(limit: float, figures: Sequence[float]) -> Figures:
    middle, most = median(figures), max(figures)
    return {
        "median": round(middle, 1),
        "most": round(most, 1),
        "limit": round(limit, 1),
        "ratio": round(middle / limit, 2),
        "most_ratio": round(most / limit, 2),
    }


@contextmanager
def opened(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", viewport={"width": 1440, "height": 900})
    try:
        yield context.new_page()
    finally:
        context.close()


if __name__ == "__main__":
    main()
