"""Whether a place has the numbers and the dates of a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import combinations

from ragbase.retrieval.meaning.clauses import Terms, content_of
from ragbase.retrieval.meaning.dates import weekdays_in, weekdays_of
from ragbase.retrieval.meaning.read_text import BETWEEN, ReadText
from ragbase.retrieval.meaning.written_number import WrittenNumber


def has_numbers(sentence: ReadText, place: ReadText, around: ReadText) -> bool:
    """Whether each number of the sentence stands in the place, with its unit, or `around` it: in the headings.

    Words such as "one" and "thousands" often count nothing, and are left out. "Third" is compared with other places in
    an order.
    """
    held = [*place.amounts, *around.amounts]
    ordinals = {value for one in held if one.is_ordinal for value in one.values}
    if ordinals and any(one.is_ordinal and one.is_word and not _stands(one, held) for one in sentence.numbers):
        return False
    return all(
        any(number.agrees(one) for one in held) or _is_written(number, sentence.text, place.text, held)
        for number in sentence.numbers
        if not number.is_vague
    )


def has_times(sentence: ReadText, place: ReadText, around: ReadText) -> bool:
    """Whether each time of day of the sentence is one of the place, or stands there letter by letter."""
    held = [*place.times, *around.times]
    return all(
        any(not one.minutes.isdisjoint(other.minutes) for other in held)
        or (not held and sentence.text[one.start : one.end] in place.text)
        for one in sentence.times
    )


def has_dates(sentence: ReadText, place: ReadText, around: ReadText) -> bool:
    """Whether each date and weekday of the sentence is one of the place. What its dates leave open has to stand there
    as a number, or around it."""
    held = [*place.dates, *around.dates]
    numbers = {value for one in (*place.amounts, *around.amounts) for value in one.values}
    dates = all(
        any(one.agrees(other) and all(Decimal(part) in numbers for part in one.adds(other)) for other in held)
        or (one.numbers <= numbers and not held)
        for one in sentence.dates
    )
    weekdays = weekdays_in(sentence.text)
    known = weekdays_in(place.text) | weekdays_in(around.text) | weekdays_of(held) if weekdays else set()
    return dates and weekdays <= known


def are_swapped(sentence: ReadText, place: ReadText, terms_of: Terms) -> bool:
    """Whether two numbers of the sentence have changed places: "A costs 7 and B 5" where A costs 5, and B 7.

    The words beside each of them are compared. Nothing may speak for the first order, and a word of each for the other.
    """
    ours, theirs = _beside(sentence, terms_of), _beside(place, terms_of)
    both = [value for value in ours if value in theirs]
    for one, two in combinations(both, 2):
        ours_one, ours_two = ours[one] - ours[two], ours[two] - ours[one]
        theirs_one, theirs_two = theirs[one] - theirs[two], theirs[two] - theirs[one]
        kept = len(ours_one & theirs_one) + len(ours_two & theirs_two)
        crossed_one, crossed_two = len(ours_one & theirs_two), len(ours_two & theirs_one)
        if not kept and crossed_one and crossed_two:
            return True
    return False


def _beside(reading: ReadText, terms_of: Terms) -> dict[Decimal, frozenset[str]]:
    """The terms on both sides of each number that stands there once, up to the numbers beside it, or to the mark or
    the word that parts two statements."""
    numbers = [one for one in reading.numbers if not one.is_vague]
    found: dict[Decimal, frozenset[str]] = {}
    begin = 0
    for place, number in enumerate(numbers):
        is_last = place + 1 == len(numbers)
        until = len(reading.text) if is_last else numbers[place + 1].start
        cut = None if is_last else _cut(reading, number.end, until)
        ends = until if cut is None else cut
        value = min(number.values)
        if not any(value in other.values for other in numbers if other is not number):
            found[value] = terms_of(
                content_of(f"{reading.text[begin : number.start]} {reading.text[number.end : ends]}")
            )
        begin = number.end if cut is None else cut
    return found


def _cut(reading: ReadText, start: int, end: int) -> int | None:
    """Where a statement ends between two numbers."""
    between = reading.text[start:end]
    parts = (pattern.search(between) for pattern in (BETWEEN, reading.language.joins))
    return min((start + match.end() for match in parts if match is not None), default=None)


def _stands(number: WrittenNumber, held: Sequence[WrittenNumber]) -> bool:
    return any(not number.values.isdisjoint(one.values) for one in held)


def _is_written(number: WrittenNumber, sentence: str, place: str, held: Sequence[WrittenNumber]) -> bool:
    """Whether the numeral stands in the place letter by letter, inside of an identifier."""
    written = sentence[number.start : number.end]
    if number.is_word or _stands(number, held):
        return False
    return any(_is_whole(place, start, start + len(written)) for start in _all(written, place))


def _all(part: str, text: str) -> Iterator[int]:
    start = text.find(part)
    while start >= 0:
        yield start
        start = text.find(part, start + 1)


def _is_whole(text: str, start: int, end: int) -> bool:
    return not text[start - 1 : start].isdigit() and not text[end : end + 1].isdigit()
