"""The list of documents: as it changes, when there are very many, and what is done with them."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it says nothing of types
from playwright.sync_api import Browser, FilePayload, Locator, Page, Route, expect

from ragbase import Client
from ragbase.access.caller import Scope
from ragbase.domain.name_forms import nfd
from tests.browser.conftest import Console, Opened
from tests.functions.guarded import hash_of
from tests.unit.client.served import Served, served

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


def test_a_name_is_found_in_whatever_form_it_is_typed(server: Served, opened: Opened) -> None:
    name = "Vertr\u00e4ge/M\u00fcnchen.md"
    with Client(server.url) as client:
        client.upload(b"# Notice\n\nThe notice period of the contract is three months.\n", path=nfd(name))
    console = opened(server)
    page = console.page
    console.open("documents")
    for typed in (name, nfd(name), nfd("m\u00fcnchen")):
        page.get_by_label("Filter by name").fill("no such name")
        expect(page.get_by_text("No document has this in its name")).to_be_visible()
        page.get_by_label("Filter by name").fill(typed)
        expect(page.get_by_text("M\u00fcnchen.md")).to_be_visible()


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


GUIDE = "# Backups\n\nThe nightly backup starts at half past two. It is kept for ninety days.\n"


def add(server: Served, *names: str) -> list[str]:
    with Client(server.url) as client:
        ids = [client.upload(f"{GUIDE}\nIt is {name}.\n".encode(), path=name).id for name in names]
        return [client.wait(id).id for id in ids]


def names(page: Page) -> Locator:
    return page.locator(".row .name")


def listed(console: Console) -> Page:
    console.open("documents")
    console.page.get_by_role("heading", name="Documents").wait_for()
    return console.page


def test_what_happens_elsewhere_is_on_the_page(server: Served, opened: Opened) -> None:
    page = listed(opened(server))
    expect(page.get_by_text("There are no documents yet.")).to_be_visible()
    first, _ = add(server, "a.md", "b.md")
    expect(page.locator(".row .status")).to_have_text(["Ready", "Ready"])
    expect(page.locator(".chip", has_text="Ready")).to_have_text("Ready 2")
    with Client(server.url) as client:
        client.delete(first)
        client.upload(b"{", path="broken.json")
    expect(names(page)).to_have_text(["broken.json", "b.md"])
    expect(page.locator(".chip")).to_have_text(["All 2", "Waiting 0", "In work 0", "Ready 1", "Failed 1"])
    page.get_by_role("button", name="Failed").click()
    expect(names(page)).to_have_text(["broken.json"])
    expect(page.locator(".chip")).to_have_text(["All 2", "Waiting 0", "In work 0", "Ready 1", "Failed 1"])
    add(server, "c.md")
    expect(page.locator(".chip").first).to_have_text("All 3")
    expect(names(page)).to_have_text(["broken.json"])


def test_without_a_stream_the_page_asks(server: Served, opened: Opened) -> None:
    console = opened(server)
    asked: list[str] = []

    def refuse(route: Route) -> None:
        asked.append(route.request.headers["accept"])
        if "text/event-stream" in asked[-1]:
            route.fulfill(status=429, headers={"Retry-After": "2"}, json={"error": "TOO_MANY_REQUESTS"})
        else:
            route.continue_()

    console.page.route("**/api/events*", refuse)
    page = listed(console)
    expect(page.get_by_text("There are no documents yet.")).to_be_visible()
    add(server, "a.md")
    expect(page.locator(".row .status")).to_have_text("Ready")
    assert "text/event-stream" in asked[0] and "text/event-stream" not in asked[-1]


STREAMS = """
window.streams = [];
window.EventSource = class extends EventTarget {
  static CLOSED = 2;
  constructor(url) {
    super();
    this.url = String(url);
    this.readyState = 1;
    window.streams.push(this);
    window.note();
  }
  close() { this.readyState = 2; window.note(); }
  tell(changes) {
    const event = { documents: [], deleted: [], more: false, next: `id${window.streams.length}`, ...changes };
    this.dispatchEvent(new MessageEvent("changes", { data: JSON.stringify(event) }));
  }
};
window.open_ones = () => window.streams.filter((one) => one.readyState !== 2);
window.note = () => (document.documentElement.dataset.streams = window.open_ones().length);
Object.defineProperty(document, "hidden", { configurable: true, get: () => Boolean(window.is_hidden) });
window.hide = (is) => { window.is_hidden = is; document.dispatchEvent(new Event("visibilitychange")); };
"""
"""Streams that a test holds in its hand."""


@pytest.fixture
def streamed(server: Served, opened: Opened) -> Callable[[], Page]:
    def open_() -> Page:
        console = opened(server)
        console.page.add_init_script(STREAMS)
        console.page.reload()
        page = listed(console)
        expect(page.locator("html")).to_have_attribute("data-streams", "1")
        return page

    return open_


def test_a_page_that_nobody_sees_has_no_stream(streamed: Callable[[], Page]) -> None:
    page = streamed()
    page.evaluate("window.open_ones()[0].tell({})")
    page.evaluate("window.hide(true)")
    assert page.evaluate("window.open_ones().length") == 0
    page.evaluate("window.hide(false)")
    assert page.evaluate("window.open_ones().map((one) => one.url.split('?')[1])") == ["after=id1"]
    page.get_by_role("link", name="Ask", exact=True).click()
    expect(page.locator("html")).to_have_attribute("data-streams", "0")


def test_a_storm_of_changes_is_at_most_one_repaint_a_frame(server: Served, streamed: Callable[[], Page]) -> None:
    ids = add(server, *(f"{number}.md" for number in range(5)))
    page = streamed()
    expect(page.locator(".row")).to_have_count(5)
    repaints, frames = page.evaluate(
        """async (ids) => {
          let frames = 0, repaints = 0, last = -1, twice = 0;
          const count = () => { frames += 1; requestAnimationFrame(count); };
          requestAnimationFrame(count);
          const seen = new MutationObserver(() => { repaints += 1; });
          seen.observe(document.querySelector(".long"), { subtree: true, childList: true, characterData: true });
          const [stream] = window.open_ones();
          for (let round = 0; round < 100; round += 1) {
            for (let number = 0; number < 10; number += 1) {
              const id = ids[number % ids.length];
              const chunkCount = round * 10 + number + 100;
              const status = number % 2 ? "COMPLETED" : "PROCESSING";
              const one = { id, filename: "a.md", status, chunkCount, createdAt: "2025-06-01T09:30:00Z" };
              stream.tell({ documents: [one] });
            }
            await new Promise((done) => setTimeout(done));
          }
          await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
          seen.disconnect();
          return [repaints, frames];
        }""",
        ids,
    )
    assert 1 <= repaints <= frames
    expect(page.locator(".row").first).to_contain_text("1,09")


def test_if_others_have_changed_the_list_is_read_again(server: Served, streamed: Callable[[], Page]) -> None:
    first, _ = add(server, "a.md", "b.md")
    page = streamed()
    expect(names(page)).to_have_text(["b.md", "a.md"])
    with Client(server.url) as client:
        client.delete(first)
    add(server, "c.md")
    page.evaluate("window.open_ones()[0].tell({ more: true })")
    expect(names(page)).to_have_text(["c.md", "b.md"])
    expect(page.locator(".count")).to_have_text("2 documents")


def test_an_answer_that_is_older_than_what_was_heard_changes_nothing(
    server: Served, streamed: Callable[[], Page]
) -> None:
    (id,) = add(server, "a.md")
    page = streamed()
    statuses = page.locator(".row .status")
    expect(statuses).to_have_text(["Ready"])
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    def tell(id: str, status: str, at: int) -> None:
        one = {"id": id, "filename": f"{at}.md", "status": status, "failReason": "CORRUPT_FILE: It is not valid."}
        one |= {"createdAt": f"2030-06-01T09:30:0{at}Z", "updatedAt": f"2030-06-01T09:30:0{at}Z"}
        page.evaluate("(one) => window.open_ones()[0].tell({ documents: [one] })", one)

    page.route("**/api/documents?*", hold)
    with page.expect_request("**/api/documents?*"):
        page.evaluate("window.open_ones()[0].tell({ more: true })")
    tell(id, "FAILED", 1)
    expect(statuses).to_have_text(["Failed"])
    with page.expect_response("**/api/documents?*"):
        held[0].continue_()
    with page.expect_response("**/retry"):
        page.get_by_role("button", name="Retry").click()
    tell("another", "PROCESSING", 2)
    expect(statuses).to_have_text(["In work", "Failed"])


def test_an_order_needs_all_documents_and_loads_them(server: Served, opened: Opened) -> None:
    console = opened(server)
    held: list[Route] = []

    def slow(route: Route) -> None:
        is_last = f"cursor={MANY - PAGE}" in route.request.url
        if is_last and not held:
            held.append(route)
        else:
            page_of(route)

    console.page.route("**/api/documents?*", slow)
    page = listed(console)
    page.get_by_role("button", name="Name", exact=True).click()
    expect(page.locator(".count")).to_contain_text(f"{MANY - PAGE:,} of {MANY:,} sorted")
    expect(names(page).nth(1)).to_have_text("1.pdf")
    page_of(held[0])
    expect(page.locator(".count")).to_have_text("2,000 documents")
    expect(names(page).nth(2)).to_have_text("2.pdf")
    page.get_by_role("button", name="Name", exact=True).click()
    expect(names(page).first).to_have_text("1999.pdf")


def test_documents_are_chosen_by_mouse_and_keys(server: Served, opened: Opened) -> None:
    add(server, "a.md", "b.md", "c.md", "d.md")
    page = listed(opened(server))
    chosen = page.locator(".bulk [role=status]")
    page.get_by_label("Choose d.md").click()
    page.get_by_label("Choose b.md").click(modifiers=["Shift"])
    expect(chosen).to_have_text("3 documents are chosen")
    page.keyboard.press("Shift+ArrowDown")
    expect(chosen).to_have_text("4 documents are chosen")
    expect(page.get_by_label("Choose a.md")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".bulk")).to_be_hidden()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Space")
    expect(page.get_by_label("Choose b.md")).to_be_checked()
    page.keyboard.press("ControlOrMeta+a")
    expect(chosen).to_have_text("4 documents are chosen")
    page.get_by_label("Filter by name").fill("a.md")
    expect(chosen).to_have_text("1 document is chosen")


def test_chosen_documents_are_deleted_together_if_nobody_undoes_it(server: Served, opened: Opened) -> None:
    (kept, *_) = add(server, "a.md", "b.md", "c.md")
    page = listed(opened(server))
    for _ in range(2):
        page.get_by_label("Choose c.md").check()
        page.get_by_label("Choose b.md").check()
        page.locator(".bulk").get_by_role("button", name="Delete").click()
        expect(names(page)).to_have_text(["a.md"])
        expect(page.locator(".notice")).to_contain_text("2 documents are deleted.")
        if _ == 0:
            page.get_by_role("button", name="Undo").click()
            expect(names(page)).to_have_text(["c.md", "b.md", "a.md"])
    page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator(".count")).to_have_text("1 document")
    page.reload()
    expect(names(page)).to_have_text(["a.md"])
    with Client(server.url) as client:
        assert [one.id for one in client.list()] == [kept]


def test_a_page_that_closes_sends_its_deletions(server: Served, opened: Opened) -> None:
    kept, *_ = add(server, "a.md", "b.md", "c.md")
    console = opened(server)
    page = listed(console)
    page.get_by_label("Choose c.md").check()
    page.get_by_label("Choose b.md").check()
    page.locator(".bulk").get_by_role("button", name="Delete").click()
    page.goto("about:blank")
    other = listed(opened(server))
    expect(names(other)).to_have_text(["a.md"])
    with Client(server.url) as client:
        assert [one.id for one in client.list()] == [kept]


def test_failed_documents_are_retried_together_and_say_what_helps(server: Served, opened: Opened) -> None:
    with Client(server.url) as client:
        ids = [client.wait(client.upload(b"{" + name.encode(), path=name).id).id for name in ("a.json", "b.json")]
    page = listed(opened(server))
    page.locator(".row", has_text="b.json").locator(".failure").click()
    reason = page.get_by_role("dialog", name="Why it failed")
    expect(reason).to_contain_text("CORRUPT_FILE: The file is not valid JSON")
    expect(reason).to_contain_text("Do what the reason says")
    page.keyboard.press("Escape")
    expect(reason).to_have_count(0)
    retried: list[str] = []
    page.on("request", lambda request: retried.append(request.url.split("/")[-2]) if request.method == "POST" else None)
    page.get_by_label("Choose all").click()
    with page.expect_response(lambda answer: answer.url.endswith(f"{ids[0]}/retry") and answer.status == 202):
        page.get_by_role("button", name="Retry 2").click()
    expect(page.locator(".row .status")).to_have_text(["Failed", "Failed"])
    assert sorted(retried) == sorted(ids)


def test_chosen_documents_are_downloaded(server: Served, opened: Opened) -> None:
    add(server, "a.md", "guides/b.md")
    page = listed(opened(server))
    page.get_by_label("Choose all").click()
    saved: list[str] = []
    page.on("download", lambda download: saved.append(download.suggested_filename))
    page.locator(".bulk").get_by_role("button", name="Download").click()
    with page.expect_event("download", lambda _: len(saved) == 2):
        pass
    assert sorted(saved) == ["a.md", "b.md"]


def test_who_may_only_read_sees_no_way_to_change_anything(server: Served, opened: Opened) -> None:
    add(server, "a.md")
    with served(server.profile.config.home.parent / "closed", password_hash=hash_of()) as closed:
        _, key = closed.profile.access.keys.create("writer", scopes=list(Scope))
        with Client(closed.url, str(key)) as client:
            client.wait(client.upload(GUIDE.encode(), path="a.md").id)
        _, reader = closed.profile.access.keys.create("reader", scopes=[Scope.READ])
        console = opened(closed)
        console.page.get_by_label("Password or API key").fill(str(reader))
        console.page.keyboard.press("Enter")
        console.page.get_by_role("link", name="Documents").click()
        page = console.page
        page.get_by_label("Choose a.md").check()
        expect(page.locator(".bulk")).to_be_visible()
        page.get_by_label("More for a.md").click()
        buttons = page.get_by_role("button").all_inner_texts()
        assert not {"Delete", "Retry", "Replace the file", "Add files", "Add a folder"} & set(buttons)
        page.keyboard.press("Delete")
        expect(names(page)).to_have_text(["a.md"])


@pytest.mark.parametrize("width", [360, 1440])
def test_no_part_of_the_list_keeps_anybody_out(browser: Browser, server: Served, width: int) -> None:
    add(server, "a.md")
    with Client(server.url) as client:
        client.wait(client.upload(b"{", path="broken.json").id)
    context = browser.new_context(bypass_csp=True, viewport={"width": width, "height": 800}, locale="en-GB")
    console = Console(context.new_page(), server.url)
    page = listed(console)

    def look() -> list[str]:
        return [f"{one['id']}: {one['help']}" for one in Axe().run(page).response["violations"]]

    page.get_by_label("Choose a.md").check()
    movie: FilePayload = {"name": "movie.mp4", "mimeType": "video/mp4", "buffer": b"no"}
    page.locator("input[type=file]").first.set_input_files([movie])
    page.locator(".uploads li").wait_for()
    assert look() == []
    page.locator(".failure").click()
    assert look() == []
    page.keyboard.press("Escape")
    page.get_by_label("More for a.md").click()
    assert look() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    more, item = page.get_by_label("More for a.md"), page.get_by_role("link", name="Download")
    page.keyboard.press("Tab")
    expect(item).to_be_focused()
    page.get_by_label("Choose a.md").focus()
    expect(item).to_have_count(0)
    expect(more).to_have_attribute("aria-expanded", "false")
    context.close()
    assert console.faults == []
