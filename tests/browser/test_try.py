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
from ragbase.engine.evaluate import evaluate_index, own_questions
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


def test_a_golden_question_is_kept_asked_and_removed(server: Served, opened: Opened, ids: dict[str, str]) -> None:
    console = opened(server)
    page = console.page
    console.open("try?q=When+does+the+nightly+backup+start%3F&b.folder=guides")
    expect(page.get_by_text("There are no golden questions yet.")).to_be_visible()
    page.locator(".result", has_text="guides/backup.md").last.get_by_role("button", name="Keep as a golden").click()
    expect(page.locator(".golden li")).to_contain_text("guides/backup.md")
    # The same result on the other side is the same question.
    expect(page.get_by_role("button", name="Keep as a golden question: guides/backup.md")).to_have_count(2)
    for number in range(2):
        expect(page.get_by_role("button", name="guides/backup.md should").nth(number)).to_be_disabled()
    assert [one.text for one in own_questions(None, server.profile)] == [QUESTION]
    expect(page.get_by_text("There are no runs yet.")).to_be_visible()

    evaluate_index(None, server.profile, on_progress=lambda *_: None)
    page.reload()
    expect(page.get_by_role("img", name="Hit rate: 100%, MRR: 0.50")).to_be_visible()
    expect(page.get_by_role("img", name="1: 0, 2: 1")).to_be_visible()
    page.get_by_text("The figures as a table").click()
    expect(page.get_by_role("row").nth(1)).to_contain_text("100%")

    page.get_by_role("button", name="Remove the golden question").click()
    expect(page.get_by_text("There are no golden questions yet.")).to_be_visible()


def test_what_was_expected_is_kept_and_a_reader_keeps_nothing(tmp_path: Path, opened: Opened) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        keys = server.profile.access.keys
        _, writer = keys.create("writer", scopes=[Scope.READ, Scope.WRITE])
        _, reader = keys.create("reader", scopes=[Scope.READ])
        with Client(server.url, str(writer)) as client:
            for name, text in TEXTS.items():
                client.wait(client.upload(text.encode(), path=name).id)
        for key, count in ((writer, 1), (reader, 0)):
            console = opened(server)
            page = console.page
            page.get_by_label("Password or API key").fill(str(key))
            page.keyboard.press("Enter")
            console.ask("Which planet has the greenhouse moons?")
            page.get_by_role("button", name="Expected another document?").click()
            page.get_by_label("Name of the document").fill("key.md")
            expect(page.locator(".picker li")).to_have_count(1)
            page.keyboard.press("Enter")
            page.locator(".way").wait_for()
            keep = page.get_by_role("button", name="Keep as a golden question")
            expect(keep).to_have_count(count)
            if count:
                keep.click()
                page.locator(".notice", has_text="archive/key.md should answer").wait_for()
            console.open("try")
            expect(page.locator(".golden li")).to_contain_text("Which planet has the greenhouse moons?")
            expect(page.locator(".golden button")).to_have_count(count)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nobody_is_kept_out_of_the_trial(browser: Browser, tmp_path: Path, scheme: str) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        _, key = server.profile.access.keys.create("everything", scopes=Scope)
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
        page.get_by_role("button", name="guides/backup.md should").first.click()
        page.locator(".golden li").wait_for()
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
        evaluate_index(None, server.profile, on_progress=lambda *_: None)
        page.reload()
        page.get_by_text("The figures as a table").click()
        assert [one["id"] for one in Axe().run(page).response["violations"]] == []
        page.set_viewport_size({"width": 320, "height": 640})
        assert page.evaluate("document.documentElement.scrollWidth") <= 320
        context.close()
    assert console.faults == []
