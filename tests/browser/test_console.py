"""What people do in the console, from the empty page on."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Locator, expect

from ragbase import Client
from ragbase.access.caller import Scope
from tests.browser.conftest import Console, Opened
from tests.functions.guarded import PASSWORD, hash_of
from tests.unit.client.served import Served, served

GUIDE = (
    "# Backups 😀\n\nThe nightly backup starts at half past two. It is kept for ninety days.\n\n"
    "# Keys\n\nThe gardener keeps the key of the greenhouse.\n"
)
HOSTILE = "<img src=x onerror=alert(1)>.md"
TURNED = "invoice\u202efdp.md"


def upload(console: Console, *files: Path) -> None:
    console.open("documents")
    console.page.locator("input[type=file]").set_input_files(files)


def row(console: Console, name: str) -> Locator:
    return console.page.locator(".row", has_text=name)


def written(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def test_upload_ask_and_follow_a_citation(server: Served, opened: Opened, tmp_path: Path) -> None:
    console = opened(server)
    page = console.page
    console.open("documents")
    expect(page.get_by_text("There are no documents yet. Drop files")).to_be_visible()
    upload(console, written(tmp_path, "guide.md", GUIDE), written(tmp_path, "empty.md", ""))
    expect(row(console, "guide.md").locator(".status")).to_have_text("Ready")
    expect(row(console, "empty.md").locator(".status")).to_have_text("Failed")
    expect(row(console, "empty.md")).to_contain_text("TEXT_TOO_SHORT")

    page.get_by_role("link", name="Ask").click()
    console.ask("When does the nightly backup start?")
    expect(page.locator(".answer")).to_contain_text("The nightly backup starts at half past two.")
    page.locator(".cite").first.click()

    # The emoji before it is one character in the text, and two in a script.
    expect(page.locator(".source mark")).to_have_text("The nightly backup starts at half past two.")
    page.keyboard.press("Escape")
    expect(page.locator(".source")).to_have_count(0)
    page.keyboard.press("n")
    expect(page.locator(".source mark")).to_be_in_viewport()


def test_files_can_be_dropped_anywhere(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    page.get_by_role("heading", name="What do your documents say?").wait_for()
    dropped = page.evaluate_handle(
        "text => { const files = new DataTransfer(); files.items.add(new File([text], 'dropped.md')); return files; }",
        GUIDE,
    )
    page.dispatch_event("main", "dragover", {"dataTransfer": dropped})
    expect(page.get_by_text("Drop files or folders to add them")).to_be_visible()
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    expect(row(console, "dropped.md").locator(".status")).to_have_text("Ready")


def test_nothing_is_marked_in_a_text_that_has_changed(server: Served, opened: Opened) -> None:
    with Client(server.url) as client:
        client.wait(client.upload(GUIDE.encode(), path="guide.md").id)
        console = opened(server)
        console.ask("When does the nightly backup start?")
        client.wait(client.upload(f"Preface.\n\n{GUIDE}".encode(), path="guide.md", replace=True).id)
    console.page.locator(".cite").first.click()
    expect(console.page.locator(".source")).to_contain_text("The document has changed since this answer")
    expect(console.page.locator("mark")).to_have_count(0)


def test_a_deletion_can_be_undone_until_it_is_sent(server: Served, opened: Opened) -> None:
    with Client(server.url) as client:
        kept, gone = (
            client.wait(client.upload(GUIDE.encode() + name.encode(), path=name).id) for name in ("a.md", "b.md")
        )
        console = opened(server)
        page = console.page
        console.open("documents")
        row(console, "a.md").wait_for()
        page.clock.install(time=0)
        page.clock.pause_at(1000)  # nobody here is too late to undo it
        page.get_by_role("button", name="Delete a.md").click()
        expect(row(console, "a.md")).to_have_count(0)
        page.get_by_role("button", name="Undo").click()
        expect(row(console, "a.md")).to_be_visible()
        page.get_by_role("button", name="Delete b.md").click()
        expect(page.get_by_role("button", name="Undo")).to_be_visible()
        with page.expect_response(lambda response: response.request.method == "DELETE") as sent:
            page.clock.run_for(10_000)
        assert sent.value.url.endswith(gone.id)
        expect(page.locator(".count")).to_have_text("1 document")
        assert [one.id for one in client.list()] == [kept.id]


def test_a_conflict_is_asked_once_for_all(server: Served, opened: Opened, tmp_path: Path) -> None:
    with Client(server.url) as client:
        for name in ("a.md", "b.md"):
            client.wait(client.upload(GUIDE.encode(), path=name).id)
    console = opened(server)
    upload(console, *(written(tmp_path, name, f"{GUIDE}\nAnother line.\n") for name in ("a.md", "b.md")))
    page = console.page
    expect(page.locator(".ask-once")).to_contain_text("2 documents of these names have another content")
    page.get_by_role("button", name="Replace").click()
    expect(page.locator(".uploads")).to_have_count(0)
    with Client(server.url) as client:
        assert all("Another line" in client.text(client.wait(one.id).id) for one in client.list())


def test_names_and_texts_are_text(server: Served, opened: Opened, tmp_path: Path) -> None:
    text = "The gate opens at noon. <script>alert(1)</script> <b>It</b> closes at eleven in the evening.\n"
    with Client(server.url) as client:
        id = client.wait(client.upload(text.encode(), path=HOSTILE).id).id
    console = opened(server)
    page = console.page
    page.on("dialog", lambda dialog: console.faults.append(dialog.message))
    upload(console, written(tmp_path, TURNED, GUIDE))
    expect(page.locator(".uploads li")).to_contain_text("invoice□fdp.md")
    expect(page.locator(".uploads li")).to_contain_text("Rename the file")
    expect(row(console, HOSTILE)).to_be_visible()
    console.open(f"documents/{id}")
    expect(page.locator("h1")).to_have_text(HOSTILE)
    expect(page.locator(".text")).to_contain_text("<script>alert(1)</script>")
    assert page.locator("main img, main script, main b").count() == 0


def test_sign_in_with_a_key_that_may_read(tmp_path: Path, opened: Opened) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        console = opened(server)
        page = console.page
        secret = page.get_by_label("Password or API key")
        secret.fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_text("This password or key is wrong")).to_be_visible()
        _, key = server.profile.access.keys.create("reader", scopes=[Scope.READ])
        secret.fill(str(key))
        page.keyboard.press("Enter")
        console.open("documents")
        expect(page.get_by_text("There are no documents yet. Who may write")).to_be_visible()
        assert page.get_by_text("Add files").count() == 0
        assert str(key) not in page.evaluate("document.cookie")
        page.get_by_text("reader").click()
        page.get_by_role("button", name="Sign out", exact=True).click()
        expect(secret).to_be_visible()


def test_a_sign_in_that_is_over_goes_on_where_it_was(tmp_path: Path, opened: Opened) -> None:
    with served(tmp_path / "home", password_hash=hash_of()) as server:
        console, other = opened(server), opened(server)
        for one in (console, other):
            one.page.get_by_label("Password or API key").fill(PASSWORD)
            one.page.keyboard.press("Enter")
            one.open("documents")
            expect(one.page.get_by_role("heading", name="Documents")).to_be_visible()
        other.page.get_by_text("Signed in").click()
        other.page.get_by_role("button", name="Sign out everywhere").click()
        console.page.get_by_role("button", name="Failed").click()
        expect(console.page.get_by_text("Your sign-in is over")).to_be_visible()
        console.page.get_by_label("Password or API key").fill(PASSWORD)
        console.page.keyboard.press("Enter")
        expect(console.page.get_by_role("heading", name="Documents")).to_be_visible()


def test_the_page_speaks_vietnamese_and_fits_a_phone(server: Served, opened: Opened) -> None:
    console = opened(server)
    page = console.page
    page.get_by_label("Language").select_option("vi")
    expect(page.get_by_role("link", name="Tài liệu")).to_be_visible()
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "vi")
    page.get_by_label("Ngôn ngữ").select_option("en")
    heading = "A heading that is longer than the screen of a phone is wide"
    with Client(server.url) as client:
        name = "a-name-without-a-single-space-that-is-long.md"
        client.wait(client.upload(f"# {heading}\n\n{GUIDE}\n".encode(), path=name).id)
    page.set_viewport_size({"width": 320, "height": 640})

    def check_width() -> None:
        assert page.evaluate("document.documentElement.scrollWidth") <= 320

    console.open("documents")
    row(console, name).wait_for()
    check_width()
    page.get_by_role("link", name=name).click()
    page.locator(".text").wait_for()
    check_width()
    console.open("ask")
    console.ask("When does the nightly backup start?")
    page.locator(".cite").first.click()
    expect(page.locator(".source mark")).to_be_in_viewport()
    check_width()
