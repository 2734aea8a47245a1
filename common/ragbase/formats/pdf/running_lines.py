"""Running headers and footers: lines at the edge of many pages. Only their page numbers differ.

A line is one of them only if nothing is lost with it: it is equal on these pages, or a number in it goes as the pages
do. Lines of one place that differ in anything else are fields of a form, an invoice or a payslip, however alike.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from ragbase.formats.pdf.page_box import Box
from ragbase.formats.pdf.page_numbers import (
    ARABIC,
    PageNumber,
    counts_pages,
    is_page_label,
    number_alone,
    number_at_end,
)
from ragbase.formats.pdf.segments import SAME_LINE, Segment

LEAST_PAGES = 3
RUNNING_ON = 0.15
"""A running line stands on so many of the sampled pages, at least on LEAST_PAGES."""
COVERED = 2 / 3
"""The least share of the pages with a line at its place, or of those with an odd or an even number, that have it."""
EDGE = 0.09
"""The part of a page's height at its top and bottom that running lines stand in."""
PLACE = 4.0
"""Points. Lines at one height differ by less."""
LEAST_EACH_SIDE = 2
"""Page numbers on either side that make a book."""
APART = 1.7
"""Times the size of a line: the least distance of a running line with a number in it from the page's text. A heading
with a number stands nearer to what it is about."""

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class EdgeLine:
    """A line at the top or the bottom of a page, and whether it stands apart from what is next to it."""

    segments: list[Segment]
    place: int
    is_apart: bool
    middle: float
    """Where the page's middle is, from the left."""

    def text(self, without: Sequence[Segment] = ()) -> str:
        kept = [segment.text for segment in self.segments if not any(segment is one for one in without)]
        return " ".join(" ".join(kept).split())

    @property
    def ends(self) -> list[Segment]:
        """Its parts at the left and at the right."""
        return [self.segments[0], self.segments[-1]] if len(self.segments) > 1 else self.segments

    def numbers(self) -> Iterator[tuple[Segment, PageNumber]]:
        """The numbers that stand alone at its ends."""
        for segment in self.ends:
            if (number := number_alone(segment.text)) is not None:
                yield segment, number

    def is_on_right(self, segment: Segment) -> bool:
        return (segment.left + segment.right) / 2 > self.middle


def edge_lines(segments: Sequence[Segment], box: Box) -> list[EdgeLine]:
    """The lines at the edge of a page, from its top to its bottom."""
    top, bottom, middle = -box.top, -box.bottom, box.middle[0]
    height = EDGE * (bottom - top)
    at_edge = [one for one in segments if one.bottom < top + height or one.top > bottom - height]
    if not at_edge:
        return []
    lines: list[list[Segment]] = []
    for segment in sorted(at_edge, key=lambda one: one.baseline):
        if lines and segment.baseline - lines[-1][0].baseline <= SAME_LINE * max(segment.size, lines[-1][0].size):
            lines[-1].append(segment)
        else:
            lines.append([segment])
    baselines = sorted(segment.baseline for segment in segments)
    return [_edge_line(line, baselines, middle, is_top=line[0].bottom < top + height) for line in lines]


def _edge_line(line: list[Segment], baselines: Sequence[float], middle: float, *, is_top: bool) -> EdgeLine:
    line.sort(key=lambda one: one.left)
    first, last = min(one.baseline for one in line), max(one.baseline for one in line)
    if is_top:
        index = bisect_right(baselines, last)
        gap = baselines[index] - last if index < len(baselines) else float("inf")
    else:
        index = bisect_left(baselines, first)
        gap = first - baselines[index - 1] if index else float("inf")
    return EdgeLine(line, round(line[0].baseline / PLACE), gap > APART * max(one.size for one in line), middle)


