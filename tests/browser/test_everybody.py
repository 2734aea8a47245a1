"""The console for people who use no mouse, see no screen, have a small or a very large one, or read other dates."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import expect

from ragbase import Client
from ragbase.access.caller import Scope
from tests.browser.conftest import Console, Opened
from tests.browser.test_documents_list import page_of
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


MARKUP = "<img src=x onerror=alert(1)>"
GUIDE = (
    "# Backups\n\nThe nightly backup starts at half past two. It is kept for ninety days. Nobody stops it by hand.\n\n"
    "# Keys\n\nThe gardener keeps the key of the greenhouse.\n"
)
QUESTION = "When does the nightly backup start?"
ANSWER = "The nightly backup starts at half past two."

SHIFTS = """
window.shifts = [];
new PerformanceObserver((list) => {
  for (const { sources } of list.getEntries())
    shifts.push(sources.map(({ node }) => node?.outerHTML ?? node?.textContent).join(" | "));
}).observe({ type: "layout-shift", buffered: true });
"""
"""Collects what moves (https://wicg.github.io/layout-instability/)."""

SAID = """
window.said = [];
addEventListener("DOMContentLoaded", () => {
  const place = document.getElementById("said");
  new MutationObserver(() => place.textContent && said.push(place.textContent)).observe(place, { childList: true });
});
"""
"""Collects what a screen reader would say of changes."""

Visit = Callable[..., Console]


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visit]:
    """Opens the console in a browser with these properties."""
    consoles: list[Console] = []

    def visit_(server: Served, script: str = "", view: str = "", **properties: Any) -> Console:
        page = browser.new_context(**{"locale": "en-GB", **properties}).new_page()
        if script:
            page.add_init_script(script)
        consoles.append(Console(page, server.url))
        consoles[-1].open(view)
        return consoles[-1]

    yield visit_
    for context in browser.contexts:
        context.close()
    for console in consoles:
        assert console.faults == []


def fill(server: Served, *names: str, text: str = GUIDE, token: str | None = None) -> list[str]:
    """Upload these documents; their ids."""
    with Client(server.url, token) as client:
        return [client.wait(client.upload(f"{text}\n\nOf {name}.\n".encode(), path=name).id).id for name in names]


def tab_to(page: Page, name: str) -> None:
    """Press Tab until what has this name has the focus."""
    for _ in range(60):
        page.keyboard.press("Tab")
        found = page.evaluate(
            "(({ labels, ariaLabel, textContent }) => labels?.[0]?.textContent || ariaLabel || textContent)"
            "(document.activeElement)"
        )
        if (found or "").strip() == name:
            return
    raise AssertionError(f"Tab does not come to {name}")


