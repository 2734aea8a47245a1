"""Pages as images and the marks on them, over HTTP: what is under a mark, and who sees neither."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.domain.document import Document
from ragbase.engine import page_images
from ragbase.formats import libraries
from ragbase.formats.page_image import child_process, page_image
from ragbase.formats.sandbox import run
from ragbase.interfaces.api.app import create_app
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from scripts.local_cloud.pdf import pdf
from tests.functions.guarded import bearer, refused
from tests.functions.tenant_world import TenantWorld

pytestmark = pytest.mark.slow

FIRST = "The ferry crosses the wide river twice a day, at nine and at five."
SECOND = "At the pier hangs the timetable, and nobody has read it since the winter."
NOTE = b"# Boilers\n\nThe boiler of the house is inspected once a year, and the valve is opened by a friend.\n"


@contextmanager
def filled(home: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(home, MemoryCheckpoints(), VirtualClock())
    red = world.key("red")
    world.upload(red, pdf(FIRST, SECOND), path="ferry.pdf")
    world.upload(red, NOTE, path="note.md")
    world.work()
    yield world
    world.close()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    with filled(tmp_path) as world:
        yield world


@pytest.fixture(scope="module")
def undrawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantWorld]:
    """The same for tests that change nothing in it, and have no page drawn."""
    with filled(tmp_path_factory.mktemp("undrawn")) as world:
        yield world


@pytest.fixture
def red(world: TenantWorld) -> Token:
    return world.key("red")


def page(world: TenantWorld, key: Token, number: object = 1, *, name: str = "red/ferry.pdf", **query: Any) -> Any:
    return world.ask(key, "GET", f"/api/documents/{world.id(name)}/pages/{number}", query_string=query)


def marks(world: TenantWorld, key: Token, number: object, place: tuple[int, int], name: str = "red/ferry.pdf") -> Any:
    path = f"/api/documents/{world.id(name)}/pages/{number}/marks"
    return world.ask(key, "GET", path, query_string={"from": place[0], "to": place[1]})


def picture(answer: Any) -> Image.Image:
    assert answer.status_code == 200, answer.data
    assert answer.mimetype == "image/png"
    image = Image.open(io.BytesIO(answer.data))
    image.load()
    return image


def dark_within(image: Image.Image, mark: Any, beyond: float = 0.0) -> float:
    """The share of dark pixels within a mark, or in as much of the page right below it."""
    width, height = image.size
    shift = (mark["bottom"] - mark["top"]) * beyond
    box = [
        mark["left"] * width,
        (mark["top"] + shift) * height,
        mark["right"] * width,
        (mark["bottom"] + shift) * height,
    ]
    cut = image.convert("L").crop(tuple(round(side) for side in box))
    return sum(cut.histogram()[:128]) / (cut.width * cut.height)


def test_a_mark_covers_its_letters_on_the_image(world: TenantWorld, red: Token) -> None:
    image = picture(page(world, red, 2, width=1000))
    assert image.width == 1000
    text = world.ask(red, "GET", f"/api/documents/{world.id('red/ferry.pdf')}/text").text
    start = text.index("the timetable")
    found = marks(world, red, 2, (start, start + len("the timetable"))).json
    assert (found["known"], found["page"], found["documentId"]) == (True, 2, world.id("red/ferry.pdf"))
    (mark,) = found["marks"]
    assert dark_within(image, mark) > 0.05
    assert dark_within(image, mark, beyond=1.5) == 0
    assert marks(world, red, 1, (start, start + 10)).json["marks"] == [], "these words are on another page"


def pages(world: TenantWorld, key: Token, name: str = "red/ferry.pdf") -> Any:
    return world.ask(key, "GET", f"/api/documents/{world.id(name)}/pages")


def test_the_pages_of_a_document_have_their_sizes_before_any_is_drawn(world: TenantWorld, red: Token) -> None:
    text = world.ask(red, "GET", f"/api/documents/{world.id('red/ferry.pdf')}/text").text
    size = {"width": 612, "height": 792}
    assert pages(world, red).json == {
        "documentId": world.id("red/ferry.pdf"),
        "known": True,
        "outdated": False,
        "pages": [{**size, "charStart": 0}, {**size, "charStart": text.index(SECOND)}],
    }
    assert pages(world, red, "red/note.md").json["pages"] == []
    turned = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.open(io.BytesIO(page(world, red).data)).convert("RGB").save(turned, "JPEG", exif=exif)
    world.upload(red, turned.getvalue(), path="turned.jpg")
    world.work()
    (of_picture,) = pages(world, red, "red/turned.jpg").json["pages"]
    assert (of_picture["width"], of_picture["height"]) == (1553, 1200)
    assert picture(page(world, red, name="red/turned.jpg")).size == (1200, 927)


def test_a_picture_is_shown_where_nothing_reads_it(
    world: TenantWorld, red: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in the function api, which has no OCR."""
    drawn = page(world, red).data
    world.upload(red, drawn, path="page.png")
    world.work()
    monkeypatch.setattr(libraries, "find_spec", lambda name: None if name == "tesserocr" else find_spec(name))
    assert picture(page(world, red, name="red/page.png", width=600)).width == 600
    script = "import sys, ragbase.formats.picture.frames; sys.exit('tesserocr' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 0


