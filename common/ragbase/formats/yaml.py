"""YAML: its lines, under the keys that have more than a line below them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from ragbase.domain.extraction import Section
from ragbase.formats.lines import LOOKS_LIKE_OTHERS, read_lines
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file

KEY = re.compile(
    r"(?P<key>\"[^\"]{1,100}\"|'[^']{1,100}'|[^\s#\"'\-\[\]{}&*!|>%@`][^#:]{0,100}+):(?:\s+(?P<value>.*))?"
)
BLOCK_TEXT = re.compile(r"(?:[&!]\S+\s+)*[|>][-+0-9]*\s*(?:#.*)?")
"""What stands behind a key whose value is the lines below it, whatever is in them."""
MAX_LEVEL = 3
"""Deeper keys would make passages of a line or two."""


def sections_of(lines: Iterable[re.Match[str]]) -> Iterator[Section]:
    """A section for each key on the outer levels whose value stands in the lines below it."""
    found: list[Section] = []
    within: list[int] = []  # the columns of the keys whose sections are open
    head: tuple[int, int, str] | None = None  # a key that may have its value below it: where, its column, its name
    text_below: int | None = None  # the column of a key whose value is text, whatever it looks like
    for line in lines:
        text, column = line["text"], len(line["indent"])
        if not text or text.startswith("#"):
            continue
        is_item = text.startswith("- ") or text == "-"
        if head is not None and (column > head[1] or (column == head[1] and is_item)) and len(within) < MAX_LEVEL:
            within.append(head[1])
            if found and found[-1].start == head[0]:
                del found[-1]
            found.append(Section(head[0], len(within), head[2]))
        head = None
        if text_below is not None and column > text_below:
            continue
        text_below = None
        open_ = len(within)
        while within and (column < within[-1] or (column == within[-1] and not is_item)):
            within.pop()
        if len(within) < open_:
            found.append(Section(line.start("text"), len(within) + 1, ""))
        key = KEY.fullmatch(text)
        if key is None:
            continue
        value = (key["value"] or "").strip()
        if not value or BLOCK_TEXT.fullmatch(value):
            head = (line.start("text"), column, key["key"].strip("\"'"))
            text_below = column if value else None
    return iter(found)


READER = Reader(
    version="yaml-v1",
    check=check_text_file,
    read=partial(read_lines, sections_of=sections_of),
    looks_like=LOOKS_LIKE_OTHERS,
)
