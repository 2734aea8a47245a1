"""Drop caps: the large first letter of a paragraph, which hangs over the beginnings of its first lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragbase.formats.pdf.words import ASCENT, Word

LARGER = 1.8
"""A drop cap's size, at least, compared with the text's."""
BESIDE = 1.0
"""How far from it the lines begin, at most, in parts of the text's size."""
LINES = 2
"""How many lines begin beside it, at least."""
ON_LINE = 0.35
"""How far its foot may be from that of the last of these lines, in parts of the text's size."""
SPACE = 0.12
"""The first line begins so much further in, in parts of the text's size, if the letter is a word of its own."""
MOST = 50
"""More large letters than this on a page are no drop caps."""


def with_drop_caps(words: Sequence[Word]) -> Sequence[Word]:
    """The words, with each drop cap at the beginning of the line that it belongs to, in the style of this line."""
    caps = [word for word in words if len(word.text) == 1 and word.text.isupper()]
    if not caps or len(caps) > MOST:
        return words
    moved: dict[int, Word] = {}  # by the `id` of the word that they are put before
    gone: set[int] = set()
    for cap in caps:
        beginnings = _beside(cap, words)
        if len(beginnings) < LINES:
            continue
        first, second = beginnings[0], beginnings[1]
        size = first.style.size
        if abs(beginnings[-1].baseline - cap.baseline) > ON_LINE * size:
            continue
        place = (cap.left, -cap.baseline, cap.right, -cap.baseline + ASCENT * cap.style.size)
        moved[id(first)] = replace(
            first, text=cap.text, right=first.left, joined=False, letters=(), drawn_at=cap.drawn_at or place
        )
        gone.add(id(cap))
        if first.left - second.left < SPACE * size:
            first.joined = True
    return _moved(words, moved, gone) if moved else words


def _beside(cap: Word, words: Sequence[Word]) -> list[Word]:
    """The first words of the lines beside it, from top to bottom."""
    top = cap.baseline - cap.style.size
    found = [
        word
        for word in words
        if top <= word.baseline <= cap.baseline + ON_LINE * word.style.size
        and cap.style.size >= LARGER * word.style.size
        and abs(word.left - cap.right) <= BESIDE * word.style.size
    ]
    lines: list[Word] = []
    for word in sorted(found, key=lambda word: (word.baseline, word.left)):
        if not lines or word.baseline - lines[-1].baseline > ON_LINE * word.style.size:
            lines.append(word)
    return lines


def _moved(words: Sequence[Word], moved: dict[int, Word], gone: set[int]) -> list[Word]:
    placed: list[Word] = []
    for word in words:
        if id(word) in moved:
            placed.append(moved[id(word)])
        if id(word) not in gone:
            placed.append(word)
    return placed
