"""One question with two settings, side by side."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from ragbase import Client
from ragbase.access.caller import Scope
from ragbase.engine.evaluate import evaluate_index, own_questions
from ragbase.testing.reranker import MemoryReranker
from tests.browser.conftest import Console, Opened
from tests.functions.guarded import hash_of
from tests.unit.client.served import served

if TYPE_CHECKING:
    from tests.unit.client.served import Served


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


def test_a_side_can_do_without_the_reranker(server: Served, opened: Opened, ids: dict[str, str]) -> None:
    console = opened(server)
    page = console.page
    console.open("try?q=When+does+the+nightly+backup+start%3F")
    expect(page.locator(".summary")).to_contain_text("Both find the same")
    expect(page.get_by_label("Reranker")).to_have_count(0)
    server.profile.__dict__["reranker"] = MemoryReranker()
    page.reload()
    page.get_by_label("Reranker").nth(1).select_option("off")
    expect(page).to_have_url(re.compile("b.rerank=off"))
    with page.expect_request(lambda one: one.url.endswith("/api/query") and "rerank" in (one.post_data or "")) as sent:
        page.reload()
    assert (sent.value.post_data_json or {})["rerank"] is False
    expect(page.locator(".result").first).to_be_visible()


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


def test_nobody_is_kept_out_of_the_trial(server: Served, opened: Opened, ids: dict[str, str]) -> None:
    console = opened(server)
    page = console.page
    console.open("try?q=When+does+the+nightly+backup+start&b.threshold=0&b.folder=archive")
    page.locator(".difference").first.wait_for()
    page.get_by_role("button", name="guides/backup.md should").first.click()
    page.locator(".golden li").wait_for()
    assert console.barriers() == []
    evaluate_index(None, server.profile, on_progress=lambda *_: None)
    page.reload()
    page.get_by_text("The figures as a table").click()
    assert console.barriers() == []
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