@pytest.mark.parametrize("width", [320, 1440])
def test_nothing_moves_by_itself(visit: Visit, tmp_path: Path, width: int) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        token = str(server.profile.access.sign_in(PASSWORD, "127.0.0.1").token)
        id, *_ = fill(server, "guide.md", "another.md", token=token)
        console = visit(server, SHIFTS, viewport={"width": width, "height": 700})
        page = console.page

        def check(view: str) -> None:
            # A frame later, the browser has told of the last one.
            page.evaluate("() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
            assert (view, page.evaluate("shifts")) == (view, [])

        secret = page.get_by_label("Password or API key")
        secret.fill("wrong")
        page.keyboard.press("Enter")
        page.locator(".wrong").wait_for()
        check("sign in")
        secret.fill(PASSWORD)
        page.keyboard.press("Enter")
        page.locator(".question").wait_for()
        page.reload()  # from here on, nobody does anything that could move something
        for view, sign in (
            ("documents", ".row"),
            (f"documents/{id}", ".text"),
            ("operate", ".cards td"),
            ("try", ".question"),
        ):
            console.open(view)
            page.locator(sign).first.wait_for()
            check(view)
        for question, sign in ((QUESTION, ".sources"), ("Which planet has the greenhouse moons?", ".nearest")):
            console.open(f"ask?{urlencode({'q': question})}")
            page.locator(sign).wait_for()
            check(question)
        page.route("**/api/session", lambda route: route.abort())
        page.context.set_offline(True)
        page.get_by_role("button", name="Ask", exact=True).click()
        expect(page.get_by_text("The server does not answer").first).to_be_visible()
        check("offline")


def test_the_keyboard_alone_suffices(visit: Visit, tmp_path: Path) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        token = str(server.profile.access.sign_in(PASSWORD, "127.0.0.1").token)
        fill(server, "guide.md", "other.md", token=token)
        page = visit(server).page
        keys = page.keyboard
        expect(page.get_by_label("Password or API key")).to_be_focused()
        keys.type(PASSWORD)
        keys.press("Enter")
        expect(page.get_by_label("Ask a question about your documents")).to_be_focused()
        keys.type(QUESTION)
        keys.press("Enter")
        expect(page.locator(".answer")).to_contain_text(ANSWER)
        expect(page.locator(".sources")).to_be_visible()
        keys.press("n")
        expect(page.locator(".source mark")).to_be_in_viewport()
        keys.press("Escape")
        expect(page.locator(".source")).to_have_count(0)

        page.reload()
        page.locator(".answer[aria-busy=false]").wait_for()
        page.evaluate("document.activeElement.blur()")
        tab_to(page, "Skip to the content")
        keys.press("Enter")
        expect(page.locator("main")).to_be_focused()
        page.evaluate("scrollTo(0, 0)")
        page.locator(".skip").focus()
        tab_to(page, "Documents")
        keys.press("Enter")
        expect(page.get_by_role("heading", name="Documents")).to_be_visible()
        expect(page.locator("main")).to_be_focused()
        tab_to(page, "Filter by name")
        keys.type("guide")
        expect(page.locator(".row")).to_have_count(1)
        tab_to(page, "guide.md")
        keys.press("Enter")
        expect(page.get_by_role("heading", name="guide.md")).to_be_visible()
        tab_to(page, "Ask this document")
        keys.press("Enter")
        page.locator(".question").wait_for()

        page.locator(".skip").focus()
        tab_to(page, "Signed in")
        keys.press("Enter")
        expect(page.get_by_role("button", name="Sign out", exact=True)).to_be_visible()
        keys.press("Escape")
        expect(page.get_by_role("button", name="Sign out", exact=True)).to_be_hidden()
        expect(page.locator(".top summary")).to_be_focused()
        keys.press("Enter")
        tab_to(page, "Sign out")
        keys.press("Enter")
        expect(page.get_by_label("Password or API key")).to_be_focused()


def test_the_keyboard_reaches_rows_that_are_no_elements_yet(visit: Visit, server: Served) -> None:
    console = visit(server)
    page = console.page
    page.route("**/api/documents?*", page_of)
    console.open("documents")
    page.get_by_text("0.pdf", exact=True).wait_for()
    met: list[str] = []
    for _ in range(240):
        page.keyboard.press("Tab")
        name = page.evaluate("document.activeElement.matches('.row .name') ? document.activeElement.textContent : ''")
        if name:
            expect(page.get_by_role("link", name=name, exact=True)).to_be_in_viewport()
            met.append(name)
    assert len(met) >= 40
    assert met == [f"{number}.pdf" for number in range(len(met))]


def test_a_screen_reader_says_what_changes(visit: Visit, server: Served) -> None:
    fill(server, "guide.md")
    console = visit(server, SAID)
    page = console.page

    def said(text: str) -> None:
        page.wait_for_function("text => said.some((one) => one.includes(text))", arg=text)

    page.get_by_role("link", name="Documents").click()
    said("Documents")
    page.get_by_role("link", name="Ask").click()
    said("Ask")
    console.ask(QUESTION)
    said("Searching…")
    said(ANSWER)
    page.get_by_role("link", name="Documents").click()
    page.get_by_role("button", name="Delete guide.md").click()
    said("guide.md is deleted.")
    page.get_by_role("button", name="Undo").click()


def test_a_message_waits_for_who_is_on_the_way_to_its_button(visit: Visit, server: Served) -> None:
    fill(server, "guide.md")
    page = visit(server, view="documents").page
    page.locator(".row").wait_for()
    page.clock.install()
    page.get_by_role("button", name="Delete guide.md").click()
    page.get_by_role("button", name="Undo").focus()
    page.clock.run_for(60_000)
    expect(page.get_by_text("guide.md is deleted.").last).to_be_visible()
    page.keyboard.press("Enter")
    page.clock.run_for(1000)
    expect(page.locator(".row")).to_be_visible()


@pytest.mark.parametrize("locale", ["en-GB", "vi-VN"])
def test_a_narrow_screen_has_room_for_everything(visit: Visit, tmp_path: Path, locale: str) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        token = str(server.profile.access.sign_in(PASSWORD, "127.0.0.1").token)
        id, *_ = fill(server, "a-name-without-a-single-space-that-is-as-long-as-it-gets.md", token=token)
        console = visit(server, viewport={"width": 320, "height": 640}, locale=locale)
        page = console.page
        page.locator("#secret").fill(PASSWORD)
        page.keyboard.press("Enter")
        page.locator(".question").wait_for()
        for view, sign in (
            *(("documents", ".row"), (f"documents/{id}", ".text"), ("operate", "#section"), ("try", ".question")),
            *((f"ask?q={QUESTION}", ".sources"), ("ask?q=Which+greenhouse+has+moons", ".answer")),
        ):
            console.open(view)
            page.locator(sign).first.wait_for()
            page.locator(".answer[aria-busy=true]").wait_for(state="detached")
            assert (view, page.evaluate("document.documentElement.scrollWidth")) == (view, 320)
        page.locator(".top summary").click()
        for choice in page.locator(".top .menu button").all():
            expect(choice).to_be_in_viewport(ratio=1)


def test_a_screen_of_four_thousand_pixels_is_read_from_further_away(visit: Visit, server: Served) -> None:
    fill(server, "guide.md")
    size = "parseFloat(getComputedStyle(document.documentElement).fontSize)"
    page = visit(server, view="documents", viewport={"width": 3840, "height": 2160}).page
    page.locator(".row").wait_for()
    assert 22 < page.evaluate(size) <= 24
    page.set_viewport_size({"width": 1440, "height": 900})
    assert page.evaluate(size) == 16


@pytest.mark.parametrize(
    ("locale", "date", "bytes"),
    [
        ("en-GB", r"\d{1,2} \w{3,4} 20\d\d", "bytes"),
        ("en-US", r"\w{3,4} \d{1,2}, 20\d\d", "bytes"),
        ("vi-VN", r"\d{1,2} thg \d{1,2}, 20\d\d", "byte"),
    ],
)
def test_dates_and_sizes_are_those_of_the_reader(
    visit: Visit, server: Served, locale: str, date: str, bytes: str
) -> None:
    id, *_ = fill(server, "guide.md")
    console = visit(server, view=f"documents/{id}", locale=locale)
    expect(console.page.locator("main")).to_contain_text(re.compile(date))
    console.open("documents")
    expect(console.page.locator(".row")).to_contain_text(re.compile(rf"\d{{3}} {bytes}\b"))


def test_a_page_that_cannot_get_its_scripts_is_loaded_again(browser: Browser, server: Served) -> None:
    page = browser.new_context(locale="en-GB").new_page()
    page.route("**/session.js", lambda route: route.abort())
    page.goto(server.url)
    expect(page.get_by_text("Loading… · Đang tải…")).to_be_visible()
    page.unroute("**/session.js")
    expect(page.get_by_role("heading", name="What do your documents say?")).to_be_visible()
    page.context.close()


def test_a_page_that_cannot_get_its_words_waits_for_them(browser: Browser, server: Served) -> None:
    page = browser.new_context(locale="en-GB").new_page()
    page.route("**/strings/*.json", lambda route: route.fulfill(status=503))
    page.goto(server.url)
    expect(page.get_by_text("Loading… · Đang tải…")).to_be_visible()
    page.unroute("**/strings/*.json")
    expect(page.get_by_role("heading", name="What do your documents say?")).to_be_visible()
    page.context.close()


def test_a_source_that_does_not_come_is_asked_for_again(visit: Visit, server: Served) -> None:
    fill(server, "guide.md")
    console = visit(server)
    page = console.page
    body = {"error": "UNAVAILABLE", "message": "The texts cannot be read now."}
    page.route("**/text", lambda route: route.fulfill(status=503, json=body))
    console.ask(QUESTION)
    page.locator(".cite").first.click()
    expect(page.locator(".source")).to_contain_text("The texts cannot be read now.")
    page.unroute("**/text")
    page.locator(".source").get_by_role("button", name="Try again").click()
    expect(page.locator(".source mark")).to_have_text(ANSWER)


def test_a_key_that_may_read_sees_no_write_and_its_tenant(visit: Visit, tmp_path: Path) -> None:
    with served(tmp_path / "home", password_hash=hash_of(), tenancy="folder") as server:
        _, writer = server.profile.access.keys.create("writer", scopes=[Scope.READ, Scope.WRITE])
        id, _, _ = fill(server, "red/guide.md", "red/broken.md", "blue/guide.md", token=str(writer))
        _, reader = server.profile.access.keys.create("reader\u202e", scopes=[Scope.READ], tenant="red")
        console = visit(server)
        page = console.page
        page.get_by_label("Password or API key").fill(str(reader))
        page.keyboard.press("Enter")
        page.locator(".question").wait_for()
        page.locator(".top summary").click()
        expect(page.locator(".top .menu")).to_contain_text("reader□")
        expect(page.locator(".top .menu")).to_contain_text("May only read.")
        expect(page.locator(".top .menu")).to_contain_text("Tenant: red")

        changes = re.compile("add|delete|retry|replace|remove|upload|revoke|replay|keep|operate", re.IGNORECASE)
        for view, sign in (
            *(("documents", ".row"), (f"documents/{id}", ".text"), ("operate", ".question")),
            *((f"ask?q={QUESTION}", ".sources"), ("ask?q=Which+greenhouse+has+moons", ".answer")),
        ):
            console.open(view)
            page.locator(sign).first.wait_for()
            page.locator(".answer[aria-busy=true]").wait_for(state="detached")
            for role in ("button", "link", "checkbox", "menuitem"):
                names = [name for name in page.get_by_role(role).all_inner_texts() if changes.search(name)]
                assert (view, role, names) == (view, role, [])
            expect(page.locator("main")).not_to_contain_text("blue")
            assert page.locator("input[type=file]").count() == 0
        page.dispatch_event("main", "dragover", {"dataTransfer": page.evaluate_handle("new DataTransfer()")})
        expect(page.locator(".drop")).to_have_count(0)


def test_whatever_a_document_says_is_text(opened: Opened, server: Served) -> None:
    """Names, headings, front matter, tables and marks that turn letters around, in every place where they are shown."""
    turned = "\u202eelif\u2066 txt\u200f"
    text = (
        f'---\ntitle: "{MARKUP} {turned}"\ntags: ["{MARKUP}"]\n---\n\n'
        f"# {MARKUP} {turned}\n\nThe nightly {MARKUP} backup starts at {turned} half past two.\n\n"
        f"| {MARKUP} | {turned} |\n|---|---|\n| {MARKUP} | {turned} |\n\n"
        "<script>alert(2)</script>\n\n[link](javascript:alert(3)) ![image](https://evil.example/x.png)\n\n"
        "<iframe src=https://evil.example></iframe><svg onload=alert(4)></svg><base href=https://evil.example>\n"
    )
    name = f"a/{MARKUP.replace('/', '')} & <b>.md"
    with Client(server.url) as client:
        id = client.wait(client.upload(text.encode(), path=name).id).id
    console = opened(server)
    page = console.page
    page.on("dialog", lambda dialog: console.faults.append(dialog.message))

    def check(view: str) -> None:
        found = page.locator("body :is(img, script, iframe, b, base, svg[onload], a[href^=javascript])")
        assert (view, found.count()) == (view, 0)
        shown = page.locator("h1, h2, bdi, summary, .path, .top").all_text_contents()
        assert not [one for one in shown if re.search("[\u202a-\u202e\u2066-\u2069]", one)], view

    for view, sign in (
        *(("documents", ".row"), (f"documents/{id}", ".text"), ("ask?q=nightly+backup+starts+at", ".answer")),
        *(
            (f"ask?q={MARKUP}", ".answer"),
            ("ask?q=moons+of+the+nightly+planet", ".answer"),
            (f"operate/{MARKUP}", "h1"),
        ),
    ):
        console.open(view)
        page.locator(sign).first.wait_for()
        page.locator(".answer[aria-busy=true]").wait_for(state="detached")
        if cites := page.locator(".cite").all():
            cites[0].click()
            page.locator(".source").wait_for()
        check(view)
