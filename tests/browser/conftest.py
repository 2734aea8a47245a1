"""The console in a real browser. Without Chromium, these tests are left out, and scripts/test says so."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.unit.client.served import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, ConsoleMessage, Page, Request

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
collect_ignore_glob = [] if CHROMIUM else ["test_*.py"]

PATIENCE = 60_000
"""Milliseconds after which a test is stuck."""


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)  # of its own, it waits for five seconds
    with sync_playwright() as playwright:
        # A container has no user namespaces for Chromium's own sandbox. It opens nothing but our page.
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


class Console:
    """A page of the console. `faults` are what went wrong in it, and what it asked of another server."""

    def __init__(self, page: Page, url: str) -> None:
        self.page = page
        self._url = url
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
        if not request.url.startswith((self._url, "blob:")):
            self.faults.append(f"a request to {request.url}")

    def open(self, view: str = "") -> None:
        self.page.goto(f"{self._url}/#/{view}")

    def ask(self, question: str) -> None:
        self.page.get_by_label("Ask a question about your documents").fill(question)
        # Until it is asked, the answer to the last question is shown.
        with self.page.expect_request("**/api/answer"):
            self.page.keyboard.press("Enter")
        self.page.locator(".answer[aria-busy=false]").wait_for()


Opened = Callable[[Served], Console]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Opens the console of a server, in a browser that knows nothing yet."""
    with _consoles(browser) as consoles:

        def open_(server: Served) -> Console:
            page = browser.new_context(locale="en-GB").new_page()
            consoles.append(Console(page, server.url))
            consoles[-1].open()
            return consoles[-1]

        yield open_


@contextmanager
def _consoles(browser: Browser) -> Iterator[list[Console]]:
    consoles: list[Console] = []
    try:
        yield consoles
        for console in consoles:
            assert console.faults == []
    finally:
        for context in browser.contexts:
            context.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """It is open: nobody needs to sign in."""
    with served(tmp_path / "home") as server:
        yield server