@dataclass(frozen=True, slots=True)
class RunningLines:
    """What is known of a document's running lines: of each place, by its height on the page."""

    numbers: Mapping[tuple[int, str], frozenset[int]] = field(default_factory=dict)
    """The distances of page numbers that stand alone from the pages' own, by place and kind of number."""
    numbered: Mapping[tuple[int, _Form], frozenset[int]] = field(default_factory=dict)
    """The same of those with a text before or after them."""
    two_sided: frozenset[int] = frozenset()
    """Places where odd page numbers are on the right and even ones on the left, as in a book: any number is one there,
    since its pages may come from all over it."""
    labels: frozenset[tuple[int, str]] = frozenset()
    """What stands at the ends of lines and says no more than "page 3 of 12", without its numbers."""
    equal: Mapping[tuple[int, str], int] = field(default_factory=dict)
    """Lines that are equal on all their pages, with the first sampled one that has it: it stays there."""

    def on_page(self, index: int, lines: Sequence[EdgeLine]) -> list[Segment]:
        """The running parts of a page that has these lines at its edge."""
        found: list[Segment] = []
        for line in lines:
            numbers = [
                segment
                for segment, number in line.numbers()
                if number.value - index in self.numbers.get((line.place, number.kind), ())
                or (line.place in self.two_sided and line.is_on_right(segment) == bool(number.value % 2))
            ]
            numbers += [
                segment
                for segment in line.ends
                if (line.place, label_of(segment.text)) in self.labels and is_page_label(segment.text)
            ]
            rest = [segment for segment in line.segments if not any(segment is one for one in numbers)]
            found += numbers + (rest if rest and self._has(index, line.place, line.text(numbers)) else [])
        return found

    def _has(self, index: int, place: int, text: str) -> bool:
        first = self.equal.get((place, text))
        if first is not None:
            return first != index
        return any(
            number.value - index in self.numbered.get((place, _Form(number.kind, number.is_last, rest)), ())
            for number, rest in number_at_end(text)
        )


@dataclass(frozen=True, slots=True)
class _Form:
    """A line without the number in it: which kind of number it is, and whether it ends the line or begins it."""

    kind: str
    is_last: bool
    text: str


def label_of(text: str) -> str:
    return re.sub(r"\d+", "#", text)


def find_running_lines(pages: Mapping[int, Sequence[EdgeLine]], is_heading: Callable[[EdgeLine], bool]) -> RunningLines:
    """What the edges of some pages of a document, by the pages' indexes, show."""
    often = max(LEAST_PAGES, RUNNING_ON * len(pages))
    numbers, two_sided = _numbers_alone(pages, often), frozenset(_two_sided(pages))
    labels = frozenset(_labels(pages, often))
    alone = RunningLines(numbers, two_sided=two_sided, labels=labels)
    lines: dict[int, list[_Line]] = defaultdict(list)
    for index, page in pages.items():
        for line in page:
            text = line.text(alone.on_page(index, [line]))
            if text:
                lines[line.place].append(_Line(index, text, line.is_apart and not is_heading(line)))
    numbered: dict[tuple[int, _Form], frozenset[int]] = {}
    equal: dict[tuple[int, str], int] = {}
    for place, some in lines.items():
        numbered |= {(place, form): distances for form, distances in _numbered(some, often).items()}
        equal |= {(place, text): first for text, first in _equal(some, often, in_book=place in two_sided).items()}
    return RunningLines(numbers, numbered, two_sided, labels, equal)


@dataclass(frozen=True, slots=True)
class _Line:
    index: int
    text: str
    is_plain: bool
    """Whether it is no heading, and apart from the page's text."""


def _numbers_alone(pages: Mapping[int, Sequence[EdgeLine]], often: float) -> dict[tuple[int, str], frozenset[int]]:
    found: dict[tuple[int, str], _Distances] = defaultdict(_Distances)
    for index, lines in pages.items():
        for line in lines:
            for segment, number in line.numbers():
                rest = line.text([segment])
                distance = number.value - index
                is_last = segment is line.segments[-1]
                counts = not rest or counts_pages(rest, distance, is_last=is_last, is_apart=True)
                found[line.place, number.kind].add(distance, index, counts=counts)
    return {key: usual for key, distances in found.items() if (usual := distances.usual(often, COVERED))}


