"""A workbook, Excel's or OpenDocument's, as the process that reads one document answers it."""

from __future__ import annotations

from typing import Any

from ragbase.domain.left_out import LeftOut
from ragbase.formats.office.ods import read_ods
from ragbase.formats.office.parts import Parts, local, parse
from ragbase.formats.office.sheets import Sheet, as_text
from ragbase.formats.office.xlsx import read_xlsx

READERS = {"xlsx": (read_xlsx, "docProps/core.xml"), "ods": (read_ods, "meta.xml")}
"""What reads the sheets, and the part that has the title."""


def read_workbook(data: bytes, format: str, max_characters: int, max_unpacked: int) -> dict[str, Any]:
    """Raises Damaged, TooLarge, and PermanentError (FILE_TOO_LARGE) for a text of more characters."""
    parts = Parts(data, max_unpacked)
    read, about = READERS[format]
    shown, hidden = read(parts)
    extraction = as_text(shown, max_characters)
    left_out = [*extraction.left_out, *(hidden_sheet(sheet, max_characters) for sheet in hidden)]
    return {
        "title": title_in(parts.read(about)),
        "pages": [extraction.markdown],
        "entries": extraction.entries,
        "notes": list(extraction.notes),
        "left_out": [(one.what, one.text, one.shown) for one in left_out if one.text],
    }


def hidden_sheet(sheet: Sheet, max_characters: int) -> LeftOut:
    text = as_text([sheet], max_characters).markdown
    return LeftOut(f"the hidden sheet “{sheet.name}”", text, shown=False)


def title_in(data: bytes) -> str | None:
    """The title that the properties of a document say."""
    titles: list[str] = []
    is_title = False

    def start(tag: str, _: dict[str, str]) -> None:
        nonlocal is_title
        is_title = local(tag) == "title"

    def end(_: str) -> None:
        nonlocal is_title
        is_title = False

    def text(piece: str) -> None:
        if is_title:
            titles.append(piece)

    parse(data, start=start, end=end, text=text)
    return "".join(titles).strip() or None
