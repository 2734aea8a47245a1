"""<ragbase-ask> on a page of another origin, whose policy lets it load one script and ask one server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from ragbase import Client
from ragbase.access.caller import Scope
from ragbase.interfaces.console.ask_element import ask_element
from tests.browser.console import Console
from tests.browser.site import Site
from tests.chromium import PATIENCE
from tests.functions.guarded import PASSWORD, hash_of
from tests.page_blocks import block_of
from tests.unit.client.served import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route


GUIDE = (
    "# Backups 😀\n\nThe nightly backup starts at half past two. It is kept for ninety days.\n\n"
    "# Keys\n\nThe gardener keeps the key of the greenhouse.\n"
)
HOSTILE = "<img src=x onerror=alert(1)>.md"
QUESTION = "When does the nightly backup start?"


class Host:
    """A page of a site. `faults` are what went wrong in it, and what it asked of others than its server."""

    def __init__(self, context: BrowserContext, server: Served, site: Site) -> None:
        self.page: Page = context.new_page()
        self.faults: list[str] = []
        self.sent: list[str] = []
        self._server, self._site = server, site
        self.page.set_default_timeout(PATIENCE)
        self.page.on("console", lambda message: self._said(message.type, message.text))
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        self.page.on("request", lambda request: self._asked(request.url))

    def open(self, attributes: str, *, script: str = "ragbase-ask.js", integrity: str = "", origin: str = "") -> None:
        own = self._server.url
        check = f'integrity="{integrity}" crossorigin' if integrity else ""
        self.show(
            f'<script type="module" src="{own}/{script}" {check}></script>'
            f"<main><h1>A shop</h1><ragbase-ask {attributes}></ragbase-ask></main>",
            origin=origin,
        )

    def show(self, markup: str, *, origin: str = "") -> None:
        own = self._server.url
        policy = (
            f"default-src 'none'; script-src {own}; connect-src {own}; style-src 'self'; form-action 'none'; "
            "base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        )
        body = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>A shop</title>{markup}'
        headers = {"Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy}
        self._site.page = headers, body
        self.page.goto(f"{origin or self._site.origin}/help")

    def ask(self, question: str = QUESTION) -> None:
        self.page.get_by_role("searchbox").fill(question)
        self.page.keyboard.press("Enter")

    def _said(self, kind: str, text: str) -> None:
        # Chromium says of each refusal that it is one; some tests provoke one.
        if kind in ("error", "warning") and not any(
            known in text for known in ("Failed to load resource", "blocked by CORS policy")
        ):
            self.faults.append(text)

    def _asked(self, url: str) -> None:
        self.sent.append(url)
        if not url.startswith((self._server.url, self._site.origin, self._site.other)):
            self.faults.append(f"a request to {url}")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        _, writer = server.profile.access.keys.create("writer", scopes=[Scope.READ, Scope.WRITE])
        with Client(server.url, str(writer)) as client:
            client.wait(client.upload(GUIDE.encode(), path=HOSTILE).id)
        yield server


@pytest.fixture
def key(server: Served, site: Site) -> str:
    return str(server.profile.access.keys.create("site", scopes=[Scope.READ], origins=[site.origin])[1])


@pytest.fixture
def host(browser: Browser, server: Served, site: Site) -> Iterator[Host]:
    """What its visitors see of it never depends on what a browser has kept."""
    context = browser.new_context(locale="en-GB")
    host = Host(context, server, site)
    yield host
    assert context.cookies() == []
    assert context.storage_state()["origins"] == []
    context.close()
    assert host.faults == []


def test_the_lines_of_the_documentation_make_a_box(host: Host, server: Served, key: str) -> None:
    lines = block_of("docs/access.md", "On a page of yours", 2).text
    host.show(lines.replace("https://rag.example.com", server.url).replace("rb_…", key))
    expect(host.page.get_by_role("heading", name="Ask our handbook")).to_be_visible()
    expect(host.page.get_by_role("searchbox")).to_have_attribute("placeholder", "How long is the warranty?")
    host.ask()
    expect(host.page.locator(".answer")).to_contain_text("The nightly backup starts at half past two.")


def test_an_answer_comes_with_its_sources(host: Host, key: str) -> None:
    version = ask_element()
    host.open(f'key="{key}"', script=f"ragbase-ask-{version.version}.js", integrity=version.integrity)
    page = host.page
    host.ask()
    expect(page.locator(".answer")).to_contain_text("The nightly backup starts at half past two.")
    expect(page.locator(".answer")).to_have_attribute("aria-busy", "false")
    expect(page.locator("[role=status]")).to_contain_text("The nightly backup starts at half past two.")

    # By keyboard alone: the number opens its source, Escape closes it and goes back.
    page.keyboard.press("Tab")  # the button
    page.keyboard.press("Tab")
    expect(page.locator(".cite").first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("summary").first).to_be_focused()
    expect(page.locator("summary").first).to_contain_text(HOSTILE)
    # The emoji before it is one character in the text, and two in a script.
    expect(page.locator("mark").first).to_have_text("The nightly backup starts at half past two.")
    expect(page.locator("blockquote").first).to_contain_text("It is kept for ninety days.")
    page.keyboard.press("Escape")
    expect(page.locator("blockquote").first).to_be_hidden()
    expect(page.locator(".cite").first).to_be_focused()
    assert page.locator("ragbase-ask img").count() == 0
    assert {urlsplit(url).path for url in host.sent} >= {"/api/session", "/api/answer"}


def test_the_console_gives_an_operator_what_a_page_needs(browser: Browser, server: Served, site: Site) -> None:
    context = browser.new_context(locale="en-GB")
    console = Console(context.new_page(), server.url)
    page = console.page
    console.open("operate/keys")
    page.get_by_label("Password or API key").fill(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Make a key").click()
    form = page.get_by_role("form")
    form.get_by_label("Name").fill("help")
    form.get_by_label("Only on pages of").fill(f"{site.origin}/help")
    form.get_by_role("button", name="Make a key").click()
    expect(form.get_by_role("alert")).to_contain_text("cannot be an origin")
    form.get_by_label("Only on pages of").fill(site.origin)
    form.get_by_role("button", name="Make a key").click()
    tags = page.get_by_label("Write this into the pages").input_value()
    expect(page.get_by_role("row", name="help")).to_contain_text(site.origin)

    site.page = ({"Content-Type": "text/html"}, f"<!doctype html><title>A shop</title>{tags}")
    page = context.new_page()
    page.goto(site.origin)
    page.get_by_role("searchbox").fill(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".answer")).to_contain_text("The nightly backup starts at half past two.")
    context.close()
    assert console.faults == []


def test_a_refusal_says_what_came_nearest(host: Host, key: str) -> None:
    host.open(f'key="{key}"')
    host.ask("Which planet has the greenhouse moons?")
    expect(host.page.locator(".answer")).to_contain_text("Try other words. These came nearest:")
    expect(host.page.locator(".answer li")).to_contain_text([HOSTILE])
    expect(host.page.locator("summary")).to_have_count(0)


def test_a_key_that_may_write_is_refused_before_somebody_asks(host: Host, server: Served, site: Site) -> None:
    _, writer = server.profile.access.keys.create("writer", scopes=[Scope.READ, Scope.WRITE])
    server.profile.access.keys.create(
        "site", scopes=[Scope.READ], origins=[site.origin]
    )  # its browser may read answers
    host.open(f'key="{writer}"')
    host.page.get_by_role("searchbox").focus()
    expect(host.page.locator(".wrong")).to_contain_text("may do more than read")
    expect(host.page.locator(".wrong")).to_contain_text(f"ragbase keys create NAME --origin {site.origin}")
    host.ask()
    expect(host.page.get_by_role("button", name="Try again")).to_be_visible()
    assert not any(url.endswith("/api/answer") for url in host.sent)


def test_each_error_says_what_to_do(host: Host, site: Site, key: str) -> None:
    page = host.page
    wrong = page.locator(".wrong")
    host.open("")
    host.ask()
    expect(wrong).to_contain_text("This box has no key.")
    page.locator("ragbase-ask").evaluate("(one, key) => one.setAttribute('key', key)", key[:-1] + "A")
    page.get_by_role("button", name="Try again").click()
    expect(wrong).to_contain_text("The key of this box is not valid any more.")
    page.locator("ragbase-ask").evaluate("(one, key) => one.setAttribute('key', key)", key)

    body = {"error": "TOO_MANY_REQUESTS", "message": "…"}
    headers = {
        "Access-Control-Allow-Origin": site.origin,
        "Access-Control-Expose-Headers": "Retry-After",
        "Retry-After": "7000",
    }
    page.route("**/api/answer", lambda route: route.fulfill(status=429, headers=headers, body=json.dumps(body)))
    page.get_by_role("button", name="Try again").click()
    expect(wrong).to_contain_text("Try again in 2 hours.")
    page.unroute("**/api/answer")
    page.route("**/api/answer", lambda route: route.abort())
    page.get_by_role("button", name="Try again").click()
    expect(wrong).to_contain_text(f"The server does not answer pages of {site.origin}.")
    page.unroute("**/api/answer")
    cut = {"Access-Control-Allow-Origin": site.origin, "Content-Type": "text/event-stream"}
    part = 'event: evidence\ndata: {"evidence": []}\n\n'
    page.route("**/api/answer", lambda route: route.fulfill(headers=cut, body=part))
    page.get_by_role("button", name="Try again").click()
    expect(wrong).to_contain_text("The answer broke off.")
    page.unroute("**/api/answer")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".answer")).to_contain_text("The nightly backup starts at half past two.")


def test_a_page_of_another_origin_gets_nothing_with_the_key(host: Host, site: Site, key: str) -> None:
    """Its browser may not even read the refusal."""
    host.open(f'key="{key}"', origin=site.other)
    host.ask()
    expect(host.page.locator(".wrong")).to_contain_text(f"does not answer pages of {site.other}")
    assert not any(url.endswith("/api/answer") for url in host.sent)


def test_an_answer_can_be_stopped(host: Host, key: str) -> None:
    page = host.page
    host.open(f'key="{key}"')
    page.route("**/api/answer", lambda _: None)  # it is never answered
    with page.expect_request("**/api/answer"):
        host.ask()
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Stop").click()
    expect(page.locator(".answer")).to_contain_text("Stopped. The answer is not complete.")
    expect(page.get_by_role("button", name="Ask")).to_be_visible()


def test_a_server_that_says_nothing_about_the_key_can_be_given_up(host: Host, key: str) -> None:
    """It is asked about the key before it gets the question."""
    page = host.page
    page.route("**/api/session", lambda _: None)  # it is never answered
    host.open(f'key="{key}"')
    with page.expect_request("**/api/session"):
        host.ask()
    with page.expect_event("requestfailed"):
        page.get_by_role("button", name="Stop").click()
    expect(page.locator(".answer")).to_contain_text("Stopped. The answer is not complete.")
    page.unroute("**/api/session")
    page.get_by_role("button", name="Ask").click()
    expect(page.locator(".answer[aria-busy=false]")).to_contain_text("The nightly backup starts at half past two.")


def test_a_double_click_asks_once_and_stops_nothing(host: Host, key: str) -> None:
    page = host.page
    host.open(f'key="{key}"')
    page.get_by_role("searchbox").fill(QUESTION)
    page.get_by_role("button", name="Ask").dblclick()
    expect(page.locator(".answer[aria-busy=false]")).to_contain_text("The nightly backup starts at half past two.")
    assert [urlsplit(url).path for url in host.sent].count("/api/answer") == 1


def test_what_a_page_and_its_documents_say_has_the_language_of_the_page(host: Host, key: str) -> None:
    """The box speaks English on a Japanese page. A screen reader takes the voice by the language, and a browser the
    letters: Japanese and Chinese write some characters differently."""
    page = host.page
    host.open(f'key="{key}" heading="質問" placeholder="保証期間は?"')
    page.evaluate("document.documentElement.lang = 'ja'")
    host.ask()
    expect(page.locator(".answer[aria-busy=false]")).to_contain_text("The nightly backup starts at half past two.")
    page.locator(".cite").first.click()
    texts = {
        "h2": "ja", "input": "ja", "label span": "ja", ".answer span span": "ja", "mark": "ja", "[role=status]": "ja",
        "button.button": "en", "h3": "en",
    }  # fmt: skip
    language = "one => one.closest('[lang]').lang"
    assert {part: page.locator(part).first.evaluate(language) for part in texts} == texts
    host.ask("Which planet has moons?")
    expect(page.locator("[role=status]")).to_contain_text("no information")
    assert page.locator("[role=status]").evaluate(language) == "en", "the server says it"
    page.locator("ragbase-ask").evaluate("one => one.removeAttribute('heading')")
    assert page.locator("h2").evaluate(language) == "en"


def test_hostile_texts_are_text(host: Host, site: Site, key: str) -> None:
    """What a server, a document or a model could say."""
    page = host.page
    markup = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    turned = "invoice\u202efdp.md"
    where = {"page": 3, "charStart": 0, "charEnd": len(markup), "heading": f"a {markup}"}
    citation = {"text": markup, "evidence": "1", "documentId": "d", "filename": turned, "generation": "1"}
    passage = {"id": "1", "content": markup, "score": 1, "documentId": "d", "filename": turned, "generation": "1"}
    events = [
        ("evidence", {"evidence": [{**passage, "metadata": where}]}),
        (
            "sentence",
            {"text": f"A {markup}", "supported": True, "citations": [{**citation, "metadata": where}]},
        ),
        ("sentence", {"text": "Nobody says this.", "supported": False, "citations": []}),
        ("done", {"text": f"A {markup}", "answered": True, "lacks": [markup]}),
    ]
    body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
    headers = {"Access-Control-Allow-Origin": site.origin, "Content-Type": "text/event-stream"}
    page.route("**/api/answer", lambda route: route.fulfill(headers=headers, body=body))
    host.open(f'key="{key}" heading="{markup.replace("<", "&lt;")}" placeholder="&lt;b>"')
    host.ask()
    expect(page.locator(".answer span").first).to_have_text(f"A {markup}")
    expect(page.locator(".unproven")).to_have_text("Nobody says this. (not proven by the documents)")
    page.locator(".cite").click()
    expect(page.locator("mark")).to_have_text(markup)
    expect(page.locator("summary")).to_contain_text("invoice□fdp.md page 3 · a <script>")
    expect(page.get_by_role("heading", name=markup)).to_be_visible()
    expect(page.locator("[role=status]")).to_have_text(f"A {markup}")
    assert page.locator("ragbase-ask :is(img, script, b)").count() == 0


def test_a_follow_up_goes_with_what_was_said_and_can_be_asked_alone(host: Host, site: Site, key: str) -> None:
    page = host.page
    asked: list[Any] = []
    markup = "<b>And its price?</b>"
    missing = {"asked": "amount", "subject": "backup", "text": "They describe the backup, but not its price."}
    evidence = {"id": "1", "content": "So.", "score": 1, "documentId": "d", "filename": "guide.md", "generation": "1"}
    place = {"metadata": {"charStart": 0, "charEnd": 3}}
    ends = [
        {"text": "So. " + "x" * 1000, "answered": True},
        {
            "text": missing["text"], "answered": False, "missing": missing, "searchedFor": markup,
            "parts": [{"text": markup, "covered": False}],
        },
        {"text": "So.", "answered": True},
    ]  # fmt: skip

    def answer(route: Route) -> None:
        asked.append(route.request.post_data_json)
        sentence = {"text": "So.", "supported": True, "citations": []}
        end = ends[len(asked) - 1]
        said = [("sentence", sentence)] if end["answered"] else []
        events = [("evidence", {"evidence": [evidence | place]}), *said, ("done", end)]
        body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in events)
        headers = {"Access-Control-Allow-Origin": site.origin, "Content-Type": "text/event-stream"}
        route.fulfill(headers=headers, body=body)

    page.route("**/api/answer", answer)
    host.open(f'key="{key}"')
    host.ask()
    expect(page.locator(".answer[aria-busy=false]")).to_contain_text("So.")
    host.ask("And its price?")
    expect(page.locator(".answer")).to_contain_text(f"Searched for: {markup}")
    expect(page.locator(".answer")).to_contain_text(f"The documents do not answer: {markup}")
    expect(page.locator(".answer li")).to_contain_text("guide.md")
    assert asked[0] == {"query": QUESTION}
    assert asked[1]["query"] == "And its price?"
    assert [(one["role"], len(one["text"])) for one in asked[1]["history"]] == [
        ("user", len(QUESTION)), ("assistant", 600),
    ]  # fmt: skip
    page.get_by_role("button", name="Ask this alone").click()
    expect(page.locator(".answer")).not_to_contain_text("Searched for")
    assert asked[2] == {"query": "And its price?"}
    assert page.locator("ragbase-ask b").count() == 0


def test_it_speaks_vietnamese_and_fits_a_narrow_column(host: Host, key: str) -> None:
    page = host.page
    page.set_viewport_size({"width": 320, "height": 640})
    host.open(f'key="{key}" language="vi" placeholder="Sao lưu?"')
    host.ask()
    expect(page.get_by_role("heading", name="Nguồn")).to_be_visible()
    expect(page.get_by_role("button", name="Hỏi", exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    page.locator("ragbase-ask").evaluate("one => one.setAttribute('language', 'en')")
    expect(page.get_by_role("button", name="Ask", exact=True)).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_keeps_nobody_out(browser: Browser, server: Served, site: Site, key: str, scheme: str) -> None:
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    host = Host(context, server, site)
    host.open(f'key="{key}"')
    page = host.page
    page.evaluate("scheme => document.documentElement.style.colorScheme = scheme", scheme)
    barriers = Console(page, server.url).barriers
    assert barriers() == []
    host.ask()
    page.locator(".cite").first.click()
    expect(page.locator("mark").first).to_be_visible()
    assert barriers() == []
    host.ask("Which planet has moons?")
    expect(page.locator(".answer")).to_contain_text("Try other words.")
    assert barriers() == []
    context.close()
    assert host.faults == []
