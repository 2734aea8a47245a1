"""Pages of documents in the console: what is marked on them, beside an answer and beside their passages."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Locator, expect

from ragbase import Client
from scripts.local_cloud.pdf import pdf
from tests.unit.client.served import served
from tests.unit.formats.pdf.scans import ocr_folder, pdf_of_pictures, picture

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Browser, Route

    from tests.browser.conftest import Opened
    from tests.unit.client.served import Served


FERRY = "The ferry crosses the wide river twice a day, at nine and at five."
PIER = "At the pier hangs the timetable, and nobody has read it since the winter."
SAILS = "The sailmaker keeps eleven spare sails in the attic."
PEOPLE = b"Name,City,Boat\nAnna Kovacs,Hanoi,a sloop with two masts\nBert Olsen,Bergen,a ketch without any sails\n"


def upload(server: Served, name: str, data: bytes) -> str:
    """The document's id. It is read."""
    with Client(server.url) as client:
        return client.wait(client.upload(data, path=name).id).id


def dark(element: Locator) -> float:
    """The share of dark pixels in what is seen of an element."""
    from PIL import Image

    element.page.evaluate("Promise.all([...document.images].map((image) => image.decode()))")
    image = Image.open(io.BytesIO(element.screenshot())).convert("L")
    return sum(image.histogram()[:100]) / (image.width * image.height)


def photo(line: str) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    image, data = Image.new("RGB", (1400, 300), "white"), io.BytesIO()
    ImageDraw.Draw(image).text((60, 120), line, fill="black", font=ImageFont.load_default(44))
    image.save(data, "PNG")
    return data.getvalue()


def test_a_citation_is_marked_on_its_page(server: Served, opened: Opened) -> None:
    upload(server, "ferry.pdf", pdf(FERRY, PIER))
    console = opened(server)
    page = console.page
    console.ask("Where does the timetable hang?")
    page.locator(".cite").first.click()
    expect(page.locator(".source img")).to_have_attribute("alt", "Page 2")
    mark = page.locator(".source .lit")
    expect(mark).to_have_count(1)
    expect(mark).to_be_in_viewport()
    assert dark(mark) > 0.02, "there are letters under it"
    expect(page.locator(".source")).to_contain_text(PIER)  # for those who do not see the image
    assert console.barriers() == []
    page.get_by_role("button", name="Text", exact=True).click()
    expect(page.locator(".source mark")).to_have_text(PIER)
    page.get_by_role("button", name="Page", exact=True).click()
    expect(mark).to_be_in_viewport()

    page.get_by_role("link", name="Show in the document").click()
    expect(page.locator(".leaf .lit")).to_be_in_viewport()
    expect(page.get_by_alt_text("Page 2")).to_be_visible()
    assert dark(page.locator(".leaf .lit")) > 0.02


def test_a_citation_over_two_pages_shows_both_and_a_changed_document_no_mark(server: Served, opened: Opened) -> None:
    id = upload(server, "ferry.pdf", pdf(FERRY, PIER))
    with Client(server.url) as client:
        text = client.text(id)
    start, end = text.index("at nine"), text.index("the timetable") + len("the timetable")
    cited = text[start:end]

    def answer(route: Route) -> None:
        citation = {
            "text": cited,
            "evidence": "1",
            "documentId": id,
            "filename": "ferry.pdf",
            "generation": "1",
            "metadata": {"page": 1, "charStart": start, "charEnd": end},
        }
        sentence = {"text": cited, "supported": True, "citations": [citation]}
        done = {"text": cited, "answered": True, "sentences": [sentence], "evidence": []}
        told = {"evidence": {"evidence": []}, "sentence": sentence, "done": done}
        events = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in told.items())
        route.fulfill(content_type="text/event-stream", body=events)

    console = opened(server)
    page = console.page
    page.route("**/api/answer", answer)
    console.ask("When does the ferry go?")
    page.locator(".cite").first.click()
    expect(page.locator(".source .sheet")).to_have_count(2)
    for sheet in page.locator(".source .sheet").all():
        expect(sheet.locator(".lit")).to_have_count(1)
    cited = "at ten, or at the pier"
    page.reload()
    page.locator(".cite").first.click()
    expect(page.locator(".source")).to_contain_text("The document has changed since this answer")
    expect(page.locator(".source img").first).to_be_visible()
    expect(page.locator(".lit")).to_have_count(0)


def test_a_page_and_its_passages_light_each_other(server: Served, opened: Opened) -> None:
    id = upload(server, "ferry.pdf", pdf(FERRY, PIER))
    console = opened(server)
    page = console.page
    console.open(f"documents/{id}")
    first, second = page.locator(".leaf").first, page.locator(".leaf").nth(1)
    expect(first.locator("img")).to_be_visible()
    expect(first.locator(".passage")).to_contain_text(FERRY)
    expect(second.locator(".passage")).to_contain_text(f"characters {len(FERRY) + 2}")
    first.locator(".passage").hover()
    expect(first.locator(".lit")).to_have_count(1)
    expect(second.locator(".lit")).to_have_count(0)
    where = first.locator(".lit").bounding_box()
    assert where is not None
    page.mouse.move(0, 0)
    expect(first.locator(".lit")).to_have_count(0)
    page.mouse.move(where["x"] + where["width"] / 2, where["y"] + where["height"] / 2)
    expect(first.locator(".passage.is-lit")).to_have_count(1)
    page.mouse.move(0, 0)
    first.get_by_role("button", name="Passage 1").focus()  # without a mouse
    expect(first.locator(".lit")).to_have_count(1)
    page.get_by_text("History").click()
    expect(page.locator(".history")).to_contain_text("Attempts")
    assert console.barriers() == []


