"""Words to segments: the pieces of lines that belong together, which columns and cells are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ragbase.formats.pdf.hyphens import CHINESE_OR_JAPANESE
from ragbase.formats.pdf.right_to_left import BRACKETS, is_right_to_left, read_line
from ragbase.formats.pdf.words import ASCENT, DESCENT, Word
from ragbase.formats.pdf.written import Written, written

if TYPE_CHECKING:
    from ragbase.formats.pdf.written import PlacedWord

# In parts of the font size:
SAME_LINE = 0.35
"""How far baselines of one line may be apart."""
SPACE = 0.13
"""The least gap that is read as a space, where the file has none."""
GAP_IN_TEXT = 1.6
"""The widest space between words that one command draws."""
GAP_AFTER_SPACE = 1.0
"""The widest space between words that the file draws one after the other, with a space between them."""
GAP_IN_LINE = 0.7
"""The widest space between other words of one line."""


@dataclass(slots=True)
class Segment:
    """Words that stand next to each other on one line, from left to right."""

    words: list[Word]
    left: float
    right: float
    top: float
    bottom: float
    baseline: float
    size: float
    """Of its largest words."""
    _text: Written | None = None

    @classmethod
    def of(cls, words: list[Word]) -> Segment:
        main = words[0]
        for word in words:
            if word.style is not main.style and word.style.size > main.style.size:
                main = word
        return cls(
            words,
            min([word.left for word in words]),
            max([word.right for word in words]),
            min([word.baseline - ASCENT * word.style.size for word in words]),
            max([word.baseline + DESCENT * word.style.size for word in words]),
            main.baseline,
            main.style.size,
        )

    @property
    def text(self) -> Written:
        if self._text is None:
            self._text = self._read()
        return self._text

    def _read(self) -> Written:
        texts = [word.text for word in self.words]
        if not "".join(texts).isascii() and is_right_to_left(texts):
            touching = [_touches(before, word) for before, word in pairwise(self.words)]
            text, places = read_line(texts, touching)
            return written(text, [(start, end, self.words[index]) for index, start, end in places])
        parts: list[str] = []
        words: list[PlacedWord] = []
        place = 0
        before: Word | None = None
        for word in self.words:
            if before is not None and not _joined(before, word):
                parts.append(" ")
                place += 1
            parts.append(word.text)
            end = place + len(word.text)
            words.append((place, end, word))
            place, before = end, word
        return written("".join(parts), words)

    @property
    def bold(self) -> bool:
        letters = bold = 0
        for word in self.words:
            letters += len(word.text)
            bold += len(word.text) * word.style.bold
        return bold > 0.8 * letters

    @property
    def italic(self) -> bool:
        return all(word.style.italic for word in self.words)

    @property
    def monospaced(self) -> bool:
        return all(word.style.monospaced for word in self.words)


def _joined(before: Word, word: Word) -> bool:
    is_cjk = (
        not word.text.isascii() and CHINESE_OR_JAPANESE.match(word.text) and CHINESE_OR_JAPANESE.match(before.text[-1:])
    )
    if before.line == word.line and not word.joined and not is_cjk:
        return False  # the file has a space, or PDFium sees one
    gap = word.left - before.right
    return gap < (0.5 if is_cjk else SPACE) * max(before.style.size, word.style.size)


def _touches(before: Word, word: Word) -> bool:
    """Whether no space is between two words of a line from right to left, in whose order PDFium has brackets wrong."""
    if before.text.strip(BRACKETS) and word.text.strip(BRACKETS):
        return _joined(before, word)
    return word.left - before.right < SPACE * max(before.style.size, word.style.size)


def segments_of(words: Iterable[Word], walls: Sequence[tuple[float, float, float]] = ()) -> list[Segment]:
    """`walls` are vertical rules (x, top, bottom): no segment goes through one."""
    pieces = _pieces_as_drawn(words)
    pieces.sort(key=lambda piece: piece.baseline)
    segments: list[Segment] = []
    row: list[Segment] = []
    for piece in pieces:
        if row and piece.baseline - row[0].baseline > SAME_LINE * max(piece.size, row[0].size):
            segments += _merged(row)
            row = []
        row.append(piece)
    segments += _merged(row)
    return _cut_at(walls, segments) if walls else segments


def _pieces_as_drawn(words: Iterable[Word]) -> list[Segment]:
    pieces: list[list[Word]] = []
    last: Word | None = None
    for word in words:
        if last is not None and _follows(last, word):
            pieces[-1].append(word)
        else:
            pieces.append([word])
        last = word
    for piece in pieces:
        piece.sort(key=lambda word: word.left)
    return [Segment.of(piece) for piece in pieces]


def _follows(last: Word, word: Word) -> bool:
    if last.line != word.line:
        return False
    size = last.style.size if last.style is word.style else max(last.style.size, word.style.size)
    if abs(last.baseline - word.baseline) > 0.5 * size:
        return False
    gap = word.left - last.right if word.left >= last.left else last.left - word.right  # from right to left
    widest = GAP_IN_TEXT if last.drawn == word.drawn else GAP_AFTER_SPACE if word.spaced else GAP_IN_LINE
    return -0.5 * size < gap <= widest * size


def _merged(row: list[Segment]) -> list[Segment]:
    """Pieces of one line that touch each other, made one."""
    if len(row) < 2:
        return row
    row.sort(key=lambda piece: piece.left)
    merged = [row[0]]
    for piece in row[1:]:
        before = merged[-1]
        size = max(before.size, piece.size)
        if -0.5 * size < piece.left - before.right <= GAP_IN_LINE * size:
            merged[-1] = Segment.of([*before.words, *piece.words])
        else:
            merged.append(piece)
    return merged


def _cut_at(walls: Sequence[tuple[float, float, float]], segments: list[Segment]) -> list[Segment]:
    cut: list[Segment] = []
    for segment in segments:
        crossed = sorted(
            x for x, top, bottom in walls if segment.left < x < segment.right and top <= segment.baseline - 1 <= bottom
        )
        if not crossed:
            cut.append(segment)
            continue
        groups: dict[int, list[Word]] = {}
        for word in segment.words:
            middle = (word.left + word.right) / 2
            groups.setdefault(sum(x < middle for x in crossed), []).append(word)
        cut += [Segment.of(groups[key]) for key in sorted(groups)]
    return cut
