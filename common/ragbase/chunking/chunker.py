"""Cuts an extraction into passages."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise

from ragbase.chunking.boundaries import best_cut, overlap_start, piece_cut
from ragbase.chunking.measured_text import MeasuredText
from ragbase.chunking.no_text import BEGINS_NO_TEXT, says_nothing
from ragbase.chunking.outline import Block, Kind, Outline, outline_of_lines
from ragbase.chunking.read_outline import read_outline
from ragbase.chunking.tokens import TOKENS
from ragbase.chunking.unit import CHARACTERS, Unit
from ragbase.domain.chunk import Passage
from ragbase.domain.chunk_size import ChunkSize, ChunkUnit
from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError
from ragbase.domain.extraction import Extraction
from ragbase.domain.limits import MAX_CHUNKS

VERSION = "markdown-v3"
"""Raise it with every change after which any text is cut differently."""

NOT_BLANK = re.compile(r"\S")
MAX_TABLE_HEADER = 300
"""Characters. A table's header row is embedded with every passage of its rows."""

_HEADER_READ = 20 * MAX_TABLE_HEADER
"""Characters of a header row in which the header is looked for, with its padding: a row may be as long as a file, and
each passage below it asks for it."""

_UNITS: dict[ChunkUnit, Unit] = {ChunkUnit.CHARACTERS: CHARACTERS, ChunkUnit.TOKENS: TOKENS}


@dataclass(frozen=True, slots=True)
class MarkdownChunker:
    """Cuts Markdown into passages of at most `size` units. Each repeats up to `overlap` of the passage before it. The
    padding of tables is not counted (domain/padding.py).

    1. A passage never goes on into the next section of the level in which it begins, or of a level above that. It may
       hold smaller sections inside its own.
    2. No passage begins or ends inside a block (a fence, a table or a list item) that fits into one passage. A larger
       fence or table is cut between its lines. No passage begins with an overlap inside of one.
    3. A passage begins at a heading if one is near. Otherwise it begins at a block that would be cut, or at a
       paragraph, an item, a sentence, a line or a word, in this order.
    4. No passage goes over the end of a page, so that all of it is on one page, nor over the end of an entry.
    5. No passage has nothing new but definitions of links, closing tags and rules (no_text.py), unless no passage has
       anything else.

    Every character that is not blank is in a passage, but for those that rule 5 leaves out. The same text is always cut
    in the same way.
    """

    size: int = 1000
    overlap: int = 200
    unit: Unit = CHARACTERS

    def __post_init__(self) -> None:
        if self.size < 1 or not 0 <= self.overlap <= self.size // 2:
            raise ConfigurationError(
                f"Chunks of {self.size} {self.unit.name} with an overlap of {self.overlap} cannot be made: the size "
                "must be at least 1, and the overlap between 0 and half the size."
            )

    @property
    def fingerprint(self) -> str:
        return f"{VERSION}-{self.size}/{self.overlap}{self.unit.mark}"

    def sized(self, size: ChunkSize | None) -> MarkdownChunker:
        return self if size is None else MarkdownChunker(size.size, size.overlap, _UNITS[size.unit])

    def split(self, extraction: Extraction) -> list[Passage]:
        """The passages in order of their starts, which strictly increase. A blank text has none.

        Raises PermanentError (FILE_TOO_LARGE) for more than `MAX_CHUNKS`.
        """
        measured = MeasuredText.of(extraction.markdown)
        at = measured.measured_position
        if extraction.sections is None:
            outline = read_outline(measured.text, extraction.metadata.title, at(extraction.plain_until))
        else:
            sections = [replace(section, start=at(section.start)) for section in extraction.sections]
            outline = outline_of_lines(measured.text, sections)
        are_lines = extraction.sections is not None
        silent: list[Passage] = []
        cutter = _Cutter(self, extraction.markdown, measured, measured.text, outline, None if are_lines else silent)
        if extraction.pages:
            found = (
                passage
                for page in extraction.pages
                for passage in cutter.passages(at(page.start), at(page.end), page=page.number)
            )
        else:
            bounds = (0, *extraction.entries, len(extraction.markdown))
            found = (
                passage
                for begin, limit in pairwise(bounds)
                for passage in cutter.passages(at(begin), at(limit), row=extraction.row_at(begin))
            )
        passages = list(islice(found, MAX_CHUNKS + 1)) or silent[: MAX_CHUNKS + 1]
        if len(passages) > MAX_CHUNKS:
            raise PermanentError(
                ErrorCode.FILE_TOO_LARGE,
                f"The text has more than {MAX_CHUNKS} chunks, the most of one document. Split the file into smaller "
                "ones, or make its rows, sections or chunks larger.",
            )
        return passages


