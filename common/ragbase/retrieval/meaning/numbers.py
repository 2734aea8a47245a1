"""The numbers of a text: numerals of every script, words, and what they measure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal

from ragbase.retrieval.meaning.number_words import multipliers
from ragbase.retrieval.meaning.units import CURRENCY_BEFORE, LONGEST_UNIT, MeasureUnit, unit_after, unit_of
from ragbase.retrieval.meaning.worded_number import worded_number
from ragbase.retrieval.meaning.written_number import WrittenNumber
from ragbase.text.scripts import MARKS, NO_BLANKS

_BLANKS = " \u00a0\u2009\u202f"
_NUMERAL = rf"\d{{1,3}}(?:[{_BLANKS}]\d{{3}})+(?![\d])(?:[.,]\d+)?|\d+(?:[.,'’٫٬]\d+)*"
_LETTER = rf"(?:[^\W\d_]|[{MARKS}])"
_TOKEN = re.compile(
    rf"(?P<numeral>{_NUMERAL})|(?P<unspaced>[{NO_BLANKS}]+)|(?P<word>{_LETTER}(?:{_LETTER}|['’-](?={_LETTER}))*)"
    r"|(?P<sign>[^\w\s])"
)
_GROUPED = re.compile(r"\d{1,3}([.,'’٬])\d{3}(?:\1\d{3})*")
_OTHER_NUMERALS = "½¼¾⅓⅔²³"
"""After a numeral, they make another number, or a unit of area, of it."""
_IN_NAMES = "_./:@#\\&=+"
_ORDINALS = frozenset(["st", "nd", "rd", "th", "er", "re", "e", "º", "ª", "o", "a", "s", "er", "ème", "eme"])
_SCALES = {"k": 3, "K": 3, "M": 6, "bn": 9}
_UNSPACED_DIGITS = {sign: value for value, sign in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_HANGUL_DIGITS = {sign: value for value, sign in enumerate("영일이삼사오육칠팔구")}
_UNSPACED_DIGITS |= _HANGUL_DIGITS
_HANGUL = frozenset("영일이삼사오육칠팔구십백천만억조")
"""They are parts of so many words that what they count is not asked for; it may be what another text has in digits."""
_SMALL = {"십": 10, "백": 100, "十": 10, "百": 100, "千": 1000, "천": 1000}
_LARGE = {"万": 10**4, "萬": 10**4, "만": 10**4, "億": 10**8, "亿": 10**8, "억": 10**8, "兆": 10**12, "조": 10**12}
_UNSPACED = re.compile(rf"(?:\d[\d,]*(?:\.\d+)?)?[{''.join([*_UNSPACED_DIGITS, *_SMALL, *_LARGE])}\d]*")
_FIRST_WITHOUT_CAPITALS = "\u0530"
"""Letters before it are in a word with the digits after them. Arabic and Hebrew write "and" without a blank."""
_CURRENCY = re.compile(r"(?:Rp|EUR|USD|CHF|Rs)\Z").search


def numbers_in(text: str, code: str) -> list[WrittenNumber]:
    """The numbers of a text in the language `code`, in order. Those in identifiers are left out: 10:30, v2, web-17."""
    tokens = list(_TOKEN.finditer(text))
    found: list[WrittenNumber] = []
    place = until = 0
    while place < len(tokens):
        token = tokens[place]
        read: tuple[WrittenNumber, int] | None = None
        if token.lastgroup == "unspaced":
            found.extend(_unspaced(text, max(until, token.start()), token.end()))
        elif token.start() >= until:
            read = (
                _numeral(text, tokens, place, code)
                if token.lastgroup == "numeral"
                else worded_number(tokens, place, code)
            )
        if read is None:
            place += 1
        else:
            number, place = read
            found.append(number)
            until = number.end
    return found


def values_of(numeral: str) -> frozenset[Decimal]:
    """What a numeral may be: the mark before three digits parts thousands in some languages, and decimals in others."""
    plain = re.sub(rf"[{_BLANKS}]", "", numeral).replace("٫", ",").replace("٬", "'")
    found = set[Decimal]()
    if _GROUPED.fullmatch(plain):
        found.add(Decimal(re.sub(r"\D", "", plain)))
    marks = re.findall(r"\D", plain)
    if len(set(marks)) <= 1 and len(marks) <= 1 and not {"'", "’"} & set(marks):
        found.add(Decimal(plain.replace(",", ".")))
    elif marks and marks.count(marks[-1]) == 1 and marks[-1] in ".,":
        whole, _, part = plain.rpartition(marks[-1])
        found.add(Decimal(f"{re.sub(r'[^0-9]', '', whole)}.{part}"))
    elif marks:
        found.add(Decimal(re.sub(r"\D", "", plain)))
    return frozenset(value.normalize() for value in found)


def _numeral(text: str, tokens: Sequence[re.Match[str]], place: int, code: str) -> tuple[WrittenNumber, int] | None:
    token = tokens[place]
    if _is_in_name(text, token.start(), token.end()):
        return None
    values, after, end = values_of(token[0]), place + 1, token.end()
    follows = tokens[after] if after < len(tokens) else None
    if follows is not None and follows.lastgroup == "unspaced" and follows.start() == end:
        large = _UNSPACED.match(text, token.start())
        if large is not None and large.end() > end and (value := _unspaced_value(large[0])) is not None:
            unit = _unspaced_unit(text, large.end())
            return WrittenNumber(token.start(), large.end(), frozenset([value]), unit), after
        return WrittenNumber(token.start(), end, values, _unspaced_unit(text, end)), after
    if follows is not None and follows.lastgroup == "word" and follows.start() == end:
        glued = follows[0].casefold()
        if follows[0] in _SCALES:
            values, after, end = _times(values, _SCALES[follows[0]]), after + 1, follows.end()
        elif glued in _ORDINALS:
            return WrittenNumber(token.start(), follows.end(), values, is_ordinal=glued != "s"), after + 1
        elif unit_of(follows[0]) is None and glued not in multipliers(code) and follows[0].isascii():
            return None  # 3D, 17a
    while after < len(tokens) and (power := multipliers(code).get(tokens[after][0].casefold().rstrip("."))):
        values, after, end = _times(values, power), after + 1, tokens[after].end()
        if after < len(tokens) and tokens[after][0] in {".", "de", "di", "d"}:  # 5 Mio. Euro, 5 millones de euros
            after += 1
    unit, after, end = unit_after(tokens, after, end)
    start = token.start()
    if place and (unit is None) and tokens[place - 1][0].casefold() in CURRENCY_BEFORE:
        unit, start = unit_of(tokens[place - 1][0]), tokens[place - 1].start()
    return WrittenNumber(start, end, values, unit), after


def _is_in_name(text: str, start: int, end: int) -> bool:
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before:
        last = before[-1]
        if last.isalpha() and last < _FIRST_WITHOUT_CAPITALS and not _CURRENCY(text[max(0, start - 3) : start]):
            return True
        if last in _IN_NAMES and len(before) > 1 and not before[0].isspace() and last not in "=+":
            return True
        if last == "-" and len(before) > 1 and (before[0].isalpha() or before[0] == "_"):
            return True
    if after and after[0] in _OTHER_NUMERALS:
        return True
    if len(after) > 1 and after[0] in "_./:@#\\-" and after[1].isalnum():
        return (
            after[0] != "-"
            and not (after[0] == "/" and after[1].isalpha())
            and not (after[0] == "." and after[1].isupper())
        )
    return False


def _times(values: frozenset[Decimal], power: int) -> frozenset[Decimal]:
    return frozenset((value * Decimal(10) ** power).normalize() for value in values)


def _unspaced(text: str, start: int, end: int) -> Iterator[WrittenNumber]:
    """Numbers in the digits of Chinese and Japanese. Single ones are parts of many words."""
    for match in _UNSPACED.finditer(text, start, end):
        is_syllable = match[0] in _HANGUL_DIGITS
        value = _unspaced_value(match[0]) if match[0] and not is_syllable else None
        if value is not None:
            unit = _unspaced_unit(text, match.end())
            is_vague = len(match[0]) <= 1 or not _HANGUL.isdisjoint(match[0])
            yield WrittenNumber(*match.span(), frozenset([value]), unit, is_word=True, is_vague=is_vague)


def _unspaced_unit(text: str, start: int) -> MeasureUnit | None:
    for length in range(LONGEST_UNIT + 1, 0, -1):
        part = text[start : start + length]
        if len(part) == length and not part[0].isascii() and (unit := unit_of(part)) is not None:
            return unit
    return None


def _unspaced_value(text: str) -> Decimal | None:
    """The value of 一百二十万, 3万 or 1億2000万; that of 二〇二四 by its digits. None for a sign that is no number."""
    total = section = Decimal(0)
    number: Decimal | None = None
    if len(text) > 1 and all(sign in _UNSPACED_DIGITS for sign in text):
        return Decimal("".join(str(_UNSPACED_DIGITS[sign]) for sign in text))
    for part in re.findall(r"\d[\d,]*(?:\.\d+)?|.", text):
        if part[0].isdigit():
            number = Decimal(part.replace(",", "")) if part.replace(",", "") else None
        elif part in _UNSPACED_DIGITS:
            number = Decimal(_UNSPACED_DIGITS[part])
        elif part in _SMALL:
            section, number = section + (number if number is not None else 1) * _SMALL[part], None
        elif part in _LARGE:
            section += number or 0
            if not section:
                return None  # a word such as 万一 begins with it
            total, section, number = total + section * _LARGE[part], Decimal(0), None
        else:
            return None
    value = total + section + (number or 0)
    return value.normalize() if value or text in {"〇", "零"} else None