def _numbered(lines: Sequence[_Line], often: float) -> dict[_Form, frozenset[int]]:
    found: dict[_Form, _Distances] = defaultdict(_Distances)
    for line in lines:
        for number, rest in number_at_end(line.text):
            distance = number.value - line.index
            counts = line.is_plain and counts_pages(rest, distance, is_last=number.is_last, is_apart=False)
            found[_Form(number.kind, number.is_last, rest)].add(distance, line.index, counts=counts)
    return {form: usual for form, distances in found.items() if (usual := distances.usual(often, 1.0))}


class _Distances:
    """How far a number is from its page's index, and on which pages it may be the page's own."""

    def __init__(self) -> None:
        self._pages: set[int] = set()
        self._counting: dict[int, set[int]] = defaultdict(set)

    def add(self, distance: int, index: int, *, counts: bool) -> None:
        self._pages.add(index)
        if counts:
            self._counting[distance].add(index)

    def usual(self, often: float, least: float) -> frozenset[int]:
        """The distances of many pages, if they are those of so large a part of all."""
        usual = {distance: pages for distance, pages in self._counting.items() if len(pages) >= often}
        covered: set[int] = set().union(*usual.values())
        return frozenset(usual) if len(covered) >= least * len(self._pages) else frozenset()


def _labels(pages: Mapping[int, Sequence[EdgeLine]], often: float) -> Iterator[tuple[int, str]]:
    pages_of: dict[tuple[int, str], set[int]] = defaultdict(set)
    for index, lines in pages.items():
        for line in lines:
            for segment in line.ends:
                if is_page_label(segment.text):
                    pages_of[line.place, label_of(segment.text)].add(index)
    return (label for label, found in pages_of.items() if len(found) >= often)


def _two_sided(pages: Mapping[int, Sequence[EdgeLine]]) -> Iterator[int]:
    found: dict[int, list[tuple[int, bool]]] = defaultdict(list)
    for _, lines in sorted(pages.items()):
        for line in lines:
            for segment, number in line.numbers():
                if number.kind == ARABIC:
                    found[line.place].append((number.value, line.is_on_right(segment)))
    for place, numbers in found.items():
        rises = all(one < next_ for (one, _), (next_, _) in pairwise(numbers))
        sides = Counter(on_right for value, on_right in numbers if on_right == bool(value % 2))
        if rises and sides.total() == len(numbers) and min(sides[True], sides[False]) >= LEAST_EACH_SIDE:
            yield place


def _equal(lines: Sequence[_Line], often: float, *, in_book: bool) -> dict[str, int]:
    pages_of: dict[str, set[int]] = defaultdict(set)
    for line in lines:
        pages_of[line.text].add(line.index)
    return {
        text: min(found)
        for text, found in pages_of.items()
        if len(found) >= often and (in_book or _is_equal(text, pages_of))
    }


def _is_equal(text: str, pages_of: Mapping[str, set[int]]) -> bool:
    """Whether the lines at a place are this one, or a field that happens to be the same on some pages."""
    found = pages_of[text]
    sides = {index % 2 for index in found}
    others = {other: pages for other, pages in pages_of.items() if any(index % 2 in sides for index in pages)}
    here = {index for pages in others.values() for index in pages if index % 2 in sides}
    ends = _ends(text)
    is_field = any(other != text and any(map(str.__eq__, ends, _ends(other))) for other in others)
    return len(found) >= COVERED * len(here) and not is_field


def _ends(text: str) -> tuple[str, ...]:
    """The first and the last word: lines such as "Name: Ann" and "Name: Bob" have one of them in common."""
    words = _WORD.findall(text.casefold())
    return (words[0], words[-1]) if words else ()
