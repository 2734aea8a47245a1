"""Lists: a mark (a bullet, a number, a letter) and the text beside it, however far the tab between them goes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter

from ragbase.formats.pdf.columns import Item
from ragbase.formats.pdf.segments import GAP_IN_LINE, SAME_LINE, Segment

BULLETS = "•◦▪▫‣⁃●○■□◆◇❖✓✔☐☑►▶▸➢➔➤→\uf0b7\uf0a7\uf0d8\uf076\uf0fc"
DASHES = "–—·∙*-"
"""Marks that stand in tables, too: for nothing, or for a note."""
BULLET = re.compile(rf"[{BULLETS}{DASHES}](?=\s|$)\s*")
NUMBERED = re.compile(r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})[.)])\s")
MARKDOWN_NUMBER = re.compile(r"\d{1,9}[.)] ")

_CERTAIN = re.compile(f"[{BULLETS}]")
_DASH = re.compile(f"[o§{DASHES}]")
"""Word draws `o` and `§` as bullets, in a font of its own. They stay as they are, because they may be letters."""
_NUMBER = re.compile(r"\(?(?:\d{1,3}|[a-zA-Z]|[ivxlc]{1,6}|[IVXLC]{1,6})[.)]|\[\d{1,3}\]|\d{1,3}(?:\.\d{1,3}){1,4}\.?")
_BARE_NUMBER = re.compile(r"\d{1,3}")
_LAST_NUMBER = re.compile(r"\d{1,3}(?=[.)\]]?\Z)")
_KINDS = (_CERTAIN, _DASH, _NUMBER, _BARE_NUMBER)

LONGEST_MARK = 20
TAB = 5.0
"""The widest space between a mark and its text, in parts of the font size."""
FEW = 0.2
"""The part of the lines with a mark that may have more cells than a list has."""
BARE_NUMBERS = 3
BARE_TEXT = 22
"""Numbers without a point are marks if so many of them count on, beside text of so many characters on average."""
LEVEL = 0.8
"""How far an item stands in from the one above it, at least, in parts of the font size."""


def with_marks(items: Sequence[Item]) -> Sequence[Item]:
    """The items, with each mark that begins a line of a list as a part of this line."""
    marks = {
        id(item): kind
        for item in items
        if isinstance(item, Segment) and len(item.words) == 1 and (kind := kind_of(item.words[0].text))
    }
    if not marks:
        return items
    lines = list(_lists_beside(marks, _lines(item for item in items if isinstance(item, Segment))))
    texts: dict[int, Segment] = {}  # by the `id` of the mark
    for kind in _KINDS:
        own = [line for line in lines if marks[id(line[0])] is kind]
        if kind is _CERTAIN or (_are_few_cells(own) and (kind is not _BARE_NUMBER or _count_on(own))):
            texts.update((id(line[0]), line[1]) for line in own)
    taken = {id(text) for text in texts.values()}
    return [
        Segment.of([*item.words, *texts[id(item)].words]) if isinstance(item, Segment) and id(item) in texts else item
        for item in items
        if id(item) not in taken
    ]


def begins_item(line: Segment) -> bool:
    """Whether a line begins with a mark that is surely one: a bullet, or a number before a wide space."""
    if len(line.words) < 2:
        return False
    mark, text = line.words[:2]
    kind = kind_of(mark.text)
    return kind is _CERTAIN or (kind is not None and text.left - mark.right > GAP_IN_LINE * line.size)


def kind_of(word: str) -> re.Pattern[str] | None:
    """What kind of mark a word is; None if it is none."""
    if len(word) > LONGEST_MARK or (len(word) > 1 and word[-1].isalpha()):
        return None
    return next((kind for kind in _KINDS if kind.fullmatch(word)), None)


def _lines(segments: Iterable[Segment]) -> list[list[Segment]]:
    lines: list[list[Segment]] = []
    for segment in sorted(segments, key=attrgetter("baseline")):
        if lines and segment.baseline - lines[-1][0].baseline <= SAME_LINE * segment.size:
            lines[-1].append(segment)
        else:
            lines.append([segment])
    for line in lines:
        line.sort(key=attrgetter("left"))
    return lines


def _lists_beside(marks: Mapping[int, object], lines: Iterable[list[Segment]]) -> Iterator[list[Segment]]:
    """The parts of lines that begin with a mark and go on with text. Lists may stand beside each other."""
    for line in lines:
        first = marks.get(id(line[0]))
        starts = [index for index, piece in enumerate(line) if first is not None and marks.get(id(piece)) is first]
        for start, end in pairwise([*starts, len(line)]):
            if end - start > 1 and line[start + 1].left - line[start].right <= TAB * line[start + 1].size:
                yield line[start:end]


def _are_few_cells(lines: Sequence[Sequence[Segment]]) -> bool:
    """Whether the text beside the marks is all that their lines have. A table may number its rows."""
    return sum(len(line) > 2 for line in lines) <= FEW * len(lines)


def counts_on(before: str, after: str) -> bool:
    """Whether one mark is the number after the other, written alike: `[9]` and `[10]`, `2.1` and `2.2`."""
    one, other = (_LAST_NUMBER.search(mark) for mark in (before, after))
    return (
        one is not None
        and other is not None
        and int(other[0]) == int(one[0]) + 1
        and (before[: one.start()], before[one.end() :]) == (after[: other.start()], after[other.end() :])
    )


def _count_on(lines: Sequence[Sequence[Segment]]) -> bool:
    return (
        len(lines) >= BARE_NUMBERS
        and all(counts_on(before[0].text, after[0].text) for before, after in pairwise(lines))
        and sum(len(line[1].text) for line in lines) >= BARE_TEXT * len(lines)
    )


class Levels:
    """How far Markdown indents each item of nested lists."""

    def __init__(self) -> None:
        self._open: list[tuple[float, int, int]] = []  # where an item begins, its indent, and that of what is in it

    def indent(self, left: float, size: float, marker: int) -> str:
        """Of an item that begins at `left`. `marker` is the length of its mark in Markdown, which holds other items;
        0 if it is text to Markdown."""
        while self._open and left < self._open[-1][0] - LEVEL * size:
            self._open.pop()
        indent = 0
        if self._open:
            above, indent, inside = self._open[-1]
            if left > above + LEVEL * size:
                indent = inside
            else:
                self._open.pop()
        self._open.append((left, indent, indent + marker))
        return " " * indent

    def end(self) -> None:
        self._open.clear()
