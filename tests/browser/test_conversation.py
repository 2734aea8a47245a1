"""A conversation in the console: follow-ups, what was searched for, and what the documents do not say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from playwright.sync_api import Page, Route, expect

from ragbase import Client
from tests.browser.conftest import Console, Opened

if TYPE_CHECKING:
    from tests.unit.client.served import Served


GUIDE = (
    "# Backups\n\nThe nightly backup starts at half past two. It is kept for ninety days.\n\n"
    "# Keys\n\nThe gardener keeps the key of the greenhouse.\n"
)
QUESTION = "When does the nightly backup start?"
ANSWER = "**/api/answer"
EVIDENCE = {
    "id": "1", "content": "The nightly backup starts at half past two.", "score": 0.9, "documentId": "d1",
    "filename": "guide.md", "generation": "1", "metadata": {"charStart": 0, "charEnd": 43, "heading": "Backups"},
}  # fmt: skip
CITATION = {"text": EVIDENCE["content"], "evidence": "1"} | {
    name: EVIDENCE[name] for name in ("documentId", "filename", "generation", "metadata")
}
PRICE = {"asked": "amount", "subject": "backup", "text": "The documents describe the backup, but not its price."}


class Answers:
    """Answers the requests of a page, each with what a test says of it, and keeps them."""

    def __init__(self, page: Page) -> None:
        self.asked: list[Any] = []
        self.ends: list[dict[str, Any]] = []
        page.route(ANSWER, self._answer)

    def _answer(self, route: Route) -> None:
        self.asked.append(route.request.post_data_json)
        end = {"text": f"Answer {len(self.asked)}.", "answered": True, **(self.ends.pop(0) if self.ends else {})}
        citation = CITATION | {"metadata": {"charStart": len(self.asked), "charEnd": 43}}
        sentence = {"text": f"Answer {len(self.asked)}.", "supported": True, "citations": [citation]}
        said = [("sentence", sentence)] if end["answered"] else []
        events = [("evidence", {"evidence": [EVIDENCE]}), *said, ("done", end)]
        body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
        route.fulfill(body=body, content_type="text/event-stream")


def follow_up(console: Console, question: str) -> None:
    page = console.page
    page.get_by_placeholder("Ask a follow-up").fill(question)
    with page.expect_request(ANSWER):
        page.keyboard.press("Enter")
    page.locator(".answer").last.filter(has_text=".").wait_for()
    expect(page.get_by_placeholder("Ask a follow-up")).to_be_visible()


def test_a_follow_up_is_answered_below_and_the_address_keeps_the_first_question(server: Served, opened: Opened) -> None:
    with Client(server.url) as client:
        client.wait(client.upload(GUIDE.encode(), path="guide.md").id)
    console = opened(server)
    page = console.page
    console.ask(QUESTION)
    address = page.url
    follow_up(console, "And how long is it kept?")
    expect(page.locator(".answer")).to_have_count(2)
    expect(page.locator(".answer").last).to_contain_text("ninety days")
    expect(page.locator(".answer").last).to_be_focused()
    expect(page.locator(".answer").first).to_contain_text("half past two")
    assert page.url == address
    # Another view and back: the conversation is still there.
    page.get_by_role("link", name="Documents").click()
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.locator(".answer")).to_have_count(2)
    # Who gets the address sees the first question alone.
    shared = opened(server).page
    shared.goto(address)
    expect(shared.locator(".answer")).to_have_count(1)
    # Another question in the field above begins another conversation.
    console.ask("Who keeps the key of the greenhouse?")
    expect(page.locator(".answer")).to_have_count(1)


def test_the_turns_before_are_sent_and_citations_go_on_counting(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    answers = Answers(page)
    console.ask(QUESTION)
    follow_up(console, "And then?")
    first, second = answers.asked
    assert first == {"query": QUESTION}
    assert second["history"] == [
        {"role": "user", "text": QUESTION},
        {"role": "assistant", "text": "Answer 1.", "documentIds": ["d1"]},
    ]
    expect(page.locator(".cite")).to_have_text(["1", "2"])
    assert [one.get_attribute("data-number") for one in page.locator(".sources li").all()] == ["1", "2"]
    page.keyboard.press("n")
    page.keyboard.press("n")
    expect(page.locator(".source .number")).to_have_text("2")
    for _ in range(6):
        follow_up(console, "\U0001f680" * 1000)
    history = answers.asked[-1]["history"]
    assert len(history) == 10 and len(json.dumps(answers.asked[-1], ensure_ascii=False).encode()) < 64 * 1024


def test_what_was_searched_for_can_be_corrected_and_asked_again(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    answers = Answers(page)
    answers.ends = [{}, {"searchedFor": "And the price of the backup?"}, {}]
    console.ask(QUESTION)
    follow_up(console, "And its price?")
    chip = page.locator(".chip.on", has_text="Searched for:")
    expect(chip).to_contain_text("And the price of the backup?")
    assert console.barriers() == []
    # What one does with the answer is about what was searched for.
    other = page.get_by_role("link", name="Try other settings").last
    expect(other).to_have_attribute("href", re.compile(r"q=And\+the\+price\+of\+the\+backup"))
    chip.click()
    field = page.get_by_label("Correct the question, and ask again").last
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_have_count(0)
    expect(chip).to_be_focused()
    page.keyboard.press("Enter")
    expect(field).to_be_focused()
    field.fill("What does a restore cost?")
    with page.expect_request(ANSWER):
        page.keyboard.press("Enter")
    expect(page.locator(".turn")).to_have_text("What does a restore cost?")
    assert answers.asked[-1] == {"query": "What does a restore cost?"}, "it makes sense alone"
    expect(chip).to_have_count(0)
    expect(page.locator(".answer")).to_have_count(2)
    follow_up(console, "And then?")
    assert [one["text"] for one in answers.asked[-1]["history"] if one["role"] == "user"] == [
        QUESTION, "What does a restore cost?",
    ]  # fmt: skip


def test_what_is_missing_is_said_and_the_passages_are_shown(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    answers = Answers(page)
    answers.ends = [{"text": PRICE["text"], "answered": False, "missing": PRICE}]
    console.ask("What does the backup cost?")
    expect(page.locator(".asked").get_by_text(PRICE["text"], exact=True)).to_have_count(1)
    expect(page.locator(".nearest li")).to_contain_text("The nightly backup starts at half past two.")
    parts = [
        {"text": "When does it start?", "covered": True},
        {"text": "What does it cost?", "covered": False, "missing": PRICE},
        {"text": "Who built it?", "covered": False},
    ]
    answers.ends = [{"parts": parts}]
    console.ask("When does it start, what does it cost, and who built it?")
    expect(page.locator(".said li")).to_have_text([PRICE["text"], "The documents do not answer: Who built it?"])
    expect(page.locator(".nearest")).to_have_count(0)
    assert console.barriers() == []
    # An answer has its sentences, and what is missing once.
    answers.ends = [{"text": f"{PRICE['text']} Answer 3.", "missing": PRICE}]
    console.ask("And the price?")
    expect(page.locator(".said li")).to_have_text(PRICE["text"])
    expect(page.locator(".asked").get_by_text(PRICE["text"])).to_have_count(1)


def test_results_and_answers_say_how_sure_they_are(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    Answers(page).ends = [{"confidence": "exact identifier"}, {"confidence": "of a newer server"}]
    console.ask(QUESTION)
    expect(page.get_by_text("How sure the passages are: exact identifier")).to_be_visible()
    follow_up(console, "And then?")
    expect(page.get_by_text("How sure the passages are: of a newer server")).to_be_visible()
    result = {name: EVIDENCE[name] for name in ("content", "score", "documentId", "filename", "metadata")}
    found = {"results": [result | {"sources": [], "confidence": "strong"}]}
    page.route("**/api/query", lambda route: route.fulfill(json=found))
    console.open("try?q=When")
    expect(page.locator(".scored").first).to_contain_text("strong")


def test_a_sentence_says_what_its_sources_do_not_prove(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    sentence = {
        "text": "At noon.",
        "supported": False,
        "citations": [CITATION],
        "unsupportedBecause": ["number", "modality", "new"],
    }
    events = [("evidence", {"evidence": [EVIDENCE]}), ("sentence", sentence), ("done", {"text": "", "answered": False})]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    page.route(ANSWER, lambda route: route.fulfill(body=body, content_type="text/event-stream"))
    console.ask(QUESTION)
    expect(page.locator(".why")).to_contain_text(": number, how certain it is)")


def test_a_follow_up_that_broke_off_is_asked_again_and_a_new_conversation_forgets(
    server: Served, opened: Opened
) -> None:
    console = opened(server)
    page = console.page
    answers = Answers(page)
    console.open("ask?q=When&folder=guides")
    page.locator(".answer[aria-busy=false]").wait_for()
    page.route(ANSWER, lambda _: None)
    page.get_by_placeholder("Ask a follow-up").fill("And then?")
    page.get_by_role("button", name="Ask a follow-up").click()
    page.locator(".turn").get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert")).to_contain_text("You stopped this answer.")
    page.unroute(ANSWER)
    page.route(ANSWER, answers._answer)
    page.get_by_role("button", name="Ask again").click()
    expect(page.locator(".answer").last).to_contain_text("Answer 2.")
    assert (answers.asked[-1]["query"], len(answers.asked[-1]["history"])) == ("And then?", 2)
    assert answers.asked[-1]["filter"] == {"pathPrefix": "guides"}
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".answer")).to_have_count(0)
    expect(page.get_by_label("Ask a question about your documents")).to_be_focused()
    expect(page.locator(".chip.on", has_text="guides")).to_be_visible()
    console.ask("When?")
    assert "history" not in answers.asked[-1]
