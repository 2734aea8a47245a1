"""What the pages of a PDF have in common: the size of its text, its outline, its running headers and footers.

A few pages from all over the document tell it, so that each page is read alike, whichever others are read with it.
"""

from __future__ import annotations

import ctypes
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pypdfium2.raw as pdfium  # type: ignore[import-untyped]  # it ships no types

from ragbase.formats.pdf.directions import by_direction
from ragbase.formats.pdf.hyphens import words_in
from ragbase.formats.pdf.page_box import Box
from ragbase.formats.pdf.running_lines import EdgeLine, RunningLines, edge_lines, find_running_lines
from ragbase.formats.pdf.segments import segments_of
from ragbase.formats.pdf.watermarks import Watermarks, find_watermarks
from ragbase.formats.pdf.words import Word

SAMPLED_PAGES = 16
HEADING_SIZES = 4
HEADING_RATIO = 1.12
"""A heading's size, at least, compared with the text's."""
MAX_BOOKMARKS = 20_000
MAX_LEVEL = 6

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
    running: RunningLines
    watermarks: Watermarks
    words: frozenset[str]
    has_headings: bool = True
    """Whether large and bold lines are headings: those of turned text are not."""

    def level(self, size: float) -> int:
        """1 for the largest headings."""
        return len(self.heading_sizes) - bisect_left(self.heading_sizes, size + 0.3) + 1


def sampled(page_count: int) -> list[int]:
    """Indexes of pages, evenly from all over the document, and as many odd as even ones: their edges may differ."""
    if page_count <= SAMPLED_PAGES:
        return list(range(page_count))
    indexes = [(2 * index + 1) * page_count // (2 * SAMPLED_PAGES) for index in range(SAMPLED_PAGES)]
    if page_count < 4 * SAMPLED_PAGES:
        return indexes
    return [index - (index - number) % 2 for number, index in enumerate(indexes)]


def facts_of(pages: Mapping[int, tuple[list[Word], Box]], document: object) -> DocumentFacts:
    """From the words that can be seen on some pages of a document, by the pages' indexes. The first page is always one
    of them. It tells nothing but what is repeated, if the document is long: it may be a cover."""
    usual = set(sampled(pdfium.FPDF_GetPageCount(document)))
    main = {index: by_direction(words).main for index, (words, _) in pages.items()}
    letters: Counter[tuple[float, bool, bool]] = Counter()
    for index, words in main.items():
        for word in words if index in usual else ():
            letters[word.style.size, word.style.bold, word.style.italic] += len(word.text)
    (size, bold, italic), _ = max(
        letters.items(), key=lambda pair: (pair[1], pair[0]), default=((10.0, False, False), 0)
    )
    larger: Counter[float] = Counter()
    for (of_letter, _, _), count in letters.items():
        if of_letter >= HEADING_RATIO * size:
            larger[of_letter] += count
    sizes = sorted(of_letter for of_letter, _ in larger.most_common(HEADING_SIZES))
    watermarks = find_watermarks(pages, size)
    edges: dict[int, list[EdgeLine]] = {}
    known: set[str] = set()
    for index, (_, box) in pages.items():
        segments = segments_of(watermarks.split(main[index], box)[1])
        if index in usual:
            for segment in segments:
                known |= words_in(segment.text)
        edges[index] = edge_lines(segments, box)
    outline = _outline(document)

    def is_heading(line: EdgeLine) -> bool:
        larger_ = min(segment.size for segment in line.segments) >= HEADING_RATIO * size
        return larger_ or (not bold and all(one.bold for one in line.segments)) or title_key(line.text()) in outline

    running = find_running_lines(edges, is_heading)
    return DocumentFacts(size, bold, italic, tuple(sizes), outline, running, watermarks, frozenset(known))


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
