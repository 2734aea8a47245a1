"""Questions in the console: answers that grow, filters that can be shared, and why a document is not found."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import Page, Request, expect

from ragbase import Client
from tests.browser.conftest import Console, Opened

if TYPE_CHECKING:
    from tests.unit.client.served import Served


GUIDE = (
    "---\ntitle: The guide\ntags: [backup]\nweight: 3\n---\n\n# Backups\n\nThe nightly backup starts at half past two. "
    "It is kept for ninety days.\n\n# Keys\n\nThe gardener keeps the key of the greenhouse.\n"
)
OLD = "# Backups\n\nThe nightly backup starts at noon, as ever since.\n"
QUESTION = "When does the nightly backup start?"
REFUSED = "Which planet has the greenhouse moons?"
ANSWER = "**/api/answer"


@pytest.fixture
def guide(server: Served) -> str:
    """The id of a document beside an older one."""
    with Client(server.url) as client:
        client.wait(client.upload(OLD.encode(), path="archive/old.md").id)
        return str(client.wait(client.upload(GUIDE.encode(), path="guides/guide_1.md").id).id)


def event(name: str, data: object) -> str:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n"


def streamed(*events: str) -> dict[str, str]:
    return {"body": "".join(events), "content_type": "text/event-stream"}


FIRST = event("evidence", {"evidence": []}) + event(
    "sentence", {"text": "The tide is high at nine.", "supported": False, "citations": []}
)


def filter_sent(request: Request) -> Any:
    sent = request.post_data_json
    assert sent is not None
    return sent["filter"]


def answer_of(page: Page) -> str:
    return page.locator(".answer").inner_text()


def test_filters_are_chips_in_an_address_that_can_be_shared(server: Served, opened: Opened, guide: str) -> None:
    console = opened(server)
    page = console.page
    console.ask(QUESTION)
    page.get_by_role("button", name="+ Filter").click()
    page.get_by_label("Folder", exact=True).fill("archive")
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text("at noon")
    expect(page.locator(".answer")).not_to_contain_text("half past two")
    expect(page).to_have_url(re.compile("folder=archive"))

    shared = opened(server).page
    shared.goto(page.url)
    expect(shared.locator(".answer")).to_contain_text("at noon")
    # A key removes the chip, and the focus stays where one goes on.
    shared.locator(".chip.on", has_text="archive").focus()
    shared.keyboard.press("Delete")
    expect(shared.locator(".answer")).to_contain_text("half past two")
    expect(shared.get_by_role("button", name="+ Filter")).to_be_focused()


def test_every_filter_of_the_api_can_be_set(server: Served, opened: Opened, guide: str) -> None:
    console = opened(server)
    page = console.page
    parts = "folder=guides&format=md&tag=backup&title=The+guide&where=weight%3E%3D2&where=weight%3C%3D9"
    with page.expect_request(ANSWER) as asked:
        console.open(f"ask?q=When+does+the+nightly+backup+start&{parts}&in={guide}")
    assert filter_sent(asked.value) == {
        "pathPrefix": "guides",
        "formats": ["md"],
        "tags": ["backup"],
        "title": "The guide",
        "documentIds": [guide],
        "where": [{"key": "weight", "atLeast": 2, "atMost": 9}],
    }
    expect(page.locator(".answer")).to_contain_text("half past two")
    expect(page.locator(".chip.on")).to_have_count(7)
    expect(page.locator(".chip.on").last).to_contain_text("guides/guide_1.md")
    # The blank lines in place of the front matter are not shown.
    page.locator(".cite").first.click()
    expect(page.locator(".source mark")).to_be_visible()
    assert (page.locator(".source pre").text_content() or "").startswith("# Backups")

    console.open("ask?q=When+does+the+nightly+backup+start")
    page.get_by_role("button", name="+ Filter").click()
    page.get_by_label("Kind of filter").select_option("Front matter")
    page.get_by_label("Key, such as author").fill("weight")
    page.get_by_label("How it compares").select_option("at least")
    page.get_by_label("Value").fill("4")
    with page.expect_request(ANSWER) as asked:
        page.keyboard.press("Enter")
    assert filter_sent(asked.value) == {"where": [{"key": "weight", "atLeast": 4}]}
    expect(page.locator(".answer")).to_contain_text("no information")
    page.get_by_role("button", name="+ Filter").click()
    page.get_by_label("Kind of filter").select_option("From day")
    page.get_by_label("From day", exact=True).fill("2024-01-31")
    with page.expect_request(ANSWER) as asked:
        page.keyboard.press("Enter")
    assert filter_sent(asked.value)["dateFrom"] == "2024-01-31"


def test_an_address_that_means_nothing_does_no_harm(server: Served, opened: Opened, guide: str) -> None:
    console = opened(server)
    page = console.page
    with page.expect_request(ANSWER) as asked:
        console.open("ask?q=When+does+the+nightly+backup+start&toString=x&__proto__=y&constructor=z&folder=")
    assert asked.value.post_data_json == {"query": "When does the nightly backup start"}
    expect(page.locator(".chip.on")).to_have_count(0)
    console.open("ask?q=When+does+the+nightly+backup+start&format=<img>&where=%3D%3D&from=yesterday")
    expect(page.get_by_role("alert")).to_contain_text("formats")
    expect(page.locator(".chip.on", has_text="<img>")).to_be_visible()


def test_one_document_can_be_asked(server: Served, opened: Opened, guide: str) -> None:
    console = opened(server)
    page = console.page
    console.open(f"documents/{guide}")
    page.get_by_role("link", name="Ask this document").click()
    console.ask(QUESTION)
    expect(page.locator(".answer")).not_to_contain_text("noon")
    page.get_by_role("button", name="Document guides/guide_1.md").click()
    expect(page.locator(".answer")).to_contain_text("noon")


def test_a_copied_answer_opens_its_letters(server: Served, opened: Opened, guide: str) -> None:
    console = opened(server)
    page = console.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    console.open("ask?q=When+does+the+nightly+backup+start&folder=guides")
    page.get_by_role("button", name="Copy as Markdown").click()
    page.locator(".notice", has_text="The answer is copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.startswith("**When does the nightly backup start**\n\n")
    assert "\n1. [guides/guide\\_1.md](" in copied
    link = re.search(r"half past two\. \[1\]\((\S+?)\)", copied)
    assert link is not None and link[1].startswith(f"{server.url}/#/documents/{guide}?from=")

    page.goto(link[1])
    expect(page.locator("mark").first).to_have_text("The nightly backup starts at half past two.")
    # The same characters of another text are other letters.
    with Client(server.url) as client:
        client.wait(client.upload(f"Preface.\n\n{GUIDE}".encode(), path="guides/guide_1.md", replace=True).id)
    page.reload()
    expect(page.get_by_text("The document has changed")).to_be_visible()
    expect(page.locator("mark")).to_have_count(0)


def test_an_answer_can_be_stopped_and_another_question_takes_its_place(
    server: Served, opened: Opened, guide: str
) -> None:
    console = opened(server)
    page = console.page
    page.route(ANSWER, lambda _: None)
    page.get_by_label("Ask a question about your documents").fill(QUESTION)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("alert")).to_contain_text("You stopped this answer.")
    page.get_by_role("button", name="Ask again").click()
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.unroute(ANSWER)
    console.ask("Who keeps the key of the greenhouse?")
    expect(page.locator(".answer")).to_contain_text("gardener")
    assert "half past two" not in answer_of(page)


def test_what_came_before_a_break_stays_and_says_that_nothing_proves_it(
    server: Served, opened: Opened, guide: str
) -> None:
    console = opened(server)
    page = console.page
    page.route(ANSWER, lambda route: route.fulfill(**streamed(FIRST)))
    console.ask(QUESTION)
    expect(page.locator(".unproven")).to_have_text("The tide is high at nine.")
    expect(page.locator(".why")).to_have_text("(nothing in the documents proves this)")
    expect(page.get_by_role("alert")).to_contain_text("The answer broke off.")
    failed = event("error", {"error": "UNAVAILABLE", "message": "The model does not answer."})
    page.unroute(ANSWER)
    page.route(ANSWER, lambda route: route.fulfill(**streamed(FIRST, failed)))
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_contain_text("The model does not answer.")
    page.unroute(ANSWER)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".answer")).to_contain_text("half past two")


def test_a_question_that_did_not_reach_the_server_is_asked_when_it_answers(
    server: Served, opened: Opened, guide: str
) -> None:
    console = opened(server)
    page = console.page
    field = page.get_by_label("Ask a question about your documents")
    field.wait_for()
    page.route("**/api/**", lambda route: route.abort())
    field.fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".banner")).to_be_visible()
    page.unroute("**/api/**")
    expect(page.locator(".answer")).to_contain_text("half past two")
    expect(page.locator(".banner")).to_have_count(0)


def test_citations_are_walked_and_a_second_click_scrolls_again(server: Served, opened: Opened) -> None:
    long = "".join(f"Line {number} of the log says nothing about it.\n\n" for number in range(80))
    with Client(server.url) as client:
        client.wait(client.upload(f"{long}{GUIDE.partition('---')[2]}{long}".encode(), path="long.md").id)
    console = opened(server)
    page = console.page
    console.ask(QUESTION)
    first = page.locator(".cite").first
    first.click()
    expect(page.locator(".source mark")).to_be_in_viewport()
    page.locator(".source .scroll").evaluate("one => one.scrollTo(0, 0)")
    expect(page.locator(".source mark")).not_to_be_in_viewport()
    first.click()
    expect(page.locator(".source mark")).to_be_in_viewport()
    page.keyboard.press("n")
    expect(page.locator(".source .number")).to_have_text("2")
    page.keyboard.press("p")
    expect(page.locator(".source .number")).to_have_text("1")


def expected(console: Console, part: str) -> None:
    console.page.get_by_role("button", name="Expected another document?").click()
    console.page.get_by_label("Name of the document").fill(part)
    expect(console.page.locator(".picker li")).to_have_count(1)
    console.page.keyboard.press("ArrowDown")
    console.page.keyboard.press("Enter")
    console.page.locator(".way").wait_for()


def test_a_refusal_says_by_how_much_it_fell_short_and_where_a_document_is_lost(
    server: Served, opened: Opened, guide: str
) -> None:
    console = opened(server)
    page = console.page
    console.ask(REFUSED)
    expect(page.locator(".nearest li").first).to_contain_text("of the 0.50 that are needed")
    expect(page.locator(".nearest .bar").first).to_be_visible()
    expected(console, "guide_1")
    expect(page.locator(".way .lost")).to_contain_text("Sure enough")
    expect(page.locator(".way .passed").first).to_contain_text("Stored")
    expect(page.locator(".remedy")).to_contain_text("lower the threshold")
    expect(page.get_by_role("link", name="Try a lower threshold")).to_have_attribute(
        "href", re.compile("#/try.*b.threshold=0")
    )


def test_a_lost_document_can_be_asked_without_the_filter_or_tried_again(
    server: Served, opened: Opened, guide: str
) -> None:
    with Client(server.url) as client:
        client.wait(client.upload(b'{"key": ', path="broken.json").id)
    console = opened(server)
    page = console.page
    console.open("ask?q=When+does+the+nightly+backup+start&folder=archive")
    page.locator(".answer[aria-busy=false]").wait_for()
    expected(console, "guide_1")
    expect(page.locator(".way .lost")).to_contain_text("Allowed")
    page.get_by_role("link", name="Ask without the filter").click()
    expect(page.locator(".answer")).to_contain_text("half past two")
    expect(page.locator(".chip.on")).to_have_count(0)

    expected(console, "broken")
    expect(page.locator(".way .lost")).to_contain_text("Read")
    with page.expect_request("**/retry") as sent:
        page.get_by_role("button", name="Retry").click()
    assert sent.value.method == "POST"
    page.locator(".notice", has_text="processed again").wait_for()
