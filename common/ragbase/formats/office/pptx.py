"""PowerPoint presentations (Office Open XML): each slide as Markdown, with its notes and comments below it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.etree.ElementTree import Element

from ragbase.domain.left_out import LeftOut
from ragbase.formats.office.chart import chart_markdown
from ragbase.formats.office.markdown import paragraph_of, table_of
from ragbase.formats.office.parts import Parts, reference, tree
from ragbase.formats.office.word_text import POWER
from ragbase.formats.office.workbook import title_in
from ragbase.formats.unreadable import Damaged

PRESENTATION = "ppt/presentation.xml"
TITLES = ("title", "ctrTitle")
RUNNING = ("ftr", "dt", "sldNum", "hdr")
"""Placeholders of what stands on every slide."""
LISTS = ("body", "obj", None)
"""Placeholders whose paragraphs have bullets unless they say otherwise. Without a kind it is `obj`."""
FILE_NAME = re.compile(r"\S+\.\w{2,4}")
"""What a program says of a picture that nobody has described."""
HIDDEN = ("0", "false")


@dataclass(slots=True)
class _Slide:
    title: str = ""
    blocks: list[str] = field(default_factory=list)
    running: list[str] = field(default_factory=list)


def read_pptx(data: bytes, max_unpacked: int) -> dict[str, Any]:
    """Raises Damaged and TooLarge."""
    parts = Parts(data, max_unpacked)
    main = next(iter(parts.related_of("", "officeDocument")), PRESENTATION)
    if main not in parts:
        raise Damaged("it has no presentation")
    slides = parts.related(main)
    names = [slides[id][1] for one in tree(parts.read(main)).iter("sldId") if (id := reference(one)) in slides]
    authors = _authors(parts, main)
    pages: list[str] = []
    running: list[str] = []
    hidden: list[int] = []
    for number, name in enumerate(names, start=1):
        root = tree(parts.read(name))
        if root.get("show") in HIDDEN:
            hidden.append(number)
        slide = _slide(parts, name, root)
        running += slide.running
        title = [f"## {slide.title}"] if slide.title else []
        pages.append(
            "\n\n".join([*title, *slide.blocks, *_notes(parts, name, running), *_comments(parts, name, authors)])
        )
    left_out = LeftOut("footers, dates and numbers of slides", "\n".join(running))
    return {
        "title": title_in(parts.read("docProps/core.xml")),
        "pages": pages,
        "entries": [],
        "notes": [f"Read, though hidden in the presentation: slide {', '.join(map(str, hidden))}."] if hidden else [],
        "left_out": [(left_out.what, left_out.text, left_out.shown)] if left_out.text.strip() else [],
    }


def _slide(parts: Parts, name: str, root: Element) -> _Slide:
    slide = _Slide()
    related, links = parts.related(name), parts.related(name, outside=True)
    for shape in _shapes(root):
        if shape.tag == "sp":
            _add_shape(slide, shape, links)
        elif shape.tag == "pic":
            _add_description(slide, shape)
        else:
            slide.blocks += _frame(parts, shape, related, links)
    return slide


def _shapes(root: Element) -> Iterator[Element]:
    """In the order of the file, which is that of a screen reader. Those of a group are among them."""
    for child in root:
        if child.tag in ("sp", "pic", "graphicFrame"):
            yield child
        else:
            yield from _shapes(child)


def _placeholder(shape: Element) -> tuple[bool, str | None]:
    """Whether the shape fills a place of the slide's layout, and which."""
    found = next(shape.iter("ph"), None)
    return (False, None) if found is None else (True, found.get("type"))


def _add_shape(slide: _Slide, shape: Element, links: dict[str, tuple[str, str]]) -> None:
    is_placed, kind = _placeholder(shape)
    body = next(shape.iter("txBody"), None)
    paragraphs = [] if body is None else [one for one in body.iter("p") if _text(one, {}).strip()]
    if not paragraphs:
        return
    if is_placed and kind in TITLES and not slide.title:
        slide.title = " ".join(" ".join(_text(one, {}).split()) for one in paragraphs)
    elif is_placed and kind in RUNNING:
        slide.running += [_text(one, {}) for one in paragraphs]
    else:
        are_listed = is_placed and kind in LISTS and len(paragraphs) > 1
        slide.blocks += _listed(paragraphs, links, are_listed=are_listed)


