"""One question with two settings, side by side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it says nothing of types
from playwright.sync_api import expect

from ragbase import Client
from ragbase.access.caller import Scope
from tests.browser.conftest import Console, Opened
from tests.functions.guarded import hash_of
from tests.unit.client.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.unit.client.served import Served

pytestmark = pytest.mark.slow

QUESTION = "When does the nightly backup start?"
TEXTS = {
    "guides/backup.md": "# Backups\n\nThe nightly backup starts at half past two. It is kept for ninety days.\n",
    "archive/old.md": "# Backups\n\nThe nightly backup starts at noon, as ever since the move.\n",
    "archive/key.md": "# Keys\n\nThe gardener keeps the key of the greenhouse, and nobody else has one.\n",
}


@pytest.fixture
def ids(server: Served) -> dict[str, str]:
    with Client(server.url) as client:
        return {name: client.wait(client.upload(text.encode(), path=name).id).id for name, text in TEXTS.items()}


def results(console: Console, side: str) -> list[str]:
    found = console.page.locator(".results").nth(("A", "B").index(side)).locator(".result a")
    return [found.nth(number).inner_text() for number in range(found.count())]


def test_what_differs_between_two_settings_is_said(server: Served, opened: Opened, ids: dict[str, str]) -> None:
    console = opened(server)
    page = console.page
    page.get_by_role("link", name="Try", exact=True).click()
    page.get_by_label("Ask a question about your documents").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".summary")).to_contain_text("Both find the same")
    page.get_by_label("Threshold").nth(1).fill("0")
    page.keyboard.press("Tab")
    expect(page.locator(".summary")).to_contain_text("Only in A: 0. Only in B: 1. Moved: 0.")
    expect(page.locator(".result.only")).to_contain_text("archive/key.md")
    expect(page.locator(".result.only")).to_contain_text("only here")
    expect(page.locator("#said")).to_contain_text("Only in B: 1.")
    assert results(console, "B") == [*results(console, "A"), "archive/key.md"]

    # What stands further up only because another one is left out has moved.
    first, second = results(console, "A")
    page.get_by_role("group", name="Setting B").get_by_role("button", name="+ Filter").click()
    page.get_by_label("Folder", exact=True).fill(second.partition("/")[0])
    page.keyboard.press("Enter")
    expect(page.locator(".difference.up").first).to_contain_text("1 place higher")
    expect(page.locator(".difference.down").first).to_contain_text("1 place lower")
    expect(page).to_have_url(re.compile("b.threshold=0&b.folder="))
    assert first not in results(console, "B")

    page.reload()
    expect(page.locator(".difference.up").first).to_contain_text("1 place higher")


def test_one_side_can_fail_or_find_nothing(server: Served, opened: Opened, ids: dict[str, str]) -> None:
    console = opened(server)
    page = console.page
    console.open("try?q=Which+planet+has+the+greenhouse+moons&b.title=" + "x" * 3000 + "&b.topK=1000")
    expect(page.locator(".results").first).to_contain_text("Nothing reaches the threshold.")
    expect(page.locator(".results .nearest")).to_contain_text("that are needed")
    expect(page.locator(".sides .wrong")).to_contain_text("topK")
    # What the field does not allow is not sent.
    page.get_by_label("Most results").first.fill("0")
    page.keyboard.press("Tab")
    expect(page).not_to_have_url(re.compile("a.topK"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out_of_the_trial(browser: Browser, tmp_path: Path, scheme: str) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        _, key = server.profile.access.keys.create("reader", scopes=[Scope.READ, Scope.WRITE])
        with Client(server.url, str(key)) as client:
            for name, text in TEXTS.items():
                client.wait(client.upload(text.encode(), path=name).id)
        # The policy of the page would not run axe.
        context = browser.new_context(bypass_csp=True, color_scheme="dark" if scheme == "dark" else "light")
        console = Console(context.new_page(), server.url)
        page = console.page
        console.open("try?q=When+does+the+nightly+backup+start&b.threshold=0&b.folder=archive")
        page.get_by_label("Password or API key").fill(str(key))
        page.keyboard.press("Enter")
        page.locator(".difference").first.wait_for()
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
        context.close()
    assert console.faults == []
