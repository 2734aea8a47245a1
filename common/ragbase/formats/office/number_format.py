"""Numbers of a spreadsheet as its user sees them: 19 %, 1,234.50 €, 2024-03-19, by the format codes of Office Open XML
(ECMA-376 part 1, section 18.8.31). What depends on the user's region, such as the order of a short date, is as in ISO
8601; months and days have their English names."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

GENERAL = "General"
BUILT_IN = {
    0: GENERAL, 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?",
    13: "# ??/??", 14: "yyyy-mm-dd", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM",
    20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm", 37: "#,##0;-#,##0", 38: "#,##0;-#,##0", 39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00", 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00", 45: "mm:ss", 46: "[h]:mm:ss",
    47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
}  # fmt: skip
"""By their numbers, which files use without their codes (section 18.8.30). Those of 14, 22 and 37 to 44 depend on the
user's region, down to the currency's sign."""

TOKEN = re.compile(
    r'"[^"]*"?|\\.|_.|\*.|\[[^\]]*\]|AM/PM|A/P|[Ee][+-]0+|General|[yY]+|[mM]+|[dD]+|[hH]+|[sS]+|[#0?][#0?,]*|\.[#0?,]+|.',
    re.DOTALL,
)
SEPARATOR = ";"
ELAPSED = re.compile(r"\[(h+|m+|s+)\]", re.IGNORECASE)
CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)(-?\d+(?:\.\d+)?)\]")
DIGITS = "#0?"
DATE_LETTERS = "ymdhs"
LONGEST_CODE = 255
"""Characters that Excel allows."""

DAYS_1900 = datetime(1899, 12, 30)  # noqa: DTZ001 - a spreadsheet's time has no zone
DAYS_1904 = datetime(1904, 1, 1)  # noqa: DTZ001
LAST_DAY = 2_958_465
"""The 31st of December 9999."""
FALSE_LEAP_DAY = 60
"""29 February 1900, which there never was: the days before it count one less."""

NOON = {"AM/PM": ("AM", "PM"), "A/P": ("A", "P")}
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
SURE_DIGITS = 15
"""Significant decimal digits of a double."""
LARGEST_PLAIN = 1e15
"""Numbers are whole, and shown so, up to it."""
MOST_ROUNDED = 20
"""Digits before the point. Longer numbers have none behind it."""

Shown = Callable[[float], str]


@dataclass(frozen=True, slots=True)
class _Section:
    tokens: tuple[str, ...]
    condition: Callable[[float], bool] | None


def shown_by(code: str, *, since_1904: bool = False) -> Shown:
    """What a cell with this format code shows for a number."""
    sections = [_section(part) for part in _sections(code[:LONGEST_CODE])]
    writers = [_writer(section, since_1904=since_1904) for section in sections]
    for index, section in enumerate(sections):
        if index and not section.tokens:  # `0;-0;` shows nothing for zero
            writers[index] = lambda _: ""

    def shown(value: float) -> str:
        index = _index(sections, value)
        has_own_sign = index > 0 or (len(sections) > 1 and sections[0].condition is not None)
        try:
            return writers[index](abs(value) if has_own_sign else value)
        except (ArithmeticError, ValueError):  # no moment of the calendar, or more digits than anybody reads
            return general(value)

    return shown


def general(value: float) -> str:
    """Without the noise of binary fractions, and with all digits of a whole number."""
    if value == int(value) and abs(value) < LARGEST_PLAIN:
        return str(int(value))
    return f"{value:.{SURE_DIGITS}g}".replace("e+", "E+").replace("e-", "E-")


def _sections(code: str) -> list[str]:
    parts = [""]
    for token in TOKEN.findall(code):
        if token == SEPARATOR:
            parts.append("")
        else:
            parts[-1] += token
    return parts[:3] or [GENERAL]


def _section(part: str) -> _Section:
    found = CONDITION.search(part)
    condition = None
    if found:
        bound = float(found[2])
        condition = {
            "<": lambda value: value < bound,
            "<=": lambda value: value <= bound,
            ">": lambda value: value > bound,
            ">=": lambda value: value >= bound,
            "=": lambda value: value == bound,
            "<>": lambda value: value != bound,
        }[found[1]]
    return _Section(tuple(TOKEN.findall(part)), condition)


def _index(sections: list[_Section], value: float) -> int:
    if any(section.condition for section in sections):
        for index, section in enumerate(sections):
            if section.condition is None or section.condition(value):
                return index
        return len(sections) - 1
    if len(sections) > 2 and value == 0:  # noqa: PLR2004 - positive, negative, zero
        return 2
    return 1 if len(sections) > 1 and value < 0 else 0


def _writer(section: _Section, *, since_1904: bool) -> Shown:
    tokens = section.tokens
    letters = [token[0].lower() for token in tokens]
    if GENERAL in tokens or "@" in tokens or not tokens:
        return lambda value: _around(tokens, general(value))
    if any(letter in DATE_LETTERS for letter in letters) or any(map(ELAPSED.fullmatch, tokens)):
        return lambda value: _date(tokens, value, since_1904=since_1904)
    if not any(letter in DIGITS for letter in letters):
        return lambda value: "".join(map(_literal, tokens)).strip()
    if "/" in tokens:  # a fraction, which says less than the number
        return general
    return lambda value: _number(tokens, value)


def _literal(token: str) -> str:
    """What a part of a code that stands for itself shows."""
    if token[0] == '"':
        return token.strip('"')
    if token[0] == "\\":
        return token[1:]
    if token[0] == "_":
        return " "
    if token[0] == "*":
        return ""
    if token[0] == "[":
        return token[2:-1].partition("-")[0] if token.startswith("[$") else ""
    return token


def _around(tokens: tuple[str, ...], number: str) -> str:
    if not tokens:
        return number
    return "".join(number if token in (GENERAL, "@") else _literal(token) for token in tokens).strip()


def _number(tokens: tuple[str, ...], value: float) -> str:
    places = [index for index, token in enumerate(tokens) if token[0] in DIGITS or token[0] == "."]
    point = next((index for index in places if tokens[index][0] == "."), len(tokens))
    whole = [index for index in places if index < point]
    pattern = "".join(tokens[index] for index in whole)
    decimals = "".join(tokens[index].lstrip(".") for index in places if index >= point)
    exponent = next((index for index, token in enumerate(tokens) if token[0] in "Ee" and token[1:2] in "+-"), None)
    thousands = len(pattern + decimals) - len((pattern + decimals).rstrip(","))
    amount = abs(Decimal(repr(value))) * 100 ** tokens.count("%") / 1000**thousands
    pattern, decimals = pattern.rstrip(","), decimals.replace(",", "")
    if exponent is not None:
        digits, point_and_rest = f"{float(amount):.{len(decimals)}E}", ""
    else:
        digits, point_and_rest = _rounded(amount, pattern, decimals)
    written = _placed(digits, [tokens[index] for index in whole]) if exponent is None else [digits]
    shown = ""
    for index, token in enumerate(tokens):
        if index in whole:
            shown += written.pop(0) if written else ""
        elif index == point:
            shown += point_and_rest
        elif index not in places and index != exponent:
            shown += _literal(token)
    is_zero = not any(digit in "123456789" for digit in digits + point_and_rest)
    return f"{'-' if value < 0 and not is_zero else ''}{shown.strip()}"


def _rounded(amount: Decimal, pattern: str, decimals: str) -> tuple[str, str]:
    """The digits before the point, and the point with those behind it."""
    rounded = amount
    if amount.adjusted() < MOST_ROUNDED:
        rounded = amount.quantize(Decimal(1).scaleb(-len(decimals)), ROUND_HALF_UP)
    digits, _, rest = (f"{rounded:,f}" if "," in pattern else f"{rounded:f}").partition(".")
    if digits == "0" and "0" not in pattern:
        digits = ""
    missing = pattern.count("0") - sum(map(str.isdigit, digits))
    digits = "0" * missing + digits
    least = len(decimals.rstrip("#?"))
    rest = rest[:least] + rest[least:].rstrip("0")
    return digits, f".{rest}" if rest else ""


def _placed(digits: str, parts: list[str]) -> list[str]:
    """The digits over the parts of a code such as 000-0000: the first part takes what is left of them."""
    placed = []
    for part in parts[:0:-1]:
        count = len(part.replace(",", ""))
        placed.append(digits[-count:])
        digits = digits[:-count]
    return [digits, *reversed(placed)]


def _date(tokens: tuple[str, ...], value: float, *, since_1904: bool) -> str:
    if any(map(ELAPSED.fullmatch, tokens)):
        return _elapsed(tokens, value)
    if not 0 <= value <= LAST_DAY:
        return general(value)
    days = value + (1 if not since_1904 and value < FALSE_LEAP_DAY else 0)
    fractions = max((len(token) - 1 for token in tokens if token[0] == "." and len(token) > 1), default=0)
    unit = 10**fractions
    ticks = round(days * 86_400 * unit)
    moment = (DAYS_1904 if since_1904 else DAYS_1900) + timedelta(seconds=ticks // unit)
    has_noon = any(token in NOON for token in tokens)
    said = []
    before = ""
    for index, token in enumerate(tokens):
        letter = token[0].lower()
        if token in NOON:
            said.append(NOON[token][moment.hour // 12])
        elif letter in DATE_LETTERS:
            follows = next((later[0].lower() for later in tokens[index + 1 :] if later[0].lower() in DATE_LETTERS), "")
            is_minute = letter == "m" and len(token) <= 2 and (before == "h" or follows == "s")  # noqa: PLR2004
            said.append(_part(letter, len(token), moment, is_minute=is_minute, has_noon=has_noon))
            before = letter
        elif letter == "." and len(token) > 1:
            said.append(f".{ticks % unit:0{fractions}}")
        else:
            said.append(_literal(token))
    return "".join(said).strip()


def _part(letter: str, length: int, moment: datetime, *, is_minute: bool, has_noon: bool) -> str:
    if letter == "y":
        return f"{moment.year % 100:02}" if length <= 2 else str(moment.year)  # noqa: PLR2004
    if letter == "m" and not is_minute:
        names = {3: MONTHS[moment.month - 1][:3], 4: MONTHS[moment.month - 1], 5: MONTHS[moment.month - 1][0]}
        return names.get(length) or f"{moment.month:0{min(length, 2)}}"
    if letter == "d":
        names = {3: WEEKDAYS[moment.weekday()][:3], 4: WEEKDAYS[moment.weekday()]}
        return names.get(length) or f"{moment.day:0{min(length, 2)}}"
    hour = (moment.hour % 12 or 12) if has_noon else moment.hour
    number = {"h": hour, "m": moment.minute, "s": moment.second}[letter]
    return f"{number:0{min(length, 2)}}"


def _elapsed(tokens: tuple[str, ...], value: float) -> str:
    """Hours beyond a day, as in a sum of times."""
    seconds = round(abs(value) * 86_400)
    said = []
    for token in tokens:
        letter = token.strip("[]")[:1].lower()
        if ELAPSED.fullmatch(token):
            said.append(str(seconds // {"h": 3600, "m": 60, "s": 1}[letter]).zfill(len(token) - 2))
        elif letter in "ms":
            said.append(f"{seconds // {'m': 60, 's': 1}[letter] % 60:0{min(len(token), 2)}}")
        else:
            said.append(_literal(token))
    return ("-" if value < 0 else "") + "".join(said).strip()
