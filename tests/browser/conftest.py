"""The console in a real browser. Where there is none, these tests are skipped, but not in CI."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from tests.browser.console import Console
from tests.browser.site import Site
from tests.chromium import chromium
from tests.unit.client.served import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

__all__ = ["Console", "Opened"]

Opened = Callable[[Served], Console]
FOLDER = Path(__file__).parent
IN_TEST = {
    "test_upload_ask_and_follow_a_citation",
    "test_files_can_be_dropped_anywhere",
    "test_after_a_reload_a_large_file_goes_on",
    "test_of_many_documents_those_in_sight_are_elements",
    "test_a_citation_is_marked_on_its_page",
    "test_citations_are_walked_and_a_second_click_scrolls_again",
    "test_a_follow_up_is_answered_below_and_the_address_keeps_the_first_question",
    "test_a_golden_question_is_kept_asked_and_removed",
    "test_health_and_dead_letters",
    "test_the_keyboard_alone_suffices",
}
"""One for each promise of docs/console.md. All others are left to ./scripts/prove."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if FOLDER in item.path.parents:
            item.add_marker(pytest.mark.slow if item.name in IN_TEST else pytest.mark.prove)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


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


@pytest.fixture
def site() -> Iterator[Site]:
    with Site() as site:
        thread = Thread(target=site.serve_forever)
        thread.start()
        yield site
        site.shutdown()
        thread.join()