def _listed(paragraphs: list[Element], links: dict[str, tuple[str, str]], *, are_listed: bool) -> Iterator[str]:
    """Paragraphs, and lists with their levels."""
    items: list[str] = []
    numbers: dict[int, int] = {}
    for paragraph in paragraphs:
        look = paragraph.find("pPr")
        level = int(value) if look is not None and (value := look.get("lvl", "0")).isdigit() else 0
        marks = {child.tag for child in look} if look is not None else set()
        text = " ".join(_text(paragraph, links).split())
        if "buNone" in marks or not (are_listed or "buChar" in marks or "buAutoNum" in marks):
            if items:
                yield "\n".join(items)
            items, numbers = [], {}
            yield paragraph_of(text)
            continue
        numbers = {at: number for at, number in numbers.items() if at <= level}
        numbers[level] = numbers.get(level, 0) + 1
        mark = f"{numbers[level]}." if "buAutoNum" in marks else "-"
        items.append(f"{'   ' * min(level, 8)}{mark} {text}")
    if items:
        yield "\n".join(items)


def _text(paragraph: Element, links: dict[str, tuple[str, str]]) -> str:
    said: list[str] = []
    for one in paragraph:
        if one.tag == "br":
            said.append(" ")
        elif one.tag in ("r", "fld"):
            text = "".join(part.text or "" for part in one.iter("t")).replace("\v", " ")
            look = one.find("rPr")
            if look is not None and look.get("baseline", "0").lstrip("0").isdigit() and POWER.fullmatch(text.strip()):
                text = f"^{text}" if said and said[-1][-1:].isalnum() else text
            link = None if look is None else look.find("hlinkClick")
            address = links.get(reference(link), ("", ""))[1] if link is not None else ""
            said.append(f"[{text}]({address})" if address and text.strip() and address != text.strip() else text)
        else:
            said.append("".join(part.text or "" for part in one.iter("t")))
    return "".join(said)


def _add_description(slide: _Slide, picture: Element) -> None:
    named = next(picture.iter("cNvPr"), None)
    described = " ".join(named.get("descr", "").split()) if named is not None else ""
    if described and not FILE_NAME.fullmatch(described):
        slide.blocks.append(paragraph_of(described))


def _frame(
    parts: Parts, frame: Element, related: dict[str, tuple[str, str]], links: dict[str, tuple[str, str]]
) -> Iterator[str]:
    """A table, a chart or a diagram."""
    for table in frame.iter("tbl"):
        yield table_of(
            [
                [" ".join(_text(one, links).strip() for one in cell.iter("p")) for cell in row.iter("tc")]
                for row in table.iter("tr")
            ]
        )
    for chart in frame.iter("chart"):
        yield from chart_markdown(parts, related.get(reference(chart), ("", ""))[1])
    for diagram in frame.iter("relIds"):
        name = related.get(next((value for key, value in diagram.attrib.items() if key.endswith("dm")), ""), ("", ""))[
            1
        ]
        said = [_text(one, {}).strip() for one in tree(parts.read(name)).iter("p")]
        if any(said):
            yield "\n".join(f"- {text}" for text in said if text)


def _notes(parts: Parts, name: str, running: list[str]) -> Iterator[str]:
    for part in parts.related_of(name, "notesSlide"):
        for shape in tree(parts.read(part)).iter("sp"):
            if _placeholder(shape)[1] in RUNNING:
                running += [_text(one, {}) for one in shape.iter("p")]
                continue
            texts = [" ".join(_text(one, {}).split()) for one in shape.iter("p")]
            for number, text in enumerate(filter(None, texts)):
                yield paragraph_of(text) if number else f"Speaker notes: {text}"


def _authors(parts: Parts, main: str) -> dict[str, str]:
    names = [name for kind in ("commentAuthors", "authors") for name in parts.related_of(main, kind)]
    return {one.get("id", ""): one.get("name", "") for name in names for one in tree(parts.read(name)) if one.get("id")}


def _comments(parts: Parts, name: str, authors: dict[str, str]) -> Iterator[str]:
    for part in parts.related_of(name, "comments"):
        for comment in tree(parts.read(part)).iter():
            if comment.tag not in ("cm", "reply"):
                continue
            own = [one for one in comment if one.tag in ("text", "txBody")]
            text = " ".join(" ".join(piece for one in own for piece in one.itertext()).split())
            author = authors.get(comment.get("authorId", ""), "").strip()
            if text:
                yield f"Comment by {author}: {text}" if author else paragraph_of(text)
