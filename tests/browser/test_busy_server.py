"""The console and a server that has too much to do for the moment."""

from __future__ import annotations

from playwright.sync_api import Route, expect

from tests.browser.conftest import Opened
from tests.unit.client.served import Served


def test_what_is_refused_for_a_moment_is_asked_for_again(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    refused: list[str] = []

    def busy(route: Route) -> None:
        if len(refused) == 2:
            route.continue_()
            return
        refused.append(route.request.url)
        busy = {"error": "TOO_MANY_REQUESTS", "message": "There are more requests than can be answered soon."}
        route.fulfill(status=429, headers={"Retry-After": "0.1"}, json=busy)

    page.route("**/api/documents?*", busy)
    console.open("documents")
    expect(page.get_by_text("There are no documents yet")).to_be_visible()
    assert len(refused) == 2
