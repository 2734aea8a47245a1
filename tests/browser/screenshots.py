"""Take pictures of the console with the documents of the demo, in Chromium.

Each view is seen by a phone, a tablet and a desk, light and dark: build/screenshots/VIEW-WIDTH-SCHEME.webp. With
--docs, two of them replace those of the documentation.
"""

from __future__ import annotations

import argparse
import base64
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragbase import Client
from scripts.local_cloud.missing_server import Missing
from scripts.running_server import running_server
from tests.chromium import chromium

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ROOT / "common/ragbase/interfaces/demo/documents"
SIZES = {360: 740, 820: 1100, 1440: 900}
"""Pixels of a phone, a tablet and a desk: the width, and the height."""
QUALITY = 85
MOST = 100_000
"""Bytes of a picture in the documentation."""
IN_DOCS = {"answer": (1280, 720), "documents": (1280, 720)}
"""The views of the documentation, with their pixels."""

Scheme = Literal["light", "dark"]


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/screenshots", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--docs", action="store_true", help="replace the pictures of the documentation, too")
    options = parser.parse_args()
    folder = ROOT / "build" / "screenshots"
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with console() as url, chromium() as browser:
            views = views_of(url)
            for view, show in views.items():
                for width, height in SIZES.items():
                    for scheme in ("light", "dark"):
                        file = folder / f"{view}-{width}-{scheme}.webp"
                        file.write_bytes(picture(browser, show, (width, height), scheme))
                        print(file.relative_to(ROOT))
            if options.docs:
                for view, size in IN_DOCS.items():
                    taken = picture(browser, views[view], size, "light")
                    assert len(taken) <= MOST, f"{view} has {len(taken)} bytes"
                    (ROOT / "docs" / f"console-{view}.webp").write_bytes(taken)
    except Missing as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


@contextmanager
def console() -> Iterator[str]:
    """The address of a server with the documents of the demo, all of them read, and one that cannot be read."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {"RAGBASE_HOME": folder}
        with running_server(settings, Path(folder, "log")) as server, Client(server.origin) as client:
            files = {str(file.relative_to(DOCUMENTS)): file.read_bytes() for file in DOCUMENTS.rglob("*.*")}
            sent = [client.upload(data, path=name).id for name, data in (files | {"draft.md": b""}).items()]
            for id in sent:
                client.wait(id)
            yield server.origin


def views_of(url: str) -> Mapping[str, Callable[[Page], None]]:
    """What to do on a fresh page to see each view."""

    def documents(page: Page) -> None:
        page.goto(f"{url}/#/documents")
        page.locator(".row").nth(5).wait_for()

    def document(page: Page) -> None:
        documents(page)
        page.get_by_role("link", name="installation-handbook.pdf").click()
        page.locator(".sheet img").first.evaluate("image => image.decode()")

    def ask(page: Page, question: str) -> None:
        page.goto(f"{url}/#/ask")
        page.get_by_label("Ask a question about your documents").fill(question)
        with page.expect_request("**/api/answer"):
            page.keyboard.press("Enter")
        page.locator(".answer[aria-busy=false]").wait_for()

    def answer(page: Page) -> None:
        ask(page, "How deep is the hole for the mast?")
        page.locator(".cite").nth(1).click()
        page.locator(".source .lit").first.wait_for()
        page.locator(".source .sheet img").first.evaluate("image => image.decode()")

    def refusal(page: Page) -> None:
        ask(page, "How deep is the hole for the flag in the garden of the museum?")
        page.get_by_role("button", name="Expected another document?").click()
        page.get_by_label("Name of the document").fill("handbook")
        page.get_by_role("option", name="installation-handbook.pdf").click()
        page.locator(".way").wait_for()

    def try_(page: Page) -> None:
        page.goto(f"{url}/#/try?q=How+deep+is+the+hole+for+the+mast%3F&b.threshold=0.2")
        page.locator(".difference").first.wait_for()

    def operate(page: Page) -> None:
        page.goto(f"{url}/#/operate")
        page.get_by_role("region", name="Health").get_by_role("row").first.wait_for()

    return {
        "documents": documents,
        "document": document,
        "answer": answer,
        "refusal": refusal,
        "try": try_,
        "operate": operate,
    }


def picture(browser: Browser, show: Callable[[Page], None], size: tuple[int, int], scheme: Scheme) -> bytes:
    width, height = size
    context = browser.new_context(locale="en-GB", viewport={"width": width, "height": height}, color_scheme=scheme)
    try:
        page = context.new_page()
        show(page)
        # Playwright itself writes no WebP.
        wanted = {"format": "webp", "quality": QUALITY}
        taken = context.new_cdp_session(page).send("Page.captureScreenshot", wanted)
        return base64.b64decode(taken["data"])
    finally:
        context.close()


if __name__ == "__main__":
    sys.exit(main())
