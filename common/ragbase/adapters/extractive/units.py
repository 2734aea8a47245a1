"""Which sentences of a passage belong together: those of a short item or definition, a line such as "Default: 5000" and
the sentence beside it, and a description and its term."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

LONGEST_ITEM = 300
"""Characters of an item or a definition that is quoted as a whole, and of a term with its first sentence."""
LONGEST_TERM = 120
"""Characters of the line of a term."""
LONGEST_LINE = 80
"""Characters of a term on a line of its own."""
LEAST_TERMS = 2
MOST_LABELS = 3
"""Lines with a name and a value that belong to the sentence beside them. More are a record, each for itself."""

CODE = re.compile(r"[ \t>]*(?:```|~~~)")
LISTED = re.compile(r"[ \t>]*(?:[-*+]\s|\d{1,9}[.)]\s|\|)")
ASKS = re.compile(r"(?:[?？؟]|(?<=[Ͱ-Ͽἀ-῿])[;\u037e])[\"'”’»)\]*_`]*\Z")
"""The Greek question mark is a semicolon, in one of two forms. Elsewhere, items of a list end with one."""
_MARK = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)])\s")
_LABEL = re.compile(r"[*_`]{0,3}[^\W\d][\w /-]{0,30}[*_`]{0,3}[:：][*_`]{0,3}[ \t]*\S[^\n]{0,80}")
_BARE = re.compile(r"(?!```|~~~|\|)[^\n]+")
_BLANK_BEFORE = re.compile(r"(?:\n[ \t\r]*\n[ \t]*|\A[ \t]*)\Z")
_BLANK_AFTER = re.compile(r"[ \t\r]*\n[ \t\r]*\n")
_ENDED = re.compile(r"[.!?,;:。！？][\"'”’»)\]*_`]*\Z")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class SentenceUnit:
    """Sentences that are quoted together. `term` is what they describe, and `has_description` says that other units
    describe this one. `indent` is that of its first line."""

    spans: tuple[Span, ...]
    indent: int
    term: Span | None = None
    has_description: bool = False


def units_of(text: str, spans: Sequence[Span]) -> list[SentenceUnit]:
    """In order. `spans` are the sentences under one heading."""
    return _with_labels(text, _below_lines(text, _described(text, list(_items(text, spans)))))


def _items(text: str, spans: Sequence[Span]) -> Iterator[SentenceUnit]:
    """Each sentence by itself, and those of a short item or definition together."""
    indents = [_indent(text, start) for start, _ in spans]
    place = 0
    while place < len(spans):
        end = place + 1
        while end < len(spans) and indents[end] > indents[place]:
            end += 1
        whole = spans[place:end]
        is_short = whole[-1][1] - whole[0][0] <= LONGEST_ITEM and not any(CODE.match(text, *one) for one in whole)
        if not (len(whole) > 1 and is_short and _is_term(text, whole[0])):
            end = place + 1
        yield SentenceUnit(tuple(spans[place:end]), indents[place])
        place = end


def _described(text: str, units: Sequence[SentenceUnit]) -> list[SentenceUnit]:
    """The units with their terms: the nearest ones above that are indented less."""
    described: list[SentenceUnit] = []
    above: list[int] = []
    for place, unit in enumerate(units):
        while above and units[above[-1]].indent >= unit.indent:
            above.pop()
        term = above[-1] if above and _is_term(text, units[above[-1]].spans[0]) else None
        if term is not None:
            described[term] = replace(described[term], has_description=True)
        described.append(unit if term is None else replace(unit, term=units[term].spans[0]))
        above.append(place)
    return described


def _below_lines(text: str, units: Sequence[SentenceUnit]) -> list[SentenceUnit]:
    """The units with the terms that stand on a line of their own, as in the text of a man page: `-n, --nonblock`. Two
    of them at least, each with sentences below; a single one may be anything."""
    lines = {place for place, unit in enumerate(units) if _is_bare_line(text, unit)}
    terms = {place for place in lines if place + 1 < len(units) and _is_sentence(text, units[place + 1])}
    if len(terms) < LEAST_TERMS:
        return list(units)
    found: list[SentenceUnit] = []
    term: SentenceUnit | None = None
    for place, unit in enumerate(units):
        if place in lines:
            term = unit if place in terms else None
            found.append(replace(unit, has_description=place in terms))
        elif term is not None and unit.term is None and unit.indent >= term.indent:
            found.append(replace(unit, term=term.spans[0]))
        else:
            found.append(unit)
    return found


def _is_bare_line(text: str, unit: SentenceUnit) -> bool:
    """Whether this is a short line between blank ones that ends no sentence."""
    (start, end), *more = unit.spans
    is_short = not more and end - start <= LONGEST_LINE and unit.term is None and not unit.has_description
    return (
        is_short
        and _BARE.fullmatch(text, start, end) is not None
        and _ENDED.search(text[start:end]) is None
        and _BLANK_BEFORE.search(text[:start][-LONGEST_LINE:]) is not None
        and _BLANK_AFTER.match(text, end) is not None
    )


def _is_sentence(text: str, unit: SentenceUnit) -> bool:
    start, end = unit.spans[0]
    return _ENDED.search(text[start:end]) is not None and LISTED.match(text, start) is None


def _with_labels(text: str, units: Sequence[SentenceUnit]) -> list[SentenceUnit]:
    """Lines such as "Default: 5000" together with the first sentence about their term, or without a term with the
    sentence before them; the first ones under a heading, with the sentence below."""
    found: list[SentenceUnit] = []
    waiting: tuple[Span, ...] = ()
    for is_label, group in groupby(units, lambda unit: _is_label(text, unit)):
        run = list(group)
        labels = tuple(span for unit in run for span in unit.spans)
        if not is_label:
            run[0] = replace(run[0], spans=(*waiting, *run[0].spans))
            waiting = ()
            found += run
        elif len(run) > MOST_LABELS:
            found += run
        elif not found:
            waiting = labels
        elif (place := _place_of_labels(found, run[0])) is not None and _is_prose(text, found[place]):
            found[place] = replace(found[place], spans=(*found[place].spans, *labels))
        else:
            found += run
    return [*found, SentenceUnit(waiting, 0)] if waiting else found


def _place_of_labels(found: Sequence[SentenceUnit], label: SentenceUnit) -> int | None:
    if label.term is None:
        before = found[-1]
        return len(found) - 1 if before.term is None and not before.has_description else None
    return next((place for place, unit in enumerate(found) if unit.term == label.term), None)


def _indent(text: str, start: int) -> int:
    """That of the line. What follows in the line of an item is below the item."""
    line = text.rfind("\n", 0, start) + 1
    blanks = text[line:start]
    first = line + len(blanks) - len(blanks.lstrip(" \t"))
    return first - line + (first < start and _MARK.match(text, line) is not None)


def _is_term(text: str, span: Span) -> bool:
    """An item of a list, or a line that ends no sentence, with what it begins."""
    said = text[slice(*span)]
    if len(said) > LONGEST_ITEM or said.startswith("|") or CODE.match(said) or ASKS.search(said):
        return False
    line = said.split("\n", 1)[0].rstrip()
    is_line = len(line) <= LONGEST_TERM and (line.endswith("::") or _ENDED.search(line) is None)
    return is_line or _MARK.match(said) is not None


def _is_label(text: str, unit: SentenceUnit) -> bool:
    """Whether this is a line by itself with a name and its value."""
    (start, end), *more = unit.spans
    is_line = text[:start].rstrip(" \t")[-1:] in ("", "\n") and text[end : end + 1] in ("", "\n")
    return is_line and not more and _LABEL.fullmatch(text, start, end) is not None


def _is_prose(text: str, unit: SentenceUnit) -> bool:
    start, end = unit.spans[-1]
    return not text.startswith("|", start) and CODE.match(text, start, end) is None
