"""What the pages of a PDF have in common: the size of its text, its outline, its running headers and footers.

A few pages from all over the document tell it, so that each page is read alike, whichever others are read with it.
"""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.hyphens import words_in
from ragbase.formats.pdf.segments import Segment

SAMPLED_PAGES = 16
HEADING_SIZES = 4
RUNNING_ON = 0.15
"""A line at the edge of so many of the sampled pages is a running header or footer; at least on three."""
EDGE = 0.09
"""The part of a page's height at its top and bottom that running lines stand in."""
HEADING_RATIO = 1.12
"""A heading's size, at least, compared with the text's."""
MAX_BOOKMARKS = 20_000
MAX_LEVEL = 6

_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_LETTERS = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class DocumentFacts:
    body_size: float
    body_bold: bool
    body_italic: bool
    heading_sizes: tuple[float, ...]
    """The usual ones, from the smallest to the largest."""
    outline: dict[str, int]
    """The level of each title in the document's bookmarks, by its letters."""
    running: frozenset[str]
    """Lines that stand at the edge of many pages, as `running_key` gives them."""
    words: frozenset[str]

    def level(self, size: float) -> int:
        """1 for the largest headings."""
        return len(self.heading_sizes) - bisect_left(self.heading_sizes, size + 0.3) + 1


def sampled(page_count: int) -> list[int]:
    """Indexes of pages, evenly from all over the document."""
    if page_count <= SAMPLED_PAGES:
        return list(range(page_count))
    return [(2 * index + 1) * page_count // (2 * SAMPLED_PAGES) for index in range(SAMPLED_PAGES)]


def facts_of(pages: Sequence[tuple[Sequence[Segment], float, float]], document: object) -> DocumentFacts:
    """Each page is its segments, and the y of its top and of its bottom."""
    letters: Counter[tuple[float, bool, bool]] = Counter()
    edges: Counter[str] = Counter()
    words: set[str] = set()
    for segments, top, bottom in pages:
        keys = set()
        for segment in segments:
            for word in segment.words:
                letters[word.style.size, word.style.bold, word.style.italic] += len(word.text)
            text = segment.text
            words |= words_in(text)
            if is_at_edge(segment, top, bottom):
                keys.add(running_key(segment, text))
        edges.update(keys)
    (size, bold, italic), _ = max(
        letters.items(), key=lambda pair: (pair[1], pair[0]), default=((10.0, False, False), 0)
    )
    larger: Counter[float] = Counter()
    for (of_letter, _, _), count in letters.items():
        if of_letter >= HEADING_RATIO * size:
            larger[of_letter] += count
    usual = sorted(of_letter for of_letter, _ in larger.most_common(HEADING_SIZES))
    often = max(3.0, RUNNING_ON * len(pages))
    running = frozenset(key for key, count in edges.items() if count >= often)
    return DocumentFacts(size, bold, italic, tuple(usual), _outline(document), running, frozenset(words))


def is_at_edge(segment: Segment, top: float, bottom: float) -> bool:
    height = EDGE * (bottom - top)
    return segment.bottom < top + height or segment.top > bottom - height


def running_key(segment: Segment, text: str) -> str:
    """The same for a line that is on many pages at the same height, whatever the page's number."""
    return f"{round(segment.baseline / 4)} {_DIGITS.sub('#', text)}"


def title_key(text: str) -> str:
    return "".join(_LETTERS.findall(text.lower()))


def _outline(document: object) -> dict[str, int]:
    levels: dict[str, int] = {}
    for title, level in _bookmarks(document):
        key = title_key(title)
        if key and key not in levels:
            levels[key] = min(level, MAX_LEVEL)
    return levels


def _bookmarks(document: object) -> Iterable[tuple[str, int]]:
    """A damaged outline may go in a circle: it ends at MAX_BOOKMARKS."""
    open_: list[tuple[object, int]] = [(pdfium.FPDFBookmark_GetFirstChild(document, None), 1)]
    buffer = ctypes.create_string_buffer(1024)
    for _ in range(MAX_BOOKMARKS):
        if not open_:
            return
        bookmark, level = open_.pop()
        if not bookmark:
            continue
        size = pdfium.FPDFBookmark_GetTitle(bookmark, buffer, len(buffer))
        if 2 < size <= len(buffer):
            yield buffer.raw[: size - 2].decode("utf-16-le", "replace"), level
        open_.append((pdfium.FPDFBookmark_GetNextSibling(document, bookmark), level))
        open_.append((pdfium.FPDFBookmark_GetFirstChild(document, bookmark), level + 1))