def test_a_mark_says_which_characters_it_covers_and_ends_where_a_chunk_does(undrawn: TenantWorld) -> None:
    red = undrawn.key("red")
    (whole,) = marks(undrawn, red, 1, (0, len(FIRST))).json["marks"]
    assert (whole["charStart"], whole["charEnd"]) == (0, len(FIRST))
    cut = FIRST.index("twice")
    path = f"/api/documents/{undrawn.id('red/ferry.pdf')}/pages/1/marks"
    query = {"from": 0, "to": len(FIRST), "breaks": f"{cut},{len(FIRST)},0"}
    first, second = undrawn.ask(red, "GET", path, query_string=query).json["marks"]
    assert (first["charStart"], first["charEnd"], second["charStart"]) == (0, cut - 1, cut)
    assert first["right"] < second["left"] and first["left"] == whole["left"]
    for hostile in ("", ",", "a", "1,", "-1", "1.5", ",".join("9" * 301), "9" * 11):
        refused(undrawn.ask(red, "GET", path, query_string={**query, "breaks": hostile}), 400, "INVALID_REQUEST")


def test_a_page_that_was_drawn_is_not_drawn_again(
    world: TenantWorld, red: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = page(world, red)

    def never(*_: object, **__: object) -> bytes:
        raise AssertionError("it was drawn before")

    monkeypatch.setattr(run, "run_sandboxed", never)
    again = page(world, red)
    assert again.data == first.data
    headers = {**bearer(red), "If-None-Match": first.headers["ETag"]}
    path = f"/api/documents/{world.id('red/ferry.pdf')}/pages/1"
    assert world.client.get(path, headers=headers).status_code == 304
    assert "private" in first.headers["Cache-Control"]


def test_another_generation_has_another_image(world: TenantWorld, red: Token) -> None:
    before = page(world, red).data
    world.upload(red, pdf(SECOND), path="ferry.pdf", replace="true")
    world.work()
    assert page(world, red).data != before
    refused(page(world, red, 2), 404, "NOT_FOUND")


def test_what_is_kept_has_a_limit(world: TenantWorld, red: Token, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[object] = []
    draw = run.run_sandboxed

    def counted(*arguments: Any, **named: Any) -> bytes:
        drawn.append(arguments)
        return draw(*arguments, **named)

    monkeypatch.setattr(run, "run_sandboxed", counted)
    monkeypatch.setattr(page_images, "ROOM", len(page(world, red, 2, width=300).data))
    fresh = create_app(world.profile).test_client()  # it keeps nothing yet
    drawn.clear()
    for number in (1, 1, 2, 1):
        path = f"/api/documents/{world.id('red/ferry.pdf')}/pages/{number}?width=300"
        assert fresh.get(path, headers=bearer(red)).status_code == 200
    assert len(drawn) == 3


@pytest.mark.parametrize("number", ["0", "3", "-1", "1.0", "x", "²", "٣", "9" * 30, "%2e%2e"])
def test_there_is_no_other_page(undrawn: TenantWorld, number: str) -> None:
    red = undrawn.key("red")
    refused(page(undrawn, red, number), 404, "NOT_FOUND")
    refused(marks(undrawn, red, number, (0, 9)), 404, "NOT_FOUND")


def test_a_text_has_no_page(undrawn: TenantWorld) -> None:
    red = undrawn.key("red")
    refused(page(undrawn, red, name="red/note.md"), 404, "NOT_FOUND")
    assert marks(undrawn, red, 1, (0, 9), name="red/note.md").json["known"] is False


@pytest.mark.parametrize("query", [{"width": 99}, {"width": 2401}, {"width": "wide"}, {"height": 9}])
def test_a_wrong_parameter_is_refused(undrawn: TenantWorld, query: dict[str, Any]) -> None:
    red = undrawn.key("red")
    refused(page(undrawn, red, **query), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("query", ["", "?from=0", "?from=-1&to=2", "?from=0&to=99999999999", "?from=a&to=b"])
def test_wrong_characters_are_refused(undrawn: TenantWorld, query: str) -> None:
    red = undrawn.key("red")
    path = f"/api/documents/{undrawn.id('red/ferry.pdf')}/pages/1/marks{query}"
    refused(undrawn.ask(red, "GET", path), 400, "INVALID_REQUEST")


def test_a_page_of_another_tenant_or_folder_is_as_unknown_as_any(world: TenantWorld, red: Token) -> None:
    page(world, red)  # it is kept by now
    unknown = str(uuid.uuid4())
    for other in (world.key("blue"), world.key_of_folders("red/other/")):
        for part in (
            "pages",
            "pages/1",
            "pages/1?width=1200",
            "pages/1/marks?from=0&to=20",
            "pages/9",
            "pages/1/marks",
        ):
            theirs, nobody_s = (
                world.ask(other, "GET", f"/api/documents/{id}/{part}") for id in (world.id("red/ferry.pdf"), unknown)
            )
            assert theirs.status_code == nobody_s.status_code == 404
            assert theirs.json["message"].replace(world.id("red/ferry.pdf"), unknown) == nobody_s.json["message"]


def test_what_is_kept_for_one_tenant_serves_no_other(
    world: TenantWorld, red: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same file of another tenant is drawn again: how long an answer takes tells of no file that others have."""
    blue, drawn = world.key("blue"), []
    world.upload(blue, pdf(FIRST, SECOND), path="ferry.pdf")
    world.work()
    draw = run.run_sandboxed

    def counted(*arguments: Any, **named: Any) -> bytes:
        drawn.append(named["options"])
        return draw(*arguments, **named)

    monkeypatch.setattr(run, "run_sandboxed", counted)
    images = [page(world, key, name=name) for key, name in ((red, "red/ferry.pdf"), (blue, "blue/ferry.pdf")) * 2]
    assert len({image.data for image in images}) == 1 and len(drawn) == 2


def test_a_deleted_document_shows_no_page(world: TenantWorld, red: Token) -> None:
    page(world, red)
    world.ask(red, "DELETE", f"/api/documents/{world.id('red/ferry.pdf')}")
    refused(page(world, red), 404, "NOT_FOUND")
    refused(marks(world, red, 1, (0, 9)), 404, "NOT_FOUND")
    refused(pages(world, red), 404, "NOT_FOUND")
    world.work()
    assert world.profile.word_boxes.scan(limit=9) == []


def test_until_a_document_is_read_again_its_pages_have_no_marks(world: TenantWorld, red: Token) -> None:
    record = world.profile.documents.get(world.id("red/ferry.pdf"))
    assert record is not None and record.active is not None
    world.profile.word_boxes.delete(record.id, record.active.generation)
    assert marks(world, red, 1, (0, 9)).json == {"documentId": record.id, "page": 1, "known": False, "marks": []}
    assert pages(world, red).json["known"] is False
    picture(page(world, red))


def read_by_an_older_version(world: TenantWorld, name: str = "red/ferry.pdf") -> Document:
    """As a version has left it that knew of no boxes."""
    record = world.profile.documents.get(world.id(name))
    assert record is not None and record.active is not None
    format, _, rest = record.active.fingerprint.split("|", 2)
    old = replace(record, active=replace(record.active, fingerprint=f"{format}|{format}-v0|{rest}"))
    world.profile.documents.update(record.id, lambda _: old)
    world.profile.word_boxes.delete(record.id, record.active.generation)
    return old


def reread(world: TenantWorld, key: Token, name: str = "red/ferry.pdf") -> Any:
    return world.ask(key, "POST", f"/api/documents/{world.id(name)}/reread")


def test_a_document_that_an_older_version_has_read_is_read_again(world: TenantWorld, red: Token) -> None:
    old = read_by_an_older_version(world)
    assert [pages(world, red).json[name] for name in ("known", "outdated")] == [False, True]
    text = world.ask(red, "GET", f"/api/documents/{old.id}/text").text
    again = reread(world, red)
    assert (again.status_code, again.json["status"]) == (202, "PENDING")
    assert world.ask(red, "GET", f"/api/documents/{old.id}/text").text == text, "search shows it meanwhile"
    world.work()
    assert [pages(world, red).json[name] for name in ("known", "outdated")] == [True, False]
    assert marks(world, red, 1, (0, 9)).json["marks"]
    record = world.profile.documents.get(old.id)
    assert record is not None and record.active is not None
    assert (record.active.generation, record.usage) == (old.generation, old.usage), "nothing was embedded again"


def test_what_is_not_outdated_stays_as_it_is(world: TenantWorld, red: Token) -> None:
    for name in ("red/ferry.pdf", "red/note.md"):
        before = world.profile.documents.get(world.id(name))
        assert reread(world, red, name).json["status"] == "COMPLETED"
        assert world.profile.documents.get(world.id(name)) == before


def test_only_who_may_write_has_a_document_read_again(world: TenantWorld, red: Token) -> None:
    old = read_by_an_older_version(world)
    for other in (world.key("blue"), world.key_of_folders("red/other/")):
        refused(reread(world, other), 404, "NOT_FOUND")
    refused(reread(world, world.key_of_folders("red/", scopes=[Scope.READ])), 403, "FORBIDDEN")
    assert world.profile.documents.get(old.id) == old


@pytest.mark.parametrize("stored", [b"", b"\x02" + bytes(20), b"\x01\xff\xff\xff\xff", bytes(range(256))])
def test_boxes_that_nobody_can_read_are_no_marks(world: TenantWorld, red: Token, stored: bytes) -> None:
    record = world.profile.documents.get(world.id("red/ferry.pdf"))
    assert record is not None and record.active is not None
    world.profile.word_boxes.put(record.id, record.active.generation, record.active.reader, stored)
    found = marks(world, red, 1, (0, 9)).json
    assert (found["known"], found["marks"]) == (False, [])
    assert pages(world, red).json["known"] is False


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"<svg onload=alert(1)>",
        page_image.SIGNATURE + bytes(99),
        child_process.HEAD.pack(child_process.MARK, 2**31, 2**31, 3),
        child_process.HEAD.pack(child_process.MARK, 10, 10, 3) + bytes(299),
        child_process.HEAD.pack(child_process.MARK, 10, 10, 4) + bytes(400),
        child_process.SIZE.pack(float("nan"), 9),
    ],
)
def test_a_file_that_has_taken_over_what_draws_it_sends_nothing_to_a_browser(
    undrawn: TenantWorld, monkeypatch: pytest.MonkeyPatch, said: bytes
) -> None:
    red = undrawn.key("red")
    monkeypatch.setattr(run, "run_sandboxed", lambda *_, **__: said)
    if said:
        refused(pages(undrawn, red), 409, "NO_PAGE_IMAGE")
    refused(page(undrawn, red), 409, "NO_PAGE_IMAGE")


def test_a_request_that_gets_no_turn_is_told_to_come_again(
    world: TenantWorld, red: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One caller draws one page at a time: pages that take long hold up those who ask for them, and nobody else."""
    monkeypatch.setattr(page_images, "PATIENCE", 0.0)
    drawing, told = threading.Event(), threading.Event()
    draw = run.run_sandboxed

    def slow(*arguments: Any, **named: Any) -> bytes:
        if not drawing.is_set():
            drawing.set()
            assert told.wait(30)
        return draw(*arguments, **named)

    monkeypatch.setattr(run, "run_sandboxed", slow)
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(page(world, red)))
    thread.start()
    assert drawing.wait(30)
    answer, of_another = page(world, red, 2), page(world, world.key("red"), 2)
    told.set()
    thread.join()
    assert [one.status_code for one in (answer, of_another, answers[0])] == [503, 200, 200]
    assert "Too many pages are being drawn" in answer.json["message"] and answer.headers["Retry-After"]
    assert page(world, red, 2, width=300).status_code == 200
