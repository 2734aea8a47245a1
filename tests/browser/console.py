"""The console, as a test uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it says nothing of types

from tests.chromium import PATIENCE

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import ConsoleMessage, Page, Request


class Console:
    """A page of the console. `faults` are what went wrong in it, and what it asked of another server."""

    def __init__(self, page: Page, url: str, bucket: str | None = None) -> None:
        """A deployment takes large files at the address of its `bucket`, if it has one."""
        self.page = page
        self._url = url
        self._own = (url, "blob:", *([bucket] if bucket else []))
        self.faults: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        # Chromium says of each refusal that it is one; the tests provoke some.
        if message.type in ("error", "warning") and "Failed to load resource" not in message.text:
            self.faults.append(message.text)

    def _asked(self, request: Request) -> None:
        if not request.url.startswith(self._own):
            self.faults.append(f"a request to {request.url}")

    def open(self, view: str = "") -> None:
        self.page.goto(f"{self._url}/#/{view}")

    def ask(self, question: str) -> None:
        self.page.get_by_label("Ask a question about your documents").fill(question)
        # Until it is asked, the answer to the last question is shown.
        with self.page.expect_request("**/api/answer"):
            self.page.keyboard.press("Enter")
        self.page.locator(".answer[aria-busy=false]").wait_for()

    def drop(self, *paths: Path) -> None:
        """Drop files or folders on the page, as a person does with a mouse."""
        browser = self.page.context.new_cdp_session(self.page)
        data = {"items": [], "files": [str(path) for path in paths], "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            browser.send("Input.dispatchDragEvent", {"type": kind, "x": 300, "y": 300, "data": data})
        browser.detach()

    def barriers(self) -> list[str]:
        """What axe (https://github.com/dequelabs/axe-core) finds on the page that keeps somebody out, light or dark.

        It runs in a world of its own, beside the scripts of the page: the policy of the page stays in force."""
        browser = self.page.context.new_cdp_session(self.page)
        frame = browser.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
        world = browser.send("Page.createIsolatedWorld", {"frameId": frame, "worldName": "axe"})["executionContextId"]

        def run(script: str) -> Any:
            wanted = {"expression": script, "contextId": world, "awaitPromise": True, "returnByValue": True}
            return browser.send("Runtime.evaluate", wanted)["result"].get("value")

        def found(options: str) -> list[str]:
            violations: list[str] = run(
                f"axe.run({{resultTypes: ['violations'], {options}}}).then(({{violations}}) => violations.map("
                "({id, help, nodes}) => `${id}: ${help}: ${nodes[0].html}`))"
            )
            return violations

        run(f"{AXE_SCRIPT};0")
        in_light = found("")
        # The scheme changes the colours alone.
        self.page.emulate_media(color_scheme="dark")
        in_dark = found("runOnly: ['color-contrast']")
        self.page.emulate_media(color_scheme="light")
        browser.detach()
        return [*in_light, *in_dark]
