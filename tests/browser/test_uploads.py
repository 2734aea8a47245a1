"""Files on their way: folders, limits, cancelling, a break, a reload, and trying again."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, Request, Route, expect

from ragbase import Client
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.bootstrap.embedded import EmbeddedProfile
from tests.browser.conftest import Console, Opened
from tests.unit.client.served import Served

GUIDE = "# Backups\n\nThe nightly backup starts at half past two. It is kept for ninety days.\n"
PART = 4 * 1024 * 1024
LINE = b"The nightly backup starts at half past two, and it is kept for ninety days. "


@pytest.fixture
def console(server: Served, opened: Opened) -> Console:
    console = opened(server)
    console.page.set_default_timeout(30_000)
    console.open("documents")
    console.page.get_by_role("heading", name="Documents").wait_for()
    return console


@pytest.fixture
def large(tmp_path: Path) -> Path:
    """A file of three parts, whose content no reader takes: it is refused as soon as it is whole."""
    path = tmp_path / "large.pdf"
    path.write_bytes(b"%PDF-1.4\n" + LINE * (9 * 1024 * 1024 // len(LINE)))
    return path


def add(page: Page, *files: Path | dict[str, object]) -> None:
    page.locator("input[type=file]").first.set_input_files(files)  # type: ignore[arg-type]


def sent_parts(page: Page) -> list[str]:
    """The parts that have been sent, as they are sent."""
    found: list[str] = []

    def note(request: Request) -> None:
        if request.method == "PUT":
            found.append(request.headers["content-range"].removeprefix("bytes ").partition("/")[0])

    page.on("request", note)
    return found


def failing(page: Page, address: str, fails: Callable[[Route], bool], how: Callable[[Route], None]) -> None:
    """Requests to this address fail as long as `fails` says so."""
    page.route(address, lambda route: how(route) if fails(route) else route.continue_())


def test_a_folder_comes_with_its_paths_and_without_hidden_files(
    console: Console, server: Served, tmp_path: Path
) -> None:
    folder = tmp_path / "handbook"
    own = (".git/config.md", ".DS_Store", "Thumbs.db", "~$a.md", "@eaDir/c.md", "deep/#b.md#")
    for name in ("a.md", "deep/b.md", "notes~draft.md", *own):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"{GUIDE}\nIt is {name}.\n", encoding="utf-8")
    page = console.page
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Add a folder").click()
    chooser.value.set_files(folder)
    expect(page.locator(".notice")).to_contain_text("3 files are added. 6 files are left out: they are hidden, or")
    with Client(server.url) as client:
        assert {one.filename for one in client.list()} == {
            "handbook/a.md",
            "handbook/deep/b.md",
            "handbook/notes~draft.md",
        }


def test_a_dropped_folder_comes_with_its_paths(console: Console, server: Served, tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    for number in range(3):
        (folder / f"deep/{number}").mkdir(parents=True)
        (folder / f"deep/{number}/a.md").write_text(f"{GUIDE}\nIt is {number}.\n", encoding="utf-8")
    (tmp_path / "b.md").write_text(GUIDE, encoding="utf-8")
    page = console.page
    browser = page.context.new_cdp_session(page)
    data = {"items": [], "files": [str(folder), str(tmp_path / "b.md")], "dragOperationsMask": 1}
    for type in ("dragEnter", "dragOver", "drop"):
        browser.send("Input.dispatchDragEvent", {"type": type, "x": 200, "y": 300, "data": data})
    expect(page.locator(".notice")).to_contain_text("4 files are added.")
    with Client(server.url) as client:
        expected = {"b.md", *(f"handbook/deep/{number}/a.md" for number in range(3))}
        assert {one.filename for one in client.list()} == expected


def test_limits_are_told_before_a_file_is_sent(console: Console) -> None:
    page = console.page
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method != "GET" else None)
    add(
        page,
        {"name": "movie.mp4", "mimeType": "video/mp4", "buffer": b"no"},
        {"name": f"{'n' * 260}.md", "mimeType": "text/markdown", "buffer": b"no"},
        {"name": "a\u202eb.md", "mimeType": "text/markdown", "buffer": b"no"},
    )
    items = page.locator(".uploads li")
    expect(items).to_have_count(3)
    expect(items.nth(0)).to_contain_text("Nothing here reads .mp4 files.")
    expect(items.nth(1)).to_contain_text("A name may have 1,024 bytes, and 255 between slashes.")
    expect(items.nth(2)).to_contain_text("Rename the file.")
    assert sent == []
    with page.expect_request(lambda request: request.method == "POST"):
        page.get_by_role("button", name="Send it anyway").click()
    page.get_by_role("button", name="Cancel all").click()
    expect(page.locator(".uploads")).to_have_count(0)


def test_a_file_on_its_way_can_be_cancelled(console: Console, server: Served, large: Path) -> None:
    page = console.page
    page.route("**/api/uploads/*", lambda _: None)  # it has no answer, for ever
    with page.expect_request(lambda request: request.method == "PUT"):
        add(page, large)
    item = page.locator(".uploads li", has_text="large.pdf")
    expect(item.locator("progress")).to_have_attribute("aria-label", "large.pdf")
    with page.expect_event("requestfailed", lambda request: request.method == "PUT"):
        page.get_by_role("button", name="Cancel large.pdf").click()
    expect(page.locator(".uploads")).to_have_count(0)
    with Client(server.url) as client:
        assert list(client.list()) == []


def test_a_failed_file_can_be_sent_again(console: Console, tmp_path: Path) -> None:
    page = console.page
    names = ("a.md", "b.md", "c.md")
    left = {"fails": len(names)}

    def fails(route: Route) -> bool:
        left["fails"] -= route.request.method == "POST"
        return route.request.method == "POST" and left["fails"] >= 0

    failing(page, "**/api/documents", fails, lambda route: route.fulfill(status=503, json={"message": "No disk."}))
    for name in names:
        (tmp_path / name).write_text(GUIDE, encoding="utf-8")
    add(page, *(tmp_path / name for name in names))
    expect(page.locator(".uploads .wrong")).to_have_text(["No disk."] * 3)
    page.locator(".uploads li", has_text="a.md").get_by_role("button", name="Try again").click()
    expect(page.locator(".uploads li")).to_have_count(2)
    page.get_by_role("button", name="Try all again").click()
    expect(page.locator(".uploads")).to_have_count(0)
    expect(page.locator(".row")).to_have_count(3)


def test_a_limit_of_requests_is_waited_for(console: Console, tmp_path: Path) -> None:
    page = console.page
    refused = {"left": 1}

    def fails(route: Route) -> bool:
        refused["left"] -= 1
        return refused["left"] >= 0

    answer = {"status": 429, "headers": {"Retry-After": "1"}, "json": {"message": "Too many."}}
    failing(page, "**/api/documents", fails, lambda route: route.fulfill(**answer))  # type: ignore[arg-type]
    (tmp_path / "a.md").write_text(GUIDE, encoding="utf-8")
    add(page, tmp_path / "a.md")
    expect(page.locator(".row .status")).to_have_text("Ready")


def test_the_same_file_again_asks_nothing(console: Console, tmp_path: Path) -> None:
    page = console.page
    (tmp_path / "a.md").write_text(GUIDE, encoding="utf-8")
    for _ in range(2):
        add(page, tmp_path / "a.md")
        expect(page.locator(".notice", has_text="1 file is added.").last).to_be_visible()
        expect(page.locator(".uploads")).to_have_count(0)
        page.get_by_role("button", name="Close", exact=True).click()
    expect(page.locator(".row")).to_have_count(1)


def breaking(page: Page) -> dict[str, bool]:
    """The second part does not arrive, as long as this says so."""
    broken = {"is": True}

    def fails(route: Route) -> bool:
        range = route.request.headers.get("content-range", "")
        return broken["is"] and not range.startswith(("bytes 0-", "bytes *"))

    failing(page, "**/api/uploads/*", fails, lambda route: route.abort("connectionreset"))
    return broken


def test_after_a_break_a_large_file_goes_on(console: Console, large: Path) -> None:
    page = console.page
    parts = sent_parts(page)
    broken = breaking(page)
    add(page, large)
    expect(page.locator(".uploads .wrong")).to_have_text("The connection broke. Try again.")
    broken["is"] = False
    page.locator(".uploads").get_by_role("button", name="Try again").click()
    expect(page.locator(".row", has_text="large.pdf")).to_be_visible()
    last = f"{2 * PART}-{large.stat().st_size - 1}"
    assert parts == [f"0-{PART - 1}", f"{PART}-{2 * PART - 1}", "*", f"{PART}-{2 * PART - 1}", last]


def test_after_a_reload_a_large_file_goes_on(console: Console, large: Path) -> None:
    page = console.page
    broken = breaking(page)
    add(page, large)
    expect(page.locator(".uploads .wrong")).to_have_text("The connection broke. Try again.")
    page.reload()
    expect(page.locator(".uploads")).to_contain_text("1 file was not sent to its end: large.pdf.")
    broken["is"] = False
    parts = sent_parts(page)
    add(page, large)
    expect(page.locator(".row", has_text="large.pdf")).to_be_visible()
    assert parts == ["*", f"{PART}-{2 * PART - 1}", f"{2 * PART}-{large.stat().st_size - 1}"]
    page.reload()
    expect(page.locator(".row", has_text="large.pdf")).to_be_visible()
    expect(page.locator(".uploads")).to_have_count(0)


class CloudStorage(BaseHTTPRequestHandler):
    """A session of another origin, as Cloud Storage has it: pages read its status, and no header that helps."""

    kept: bytearray
    breaks: list[int]
    """At which sizes it breaks off, after it has kept some of the part."""

    def do_OPTIONS(self) -> None:
        self.answer(200, {"Access-Control-Allow-Methods": "PUT", "Access-Control-Allow-Headers": "content-range"})

    def do_PUT(self) -> None:
        data = self.rfile.read(int(self.headers["Content-Length"]))
        range, _, size = self.headers["Content-Range"].removeprefix("bytes ").partition("/")
        if range != "*":
            start = int(range.partition("-")[0])
            assert start <= len(self.kept)
            if len(self.kept) in self.breaks:
                self.breaks.remove(len(self.kept))
                self.kept += data[: 256 * 1024]
                self.close_connection = True
                return
            self.kept += data[len(self.kept) - start :]
        is_whole = len(self.kept) == int(size)
        self.answer(200 if is_whole else 308, {} if is_whole else {"Range": f"bytes=0-{len(self.kept) - 1}"})

    def answer(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        shown = {"Access-Control-Allow-Origin": self.headers["Origin"], "Content-Length": "0", **headers}
        for name, value in shown.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def test_a_large_file_goes_on_at_a_bucket_of_another_origin(
    server: Served, opened: Opened, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CloudStorage, "kept", bytearray(), raising=False)
    monkeypatch.setattr(CloudStorage, "breaks", [PART], raising=False)
    with ThreadingHTTPServer(("127.0.0.1", 0), CloudStorage) as bucket:
        threading.Thread(target=bucket.serve_forever, daemon=True).start()
        place = f"http://127.0.0.1:{bucket.server_port}/upload/o"
        monkeypatch.setattr(FolderBucket, "begin_upload", lambda *_, **__: f"{place}?upload_id=1")
        monkeypatch.setattr(FolderBucket, "takes_parts_at", place)
        monkeypatch.setattr(EmbeddedProfile, "unfinished_files", None)
        console = opened(server)
        page = console.page
        console.open("documents")
        add(page, large)
        expect(page.locator(".uploads .wrong")).to_have_text("The connection broke. Try again.")
        page.reload()
        expect(page.locator(".uploads")).to_contain_text("1 file was not sent to its end: large.pdf.")
        add(page, large)
        expect(page.locator(".notice")).to_contain_text("1 file is added.")
        bucket.shutdown()
    assert CloudStorage.kept == large.read_bytes()
    assert {fault.partition("?")[0] for fault in console.faults} == {f"a request to {place}"}
    console.faults.clear()


def test_a_file_whose_server_is_away_goes_on_by_itself(console: Console, tmp_path: Path) -> None:
    page = console.page
    (tmp_path / "a.md").write_text(GUIDE, encoding="utf-8")
    page.context.set_offline(True)
    add(page, tmp_path / "a.md")
    expect(page.locator(".uploads li")).to_contain_text("It goes on when the server answers.")
    page.context.set_offline(False)
    expect(page.locator(".row .status")).to_have_text("Ready")


def test_a_file_is_replaced_by_another(console: Console, server: Served, tmp_path: Path) -> None:
    page = console.page
    (tmp_path / "new.md").write_text(f"{GUIDE}\nIt is the new one.\n", encoding="utf-8")
    with Client(server.url) as client:
        id = client.wait(client.upload(GUIDE.encode(), path="guides/a.md").id).id
        page.get_by_label("More for guides/a.md").click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("button", name="Replace the file of guides/a.md").click()
        with page.expect_response(lambda answer: answer.request.method == "PUT"):
            chooser.value.set_files(tmp_path / "new.md")
        expect(page.locator(".uploads")).to_have_count(0)
        assert client.wait(id).status == "COMPLETED"
        assert "It is the new one." in client.text(id)
        assert [one.id for one in client.list()] == [id]
