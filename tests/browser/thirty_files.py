"""Thirty files of an office, as people drop them: of many formats, a scan among them, and one that nobody can read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.office_documents import docx, pptx, xlsx
from tests.unit.formats.pdf.pdf_files import pdf
from tests.unit.formats.pdf.scans import ocr_folder, scan

COUNT = 30
IN_PDF = "The crane of quay seven lifts forty tonnes."
"""A sentence of cranes-7.pdf, on its second page."""
IN_MARKDOWN = "The lighthouse of Skagen burns until half past six."
"""A sentence of lighthouse-skagen.md, after an emoji."""
IN_SCAN = "The ferry to Anholt leaves at noon."
"""A sentence of ferry.pdf."""
UNREADABLE = "empty.md"
LARGE = "page-Faro.html"
"""It is sent in parts, to an address of its own."""

_TOWNS = ("Aarhus", "Bergen", "Cadiz", "Delft", "Esbjerg", "Faro")
_FILLING = (
    "Every worker signs the book at the gate.",
    "The gate closes when the last boat has gone.",
    "Who finds a broken lamp tells the office.",
)
_DRAWING = "\u2591\u2592\u2593 "
"""Nobody reads it: it is in a comment."""


def thirty_files(folder: Path) -> None:
    """Write them into the folder, which is made."""
    ocr_folder()
    folder.mkdir()
    files: dict[str, bytes] = {
        "ferry.pdf": scan([(16, "Timetable of the ferry"), (14, IN_SCAN), (14, "It comes back in the evening.")]),
        "slides.pptx": pptx(),
        UNREADABLE: b"",
        "lighthouse-skagen.md": f"# Lighthouses \N{GRINNING FACE}\n\n{IN_MARKDOWN} {_FILLING[2]}\n".encode(),
        "opening.txt": b"The harbour office opens at eight. It is closed on the first of May.\n",
        "mail.eml": b"From: ann@example.com\nTo: bo@example.com\nSubject: Paint\nContent-Type: text/plain\n\n"
        b"The red paint for the buoys comes on Thursday.\n",
        "berths.json": b'[{"berth": "A1", "length": "12 metres"}, {"berth": "A2", "length": "9 metres"}]',
    }
    for number in range(5, 12):
        files[f"cranes-{number}.pdf"] = _report(number, IN_PDF if number == 7 else IN_PDF.replace("seven", "one"))
    for town in _TOWNS[:4]:
        files[f"letter-{town}.docx"] = docx(
            _paragraphs([f"To the harbour of {town}", f"The {town} pilot comes aboard two miles out.", *_FILLING])
        )
        files[f"fees-{town}.xlsx"] = xlsx(_rows([("Length", f"Night in {town}"), ("8 m", "12 crowns"), ("12 m", "19")]))
        files[f"depths-{town}.csv"] = f"Basin,Depth\n{town} north,5 metres\n{town} south,7 metres\n".encode()
    for town in _TOWNS[4:]:
        files[f"page-{town}.html"] = _page(town)
        files[f"rules-{town}.md"] = f"# Rules of {town}\n\nDogs stay on the lead in {town}. {_FILLING[0]}\n".encode()
    files[LARGE] += b"<!-- %s -->" % (_DRAWING.encode() * 900_000)
    assert len(files) == COUNT
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _report(number: int, sentence: str) -> bytes:
    title = f"Report {number} on cranes"
    first = [(18, title), *((11, f"{line} So it was in year {number}.") for line in _FILLING)]
    return pdf(first, [(18, f"Loads of report {number}"), (11, sentence), *((11, line) for line in _FILLING)])


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in texts)


def _rows(rows: Sequence[Sequence[str]]) -> str:
    def cell(text: str) -> str:
        return f'<c t="inlineStr"><is><t>{text}</t></is></c>'

    return "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)


def _page(town: str) -> bytes:
    body = f"<h1>{town}</h1><p>The market of {town} is held on Saturdays.</p><p>{_FILLING[1]}</p>"
    return f"<!doctype html><html lang=en><title>{town}</title><body><main>{body}</main></body></html>".encode()
