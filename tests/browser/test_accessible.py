"""The console for everybody: axe (https://github.com/dequelabs/axe-core) finds no fault in any view, light or dark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase import Client
from tests.browser.conftest import Console
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import served

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser


GUIDE = "# Backups\n\nThe nightly backup starts at half past two. It is kept for ninety days.\n"


def test_no_view_keeps_anybody_out(browser: Browser, tmp_path: Path) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        context = browser.new_context()
        console = Console(context.new_page(), server.url)
        page = console.page
        views: dict[str, list[str]] = {}

        def look(view: str) -> None:
            views[view] = console.barriers()

        console.open()
        page.get_by_label("Password or API key").wait_for()
        look("sign in")
        page.get_by_label("Password or API key").fill(PASSWORD)
        page.keyboard.press("Enter")
        console.open("documents")
        page.locator(".empty").wait_for()
        look("no documents")
        with Client(server.url, str(server.profile.access.sign_in(PASSWORD, "127.0.0.1").token)) as client:
            id = client.wait(client.upload(GUIDE.encode(), path="guide.md").id).id
        page.reload()
        page.locator(".row").wait_for()
        look("documents")
        console.open(f"documents/{id}")
        page.locator(".text").wait_for()
        look("document")
        console.open("ask")
        console.ask("When does the nightly backup start?")
        page.locator(".cite").first.click()
        page.locator("mark").wait_for()
        look("answer")
        console.open("ask?q=Which+planet+has+moons&folder=guides")
        page.locator(".nearest, .said").wait_for()
        page.get_by_role("button", name="+ Filter").click()
        look("filters")
        console.ask("Which planet has moons?")
        page.get_by_role("button", name="Expected another document?").click()
        page.get_by_label("Name of the document").fill("guide.md")
        page.locator(".picker li").wait_for()
        look("documents to pick")
        page.keyboard.press("Enter")
        page.locator(".way").wait_for()
        look("refusal")
        context.close()
    assert console.faults == []
    assert views == {view: [] for view in views}
