"""What a person does with the console, from its empty page to the sign-out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.thirty_files import COUNT, IN_MARKDOWN, IN_PDF, IN_SCAN, UNREADABLE

if TYPE_CHECKING:
    from playwright.sync_api import Locator

    from tests.browser.console import Console

WORK = 180_000
"""Milliseconds within which all files are read. The local cloud runs some twenty processes."""


class Journey:
    """`barriers` are what axe finds, by view, if it `looks`."""

    def __init__(self, console: Console, *, looks: bool) -> None:
        self._console = console
        self._looks = looks
        self._page = console.page
        self.barriers: dict[str, list[str]] = {}

    def sign_in(self, secret: str) -> None:
        self._console.open("sign-in")
        field = self._page.get_by_label("Password or API key")
        field.wait_for()
        self._look("sign in")
        field.fill(secret)
        self._page.keyboard.press("Enter")
        self._page.locator(".top .menu").wait_for()
        self._go("Documents")
        expect(self._page.get_by_text("There are no documents yet. Drop files")).to_be_visible()
        self._look("no documents")

    def add_files(self, folder: Path) -> None:
        with self._page.expect_request(lambda request: request.method == "PUT"):  # the large one goes to an address
            self._console.drop(folder)
            expect(self._page.get_by_role("region", name="Uploads")).to_be_visible()
            self._look("uploads")
        expect(self._page.locator(".row .status.completed")).to_have_count(COUNT - 1, timeout=WORK)
        expect(self._row(UNREADABLE)).to_contain_text("TEXT_TOO_SHORT")
        expect(self._page.locator(".count")).to_have_text(f"{COUNT} documents")
        self._look("documents")
        self._page.get_by_label("Filter by name").fill("ferry")
        expect(self._page.locator(".row")).to_have_count(1)
        self._page.get_by_role("link", name="ferry.pdf").click()
        expect(self._page.locator("main")).to_contain_text("1 page read by OCR")
        expect(self._page.locator("main")).to_contain_text(IN_SCAN)
        self._look("document")

    def ask_and_walk(self) -> None:
        self._go("Ask")
        self._look("nothing asked")
        self._follow("When does the ferry to Anholt leave?", IN_SCAN, "ferry.pdf")
        self._follow("When does the lighthouse of Skagen burn?", IN_MARKDOWN, "lighthouse-skagen.md")
        self._follow("What does the crane of quay seven lift?", IN_PDF, "cranes-7.pdf")
        page = self._page
        count = page.locator(".sources li").count()
        # After the last one comes the first again: the generator of the local cloud writes one sentence.
        for key, index in (("n", 1 % count), ("p", 0), ("p", count - 1), ("n", 0)):
            page.keyboard.press(key)
            chosen = page.locator(".sources [aria-pressed]").nth(index)
            expect(chosen).to_have_attribute("aria-pressed", "true")
        page.keyboard.press("Escape")
        expect(page.locator(".source")).to_have_count(0)

    def be_refused(self) -> None:
        page = self._page
        self._console.ask("Why do moons orbit Jupiter near lighthouses?")
        expect(page.locator(".nearest")).to_contain_text("lighthouse-skagen.md")
        expect(page.locator(".nearest")).to_contain_text("that are needed")
        self._look("refusal")
        page.get_by_role("button", name="Expected another document?").click()
        page.get_by_label("Name of the document").fill("skagen")
        page.get_by_role("option", name="lighthouse-skagen.md").click()
        expect(page.locator(".way .lost")).to_have_count(1)
        expect(page.locator(".way .passed").first).to_contain_text("Stored")
        self._look("expected another document")
        page.get_by_role("button", name="Expected another document?").click()
        page.get_by_role("link", name="Try other settings").click()
        expect(page.locator(".results")).to_have_count(2)
        expect(page.locator("main [aria-busy=true]")).to_have_count(0)
        self._look("try")

    def retry(self) -> None:
        self._go("Documents")
        self._page.get_by_label("Filter by name").fill("")
        failed = self._row(UNREADABLE)
        with self._page.expect_response(lambda answer: answer.url.endswith("/retry")) as answered:
            failed.get_by_role("button", name="Retry").click()
        assert answered.value.ok, answered.value.text()
        expect(failed).to_contain_text("TEXT_TOO_SHORT")

    def delete_and_undo(self) -> None:
        page = self._page
        gone = self._row("opening.txt")
        gone.get_by_role("button", name="Delete").click()
        expect(gone).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(gone).to_be_visible()
        gone.get_by_role("button", name="Delete").click()
        with page.expect_response(lambda answer: answer.request.method == "DELETE") as answered:
            page.get_by_role("button", name="Close").click()
        assert answered.value.ok, answered.value.text()
        expect(page.locator(".count")).to_have_text(f"{COUNT - 1} documents", timeout=WORK)

    def operate(self) -> None:
        """All sections, for who may do so."""
        self._go("Operate")
        sections = self._page.get_by_role("navigation", name="Sections").get_by_role("link")
        for section in sections.all():
            section.click()
            expect(self._page.locator("main [aria-busy=true]")).to_have_count(0)
            self._look(f"operate: {section.inner_text()}")

    def sign_out(self, *, is_closed: bool) -> None:
        """Where IAM admits people, the page stays open without a key, and shows them all documents."""
        self._page.locator(".top .menu summary").click()
        self._page.get_by_role("button", name="Sign out", exact=True).click()
        expect(self._page.locator(".top .menu")).to_have_count(0)
        if is_closed:
            expect(self._page.get_by_label("Password or API key")).to_be_visible()
        else:
            expect(self._page.locator(".count")).to_be_visible()

    def _follow(self, question: str, sentence: str, name: str) -> None:
        """Ask, and open the first citation: it is this sentence, marked in this document."""
        page = self._page
        self._console.ask(question)
        expect(page.locator(".answer")).to_contain_text(sentence)
        page.locator(".cite").first.click()
        expect(page.locator(".source .head")).to_contain_text(name)
        expect(page.locator(".source")).to_contain_text(sentence)
        # A page of a PDF is shown as an image, with the mark over its letters.
        mark = page.locator(".source .lit" if name.endswith(".pdf") else ".source mark").first
        expect(mark).to_be_in_viewport()
        if name.endswith(".pdf"):
            # The marks are placed on the sheet, so its image has to fill it.
            image = page.locator(".source .sheet img").first
            image.wait_for()
            free = "image => image.parentElement.clientWidth - image.clientWidth"
            assert abs(image.evaluate(free)) <= 1
        self._look(f"source {name}")

    def _go(self, view: str) -> None:
        self._page.get_by_role("navigation").get_by_role("link", name=view).click()

    def _row(self, name: str) -> Locator:
        return self._page.locator(".row", has_text=name)

    def _look(self, view: str) -> None:
        if self._looks:
            self.barriers[view] = self._console.barriers()
