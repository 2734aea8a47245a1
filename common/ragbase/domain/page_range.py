"""Ranges of pages, and how a long document is cut into them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from math import ceil

PART_WEIGHT = 6_000
"""What the pages of a part weigh at most, in pages of text: about a minute of work."""

PART_PAGES = 100
"""How many pages a part has at most, however quickly they are read: so its answer and its text stay small."""

MOST_PARTS = 200
"""How many parts a document has at most: its record, which holds their state, stays far below 1 MiB, the most that
Firestore takes. The parts of a document that needs more of them are larger."""


@dataclass(frozen=True, slots=True)
class PageRange:
    """The pages from `first` to `last`, both included. Pages are counted from 1."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.first}-{self.last}"


def cut_pages(weights: Sequence[float]) -> tuple[PageRange, ...]:
    """The parts that a document is read in, about equally long; none if it is short enough to be read at once.

    `weights` says how long each page takes to read, in pages of text.
    """
    done = list(accumulate((max(weight / PART_WEIGHT, 1 / PART_PAGES) for weight in weights), initial=0.0))
    count = min(ceil(round(done[-1], 6)), MOST_PARTS, len(weights))
    if count <= 1:
        return ()
    ends = [0]
    for part in range(1, count):
        end = bisect_left(done, done[-1] * part / count - 1e-9)
        ends.append(min(max(end, ends[-1] + 1), len(weights) - (count - part)))
    return tuple(PageRange(before + 1, end) for before, end in pairwise([*ends, len(weights)]))
