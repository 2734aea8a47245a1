"""The words of a page by the direction in which they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from operator import attrgetter

from ragbase.formats.pdf.styles import Style
from ragbase.formats.pdf.words import Word


@dataclass(frozen=True, slots=True)
class Directions:
    """Those in the direction that most letters of the page have, those of each other one, and those on a slant."""

    main: list[Word]
    turned: list[list[Word]]
    slanted: list[Word]


def styles_of(words: Sequence[Word]) -> Collection[Style]:
    """The few styles of many words."""
    styles: list[Style] = list(map(attrgetter("style"), words))
    return dict(zip(map(id, styles), styles, strict=True)).values()


def by_direction(words: list[Word]) -> Directions:
    if len({(style.turn, style.slanted) for style in styles_of(words)}) < 2:
        return Directions([], [], words) if words and words[0].style.slanted else Directions(words, [], [])
    slanted = [word for word in words if word.style.slanted]
    straight = [word for word in words if not word.style.slanted] if slanted else words
    letters: Counter[int] = Counter()
    for word in straight:
        letters[word.style.turn] += len(word.text)
    main, *others = (turn for turn, _ in letters.most_common())
    return Directions(
        [word for word in straight if word.style.turn == main],
        [[word for word in straight if word.style.turn == turn] for turn in others],
        slanted,
    )
