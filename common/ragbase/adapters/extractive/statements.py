"""What of a passage can be quoted by itself: a sentence, a row of a table, an entry with its fields, or a lead-in with
what follows it.

Half of one of these says something else than the whole: a row that is cut at a full stop in a cell has the value of
none of its columns, and a sentence that ends with a colon says nothing without its list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.evidence import EvidencePassage

MOST_FOLLOWING = 12
"""Spans that a lead-in takes along, such as the items of its list."""
LONGEST_FOLLOWING = 1000
"""Characters of them."""

HEADING = re.compile(r"#{1,6}\s")
CODE = re.compile(r"```|~~~")
LINK_DEFINITION = re.compile(r"[ \t]{0,3}\[[^\]\n]+\]:[ \t]*\S")
TABLE_RULE = re.compile(r"[|:\s-]+")
LISTED = re.compile(r"[ \t>]*(?:[-*+]\s|\d{1,9}[.)]\s|\|)")
FIELD = re.compile(r"- [^\n:]{1,100}: ?\S")
"""How the readers of tables and of JSON write a value with its name."""

LEADS = re.compile(r"[:：][\"'”’»)\]*_`]*\Z")
ASKS = re.compile(r"[?？؟;;][\"'”’»)\]*_`]*\Z")
"""The Greek question mark is a semicolon, in one of two forms."""


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Statement:
    """Places in the text of a passage, in order: `quoted` are what an answer says, and `about` are questions that this
    answers. `is_entry` says that the places are values with their names, all of one row or entry, and `is_listed` that
    this is an item of a list or a row of a table. `heading` is the last one above it in the passage."""

    quoted: tuple[Span, ...]
    about: tuple[Span, ...] = ()
    is_entry: bool = False
    is_listed: bool = False
    heading: Span | None = None


def statements_of(passage: EvidencePassage) -> Iterator[Statement]:
    """In the order of the passage. Headings, heads of tables, code by itself, rules and definitions of links say
    nothing."""
    text = passage.text
    found = sentence_spans(text, passage.gaps)
    heads = {span for span, below in pairwise(found) if _is_rule(text[slice(*below)]) and text.startswith("|", span[0])}
    spans = [span for span in found if span not in heads and not _says_nothing(text[slice(*span)])]
    heading: Span | None = None
    for is_heading, group in groupby(spans, lambda span: HEADING.match(text, *span) is not None):
        if is_heading:
            *_, heading = group
        else:
            yield from (replace(one, heading=heading) for one in _under_a_heading(text, list(group)))


def _under_a_heading(text: str, spans: Sequence[Span]) -> Iterator[Statement]:
    if FIELD.match(text, *spans[0]):
        questions = tuple(span for span in spans if ASKS.search(text[slice(*span)]))
        answers = tuple(span for span in spans if span not in questions)
        yield Statement(answers or questions, questions if answers else (), is_entry=True)
        return
    about: tuple[Span, ...] = ()
    for place, span in enumerate(spans):
        said = text[slice(*span)]
        following = spans[place + 1 :]
        if ASKS.search(said) and following:
            about = (span,)
        elif not CODE.match(said):
            quoted = (span, *_led(text, following)) if LEADS.search(said) else (span,)
            yield Statement(quoted, about, is_listed=LISTED.match(text, *span) is not None)
            about = ()


def _led(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """What a sentence with a colon at its end leads to: the items of a list or the rows of a table, or else whatever
    comes next."""
    length = 0
    for place, (start, end) in enumerate(spans[:MOST_FOLLOWING]):
        length += end - start
        if length > LONGEST_FOLLOWING or (place and not LISTED.match(text, start, end)):
            return
        yield start, end
        if not LISTED.match(text, start, end):
            return


def _says_nothing(said: str) -> bool:
    return LINK_DEFINITION.match(said) is not None or _is_rule(said)


def _is_rule(said: str) -> bool:
    return TABLE_RULE.fullmatch(said) is not None
