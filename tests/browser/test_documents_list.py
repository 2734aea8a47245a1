"""The list of documents: when there are very many, and when the server does not answer."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import Opened
from tests.unit.client.served import Served

pytestmark = pytest.mark.slow

MANY, PAGE = 2_000, 100


def page_of(route: Route) -> None:
    """What the API answers if there are so many documents. To make them takes minutes."""
    asked = parse_qs(urlsplit(route.request.url).query)
    first = int(asked.get("cursor", ["0"])[0])
    numbers = range(first, min(MANY, first + PAGE))
    documents = [
        {
            "id": f"{number:08d}-0000-0000-0000-000000000000",
            "filename": f"reports/{number}.pdf",
            "status": "COMPLETED",
            "createdAt": "2025-06-01T09:30:00Z",
        }
        for number in numbers
    ]
    following = {"nextCursor": str(first + PAGE)} if first + PAGE < MANY else {}
    route.fulfill(json={"documents": documents, "total": MANY, **following})


def test_of_many_documents_those_in_sight_are_elements(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    page.route("**/api/documents?*", page_of)
    console.open("documents")
    expect(page.locator(".count")).to_contain_text("2,000 documents")
    page.get_by_text("0.pdf", exact=True).wait_for()
    assert page.locator(".row").count() < 60
    page.get_by_label("Filter by name").fill("1999")
    expect(page.get_by_text("1999.pdf")).to_be_visible()
    expect(page.locator(".count")).to_have_text("1 document fits")
    page.get_by_label("Filter by name").fill("no such name")
    expect(page.get_by_text("No document has this in its name")).to_be_visible()
    page.get_by_label("Filter by name").fill("")
    page.keyboard.press("Tab")
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    expect(page.get_by_text("1999.pdf")).to_be_visible()
    assert page.locator(".row").count() < 60


def test_the_page_goes_on_when_the_server_answers_again(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    console.open("documents")
    page.get_by_text("There are no documents yet").wait_for()
    page.context.set_offline(True)
    page.get_by_role("button", name="Failed").click()
    expect(page.locator(".banner")).to_contain_text("The server does not answer")
    page.context.set_offline(False)
    expect(page.locator(".banner")).to_have_count(0)
    expect(page.get_by_text("No document is in this state.")).to_be_visible()