def test_only_pages_in_sight_have_an_image(server: Served, opened: Opened) -> None:
    id = upload(
        server, "log.pdf", pdf(*(f"On day {day} the wind came from the north all day." for day in range(1, 81)))
    )
    console = opened(server)
    page = console.page
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url.partition("?")[0]))
    console.open(f"documents/{id}")
    expect(page.locator(".leaf").first.locator("img")).to_be_visible()
    height = page.evaluate("document.documentElement.scrollHeight")
    page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    last = page.get_by_role("region", name="Page 80")
    expect(last.locator("img")).to_be_visible()
    expect(last.locator(".passage")).to_contain_text("On day 80")
    expect(page.get_by_role("region", name="Page 1", exact=True)).to_have_count(0)
    assert abs(page.evaluate("document.documentElement.scrollHeight") - height) < 80, "every page had its room"
    assert len([url for url in asked if url.rpartition("/")[0].endswith("/pages")]) < 40


def test_until_a_document_is_read_again_its_pages_have_no_marks(server: Served, opened: Opened) -> None:
    id = upload(server, "ferry.pdf", pdf(FERRY, PIER))
    record = server.profile.documents.get(id)
    assert record is not None and record.active is not None
    server.profile.word_boxes.delete(id, record.active.generation)
    format, _, rest = record.active.fingerprint.split("|", 2)
    old = replace(record, active=replace(record.active, fingerprint=f"{format}|{format}-v0|{rest}"))
    server.profile.documents.update(id, lambda _: old)
    console = opened(server)
    page = console.page
    console.ask("Where does the timetable hang?")
    page.locator(".cite").first.click()
    expect(page.locator(".source")).to_contain_text("An older version has read this document")
    expect(page.locator(".source img")).to_be_visible()
    console.open(f"documents/{id}")
    expect(page.locator("main")).to_contain_text("An older version has read this document")
    expect(page.locator(".passage").first).to_contain_text(FERRY)
    page.get_by_role("button", name="Read it again").click()
    expect(page.locator(".status")).to_have_text("Ready")
    page.locator(".passage").first.hover()
    expect(page.locator(".lit")).to_have_count(1)


def test_a_page_that_cannot_be_drawn_says_so_and_its_text_is_there(server: Served, opened: Opened) -> None:
    id = upload(server, "ferry.pdf", pdf(FERRY))
    console = opened(server)
    page = console.page

    def refuse(route: Route) -> None:
        error = {"error": "NO_PAGE_IMAGE", "message": "ferry.pdf: Nothing draws it here."}
        route.fulfill(status=409, content_type="application/json", body=json.dumps(error))

    page.route("**/pages", refuse)
    console.open(f"documents/{id}")
    expect(page.locator("main")).to_contain_text("Nothing draws it here.")
    expect(page.locator(".text")).to_contain_text(FERRY)


def test_the_row_and_the_cells_of_a_citation_are_marked(server: Served, opened: Opened) -> None:
    id = upload(server, "people.csv", PEOPLE)
    console = opened(server)
    page = console.page
    console.ask("Which boat does Anna Kovacs have?")
    page.locator(".cite").first.click()
    row = page.locator(".source .cells")
    expect(row.locator("th")).to_have_text(["row 1: Anna Kovacs", "Name", "City", "Boat"])
    expect(row.locator(".cited", has_text="Boat").locator("td mark")).to_have_text("a sloop with two masts")
    expect(page.locator(".source")).not_to_contain_text("Bert")
    assert console.barriers() == []
    console.open(f"documents/{id}")
    expect(page.locator(".part")).to_have_count(2)
    expect(page.locator(".part").nth(1).locator("td").nth(3)).to_have_text("a ketch without any sails")
    assert console.barriers() == []


def test_scans_and_pictures_are_marked_where_ocr_has_read(tmp_path: Path, opened: Opened) -> None:
    with served(tmp_path / "home", model_folder=str(ocr_folder().parent)) as server:
        upload(server, "scan.pdf", pdf_of_pictures([picture([(12, SAILS), (12, "Two of them are for storms.")])]))
        console = opened(server)
        page = console.page
        console.ask("Where does the sailmaker keep spare sails?")
        page.locator(".cite").first.click()
        expect(page.locator(".source img")).to_be_visible()
        expect(page.locator(".source .lit")).to_have_count(1)
        assert dark(page.locator(".source .lit")) > 0.02
        id = upload(server, "photo.png", photo("The beekeeper has nine hives behind the old chapel."))
        console.open(f"documents/{id}")
        expect(page.get_by_alt_text("Page 1")).to_be_visible()
        page.locator(".passage", has_text="nine hives").hover()
        expect(page.locator(".lit")).to_have_count(1)
        assert dark(page.locator(".lit")) > 0.02


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_view_of_a_document_keeps_nobody_out(browser: Browser, server: Served, scheme: str) -> None:
    from tests.browser.console import Console

    id = upload(server, "ferry.pdf", pdf(FERRY, PIER))
    text = upload(server, "guide.md", b"# Backups\n\nThe nightly backup starts at half past two, every night.\n")
    context = browser.new_context(color_scheme="dark" if scheme == "dark" else "light")
    console = Console(context.new_page(), server.url)
    console.open(f"documents/{id}")
    console.page.locator(".passage").first.hover()
    console.page.locator(".lit").first.wait_for()
    console.page.get_by_text("History").click()
    assert console.barriers() == []
    console.open(f"documents/{text}")
    console.page.locator(".part").first.hover()
    assert console.barriers() == []
    context.close()
    assert console.faults == []
