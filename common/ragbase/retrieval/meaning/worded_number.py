"""Numbers in words: two hundred and five, quatre-vingt-dix-sept, двадцать пять, dua belas."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal

from ragbase.retrieval.meaning.number_words import multipliers, number_words, ordinal_words
from ragbase.retrieval.meaning.units import unit_after
from ragbase.retrieval.meaning.written_number import WrittenNumber

_JOINS = frozenset(["and", "und", "et", "y", "e", "og", "och", "en", "și", "i", "a"])
_AND_TEN = "belas"
"""Indonesian: dua is 2, dua belas 12."""
_ADDS = -1
"""In the place of the power of ten that a word multiplies by: it adds."""
_LEAST_COUNTED = 3
"""Words for one and two are pronouns and articles, too."""
_TEN, _HUNDRED = 10, 100
_HUNDREDS = 2
"""The power of ten that multiplies inside of a number; higher ones end a part of it."""


def worded_number(tokens: Sequence[re.Match[str]], place: int, code: str) -> tuple[WrittenNumber, int] | None:
    """A number in words that begins here, and the place after it."""
    if (order := ordinal_words(code).get(tokens[place][0].casefold())) is not None:
        place_in_order = frozenset([Decimal(order).normalize()])
        is_ordinal = order >= _LEAST_COUNTED  # many sentences begin with "First" and "Second"
        return WrittenNumber(*tokens[place].span(), place_in_order, None, True, True, is_ordinal), place + 1
    if _counts_in_word(tokens[place][0].casefold(), code):  # six-time, three-year-old
        counted = Decimal(number_words(code)[tokens[place][0].casefold().partition("-")[0]])
        return WrittenNumber(
            *tokens[place].span(), frozenset([counted.normalize()]), is_word=True, is_vague=True
        ), place + 1
    total = current = count = 0
    after, only_times = place, True
    while (read := _next(tokens, after, current, count, code)) is not None:
        values, after = read
        for value, power in values:
            if power is None or power == _ADDS:
                current, only_times = current + value, False
            elif power <= _HUNDREDS:
                current = (current or 1) * 10**power
            else:
                total, current = total + (current or 1) * 10**power, 0
        count += 1
    end = tokens[after - 1].end()
    if not count:
        return None
    value = total + current
    unit, following, ending = unit_after(tokens, after, end)
    is_vague = only_times or value < _LEAST_COUNTED
    return WrittenNumber(
        tokens[place].start(), ending, frozenset([Decimal(value).normalize()]), unit, is_word=True, is_vague=is_vague
    ), following


def _counts_in_word(word: str, code: str) -> bool:
    """Whether the word begins with a number that counts the rest of it."""
    first, hyphen, _ = word.partition("-")
    return bool(hyphen) and first in number_words(code) and _values(word, number_words(code), multipliers(code)) is None


def _next(
    tokens: Sequence[re.Match[str]], after: int, current: int, count: int, code: str
) -> tuple[list[tuple[int, int | None]], int] | None:
    """The next word of a number that is `current` after `count` words, with "and" before it, and the place after it."""
    if after >= len(tokens):
        return None
    names, times = number_words(code), multipliers(code)
    word = tokens[after][0].casefold()
    if count and word == _AND_TEN and code == "id":
        return [(_TEN, _ADDS)], after + 1
    values = _values(word, names, times)
    if values is None and current and current % _HUNDRED != _TEN and word in _JOINS and after + 1 < len(tokens):
        after += 1
        values = _values(tokens[after][0].casefold(), names, times)
        if values is None or values[0][1] is not None:
            return None
    return (values, after + 1) if values and _fits(values[0], current) else None


def _fits(value: tuple[int, int | None], current: int) -> bool:
    """Whether the next word goes on with a number that is `current` so far: twenty, two; not two, three."""
    number, power = value
    if power is not None or current == 0 or current % _HUNDRED == 0:
        return True
    return 0 < number < _TEN and current % _TEN == 0


def _values(word: str, names: Mapping[str, int], times: Mapping[str, int]) -> list[tuple[int, int | None]] | None:
    """The number of a word, or those of its parts: (value, power that multiplies). None if it is no number."""
    word = word.replace("’", "'")
    if word in names:
        return [(names[word], None)]
    if word in times:
        return [(0, times[word])]
    parts = [part for part in word.split("-") if part not in _JOINS] if "-" in word else []
    found: list[tuple[int, int | None]] = []
    while parts:  # quatre-vingt-dix-sept
        for count in range(len(parts), 0, -1):
            if (part := "-".join(parts[:count])) in names or part in times:
                found.append((names[part], None) if part in names else (0, times[part]))
                parts = parts[count:]
                break
        else:
            return None
    return found or None
