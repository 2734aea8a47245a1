"""The words of an office document: the text in its XML files, and of a mail, its parts."""

from __future__ import annotations

import email
import email.policy
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree

from tests.check_text.plain_html import read_html

SKIPPED = frozenset(("Fallback", "delText", "instrText", "fldData"))
"""A second form of the same text, deleted text, and instructions."""


def _local(tag: Any) -> str:
    return str(tag).rpartition("}")[2]


def _archive(data: bytes) -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(data))


def _xml(archive: zipfile.ZipFile, name: str) -> Any:
    return ElementTree.fromstring(archive.read(name))


def _paragraphs(root: Any, text: frozenset[str], ends: frozenset[str], breaks: frozenset[str]) -> str:
    """The text of `text` elements; a paragraph and a cell end a line, a tab and a line break are blanks."""
    said: list[str] = []

    def walk(element: Any) -> None:
        name = _local(element.tag)
        if name in SKIPPED:
            return
        if name in text:
            said.append(element.text or "")
        if name in breaks:
            said.append(" ")
        for child in element:
            walk(child)
        if name in ends:
            said.append("\n\n")

    walk(root)
    return "".join(said)


def _parts(pattern: str, data: bytes) -> str:
    names = re.compile(pattern)
    with _archive(data) as archive:
        return "\n\n".join(
            _paragraphs(
                _xml(archive, name),
                frozenset("t"),
                frozenset(("p", "tc")),
                frozenset(("tab", "br", "cr", "noBreakHyphen")),
            )
            for name in sorted(archive.namelist())
            if names.fullmatch(name)
        )


def _docx(data: bytes) -> tuple[str, str]:
    text = _parts(r"word/(?:document|footnotes|endnotes|comments)\.xml", data)
    return text, _parts(r"word/(?:header|footer)\d*\.xml", data)


def _pptx(data: bytes) -> tuple[str, str]:
    return _parts(
        r"ppt/(?:slides/slide|notesSlides/notesSlide|comments/comment)\d+\.xml", data
    ), "speaker notes comment by"


def _xlsx(data: bytes) -> tuple[str, str]:
    """The names of the sheets, all texts of their cells, and whole numbers in no special format. Names of columns may
    stand in each row, and other numbers in any form."""
    with _archive(data) as archive:
        names = archive.namelist()
        shared = []
        if "xl/sharedStrings.xml" in names:
            shared = [
                "".join(part.text or "" for part in item.iter() if _local(part.tag) == "t")
                for item in _xml(archive, "xl/sharedStrings.xml")
            ]
        sheets = [one.get("name", "") for one in _xml(archive, "xl/workbook.xml").iter() if _local(one.tag) == "sheet"]
        cells: list[str] = []
        head: list[str] = []
        for name in names:
            if re.fullmatch(r"xl/worksheets/sheet\d+\.xml", name):
                sheet = _xml(archive, name)
                found = list(_cells(sheet, shared))
                cells += found
                head += [*found[:200], *(one.text or "" for one in sheet.iter() if _local(one.tag) == "v")]
        cells += [_paragraphs(_xml(archive, name), frozenset("t"), frozenset(("comment",)), frozenset())
                  for name in names if re.fullmatch(r"xl/comments\d*\.xml", name)]  # fmt: skip
    return "\n\n".join([*sheets, *cells]), " ".join([*head, "row column true false"])


def _cells(sheet: Any, shared: list[str]) -> Iterator[str]:
    for cell in sheet.iter():
        if _local(cell.tag) != "c":
            continue
        kind, value = cell.get("t", "n"), next((one.text for one in cell if _local(one.tag) == "v"), None)
        if kind == "s" and value is not None:
            yield shared[int(value)]
        elif kind in ("inlineStr", "str"):
            yield value or "".join(one.text or "" for one in cell.iter() if _local(one.tag) == "t")
        elif kind == "n" and value is not None and cell.get("s", "0") == "0" and value.isdigit():
            yield value


def _open_document(data: bytes) -> tuple[str, str]:
    said: list[str] = []

    def walk(element: Any) -> None:
        name = _local(element.tag)
        if name in ("tracked-changes", "scripts"):
            return
        if name in ("p", "h"):
            said.append("\n\n")
        if name in ("tab", "line-break", "s"):
            said.append(" ")
        said.append(element.text or "")
        for child in element:
            walk(child)
            said.append(child.tail or "")
        if name in ("p", "h"):
            said.append("\n\n")

    with _archive(data) as archive:
        root = _xml(archive, "content.xml")
        walk(next(one for one in root.iter() if _local(one.tag) == "body"))
    tables = [str(value) for one in root.iter() for key, value in one.attrib.items() if _local(key) == "name"]
    return "".join(said), " ".join([*tables, *"".join(said).split()[:400]])


def _epub(data: bytes) -> tuple[str, str]:
    seen, also = [], []
    with _archive(data) as archive:
        for name in archive.namelist():
            if re.search(r"\.x?html?$", name) and not re.search(r"(?:nav|toc)\.", name):
                text, said = read_html(archive.read(name))
                seen.append(text)
                also.append(said)
    return "\n\n".join(seen), " ".join(also)


def _eml(data: bytes) -> tuple[str, str]:
    message = email.message_from_bytes(data, policy=email.policy.default)
    body = message.get_body(("plain", "html"))
    said = [str(message[name] or "") for name in ("subject", "from", "to", "date")]
    text = body.get_content() if body is not None else ""
    if body is not None and body.get_content_type() == "text/html":
        text, _ = read_html(text.encode())
    return "\n\n".join([said[0], text]), " ".join([*said, "subject from to cc date attachments"])


READERS: dict[str, Callable[[bytes], tuple[str, str]]] = {
    "docx": _docx,
    "pptx": _pptx,
    "xlsx": _xlsx,
    "odt": _open_document,
    "ods": _open_document,
    "odp": _open_document,
    "epub": _epub,
    "eml": _eml,
}
"""By ragbase's name of the format: the text, and what may be given beside it."""
