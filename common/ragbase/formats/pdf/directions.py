"""The words of a page by the direction in which they are written."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from operator import attrgetter

from ragbase.formats.pdf.words import Word


@dataclass(frozen=True, slots=True)
class Directions:
    """Those in the direction that most letters of the page have, those of each other one, and those on a slant."""

    main: list[Word]
    turned: list[list[Word]]
    slanted: list[Word]


def by_direction(words: list[Word]) -> Directions:
    styles = {id(style): style for style in map(attrgetter("style"), words)}.values()  # few, of many words
    if len({(style.turn, style.slanted) for style in styles}) < 2:
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