@dataclass(frozen=True, slots=True)
class _Cutter:
    """Cuts one text. All positions are those of the measured text. Passages that say nothing new go to `silent`. It is
    None for a text of lines, in which every line says something."""

    chunker: MarkdownChunker
    whole: str
    measured: MeasuredText
    text: str
    outline: Outline
    silent: list[Passage] | None

    def passages(
        self, begin: int, page_end: int, *, page: int | None = None, row: int | None = None
    ) -> Iterator[Passage]:
        text = self.text
        start = fresh = _skip_blank(text, begin)  # where the new text of the passage begins; `start` may be earlier
        while fresh < page_end:
            section_end = self.outline.section_end(fresh)
            limit = page_end if section_end is None else min(page_end, section_end)
            end = self._end(start, fresh, limit)
            path = self.outline.path_of(start, end, text)
            first, last = self.measured.whole_span(start, end) if self.measured.is_shorter else (start, end)
            passage = Passage(self.whole[first:last], first, last, path, page, row, self._table_header(start))
            if self.silent is not None and text[fresh] in BEGINS_NO_TEXT and says_nothing(text, fresh, end):
                if len(self.silent) <= MAX_CHUNKS:
                    self.silent.append(passage)
            else:
                yield passage
            previous, fresh = fresh, _skip_blank(text, end)
            if fresh < page_end:
                start = self._start(previous + 1, fresh)

    def _end(self, start: int, fresh: int, limit: int) -> int:
        """Where a passage that begins at `start` ends, without the blanks after it: at `limit` or earlier."""
        high = self._reach(start)
        while True:
            high = max(high, fresh + 1)
            cut = limit if high >= limit else self._cut(start, fresh, high)
            end = start + len(self.text[start:cut].rstrip())
            if end == fresh + 1 or self._fits(start, end):
                return end
            high = end - 1  # a piece of a word may have more tokens than the word

    def _cut(self, start: int, fresh: int, high: int) -> int:
        """The best end, after `fresh` and up to `high`, of a passage that begins at `start`."""
        early = max(start + (high - start) // 4, fresh + 1)
        headings = self.outline.headings_between(early, high)
        if headings:
            outermost = min(heading.level for heading in headings)
            return next(heading.start for heading in reversed(headings) if heading.level == outermost)
        whole = self._whole_block(high)
        if whole is not None and whole.start > fresh:
            return whole.start
        large = next((block for block in self.outline.blocks_around(high) if block.kind is not Kind.ITEM), None)
        if large is None:
            half = max(start + (high - start) // 2, fresh + 1)
            return best_cut(self.text, half, high, lambda cut: self._block_to_leave(cut) is None)
        if large.start >= early:
            return large.start
        line = self.text.rfind("\n", max(fresh, large.start, large.head_end + 1), high) + 1
        if line:
            return line
        return large.start if large.start > fresh else piece_cut(self.text, fresh + 1, high)

    def _start(self, low: int, fresh: int) -> int:
        """Where a passage begins whose new text begins at `fresh`: at `low` or later."""
        overlap, text, unit = self.chunker.overlap, self.text, self.chunker.unit
        if overlap == 0 or fresh == len(text) or self._block_to_leave(fresh) is not None:
            return fresh
        low = max(low, unit.reach_back(text, fresh, overlap))
        heading = self.outline.heading_at(fresh)
        if heading is not None:
            low = max(low, heading.end)
        if low >= fresh:
            return fresh
        start = overlap_start(text, low, fresh)
        left = self._block_to_leave(start)
        if left is not None:
            start = min(_skip_blank(text, left.end), fresh)
        high = self._reach(start)
        whole = self._whole_block(high)
        pushed_out = whole is not None and whole.start < fresh + (high - start) // 4 and self._fits(fresh, whole.end)
        return fresh if pushed_out or not unit.fits(text, start, fresh, overlap) else start

    def _reach(self, start: int) -> int:
        """How far a passage from `start` may go. A block may have fewer tokens where it ends than a bit before."""
        high = self.chunker.unit.reach(self.text, start, self.chunker.size)
        for block in self.outline.blocks_around(high):
            if not self._fits(start, block.end):
                break
            high = block.end
        return high

    def _fits(self, start: int, end: int) -> bool:
        return self.chunker.unit.fits(self.text, start, end, self.chunker.size)

    def _whole_block(self, position: int) -> Block | None:
        """The outermost of the blocks around `position` that fit into one passage."""
        return self._outermost_that_fits(self.outline.blocks_around(position))

    def _block_to_leave(self, position: int) -> Block | None:
        """The outermost block around `position` that allows no cut there: one that fits, a fence or a table."""
        around = self.outline.blocks_around(position)
        if not around:
            return None
        whole = self._outermost_that_fits(around)
        return whole or next((block for block in around if block.kind is not Kind.ITEM), None)

    def _outermost_that_fits(self, around: Sequence[Block]) -> Block | None:
        found = None
        for block in around:
            if not self._fits(block.start, block.end):
                break
            found = block
        return found

    def _table_header(self, start: int) -> str:
        """The header row of the table that goes on at `start`, in one line and without its padding; else empty."""
        for block in self.outline.blocks_around(start):
            if block.kind is Kind.TABLE:
                most = block.start + _HEADER_READ
                end = self.text.find("\n", block.start, most)
                row = self.text[block.start : end if end >= 0 else most]
                return " ".join(row.split())[:MAX_TABLE_HEADER]
        return ""


def _skip_blank(text: str, position: int) -> int:
    found = NOT_BLANK.search(text, position)
    return found.start() if found else len(text)
