"""What of a passage can be quoted by itself: a sentence, a short item of a list, a row of a table with the names of its
columns, an entry with its fields, a lead-in with what follows it, or a description with its term.

Half of one of these says something else than the whole: a row that is cut at a full stop in a cell has the value of
none of its columns, a sentence that ends with a colon says nothing without its list, and "The default is 50" is the
default of nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import accumulate, groupby, pairwise, takewhile

from ragbase.adapters.extractive.units import ASKS, CODE, LISTED, SentenceUnit, Span, units_of
from ragbase.chunking.sentences import code_spans, sentence_spans
from ragbase.domain.evidence import EvidencePassage

MOST_FOLLOWING = 12
"""Spans that a lead-in takes along, such as the items of its list."""
LONGEST_FOLLOWING = 1000
"""Characters of them."""
LONGEST_ANSWER = 500
"""Characters of the paragraph below a question that is quoted as a whole."""

HEADING = re.compile(r"#{1,6}\s|[^\n]{1,120}\n([-=~^\"+*#])\1{2,}[ \t]*\Z")
"""In one of its two forms. Plain text has the second one, too."""
LINK_DEFINITION = re.compile(r"[ \t]{0,3}\[[^\]\n]+\]:[ \t]*\S")
TABLE_RULE = re.compile(r"[|:\s-]+")
FIELD = re.compile(r"- [^\n:]{1,100}: ?\S")
"""How the readers of tables and of JSON write a value with its name."""

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_CLOSING_FENCE = re.compile(r"^[ \t]*(?:```|~~~)[ \t]*(?=\n[ \t]*(?:\n|\Z)|\Z)", re.MULTILINE)
"""Code follows an opening fence in the next line."""

LEADS = re.compile(r"[:：][\"'”’»)\]*_`]*\Z")
ENDED = re.compile(r"[.!?。！？][\"'”’»)\]*_`]*\Z")
NEW_LINE = re.compile(r"[ \t\r]*\n")
BLANK_LINE = re.compile(r"\n[ \t\r>]*\n")


@dataclass(frozen=True, slots=True)
class Statement:
    """Places in the text of a passage, in order: `quoted` are what an answer says, and `about` are questions that this
    answers. `is_entry` says that the places are values with their names, all of one row or entry, and `is_listed` that
    this is an item of a list or a row of a table. `led` are those of `quoted` that a lead-in brings, and `row` is that
    row. `term` is the place of the term that the others describe, or of the row, and `is_description` says that it
    stands in another statement, too. `heading` is the last one above it in the passage."""

    quoted: tuple[Span, ...]
    about: tuple[Span, ...] = ()
    is_entry: bool = False
    is_listed: bool = False
    is_description: bool = False
    led: tuple[Span, ...] = ()
    row: Span | None = None
    term: Span | None = None
    heading: Span | None = None


def statements_of(passage: EvidencePassage) -> Iterator[Statement]:
    """In the order of the passage. Headings, heads of tables, code by itself, comments, rules and definitions of
    links say nothing."""
    text = passage.text
    found = sentence_spans(text, passage.gaps)
    heads = {span for span, below in pairwise(found) if _is_rule(text[slice(*below)]) and text.startswith("|", span[0])}
    code = _code_without_its_beginning(passage)
    comments = [match.span() for match in _COMMENT.finditer(text)]
    spans = [
        span
        for span in found
        if not _says_nothing(text[slice(*span)])
        and not _is_rest(passage, span)
        and not any(start <= span[0] < end for start, end in code)
        and not any(start <= span[0] and span[1] <= end for start, end in comments)
    ]
    heading: Span | None = None
    for is_heading, group in groupby(spans, lambda span: HEADING.match(text[slice(*span)]) is not None):
        if is_heading:
            *_, heading = group
        else:
            yield from (replace(one, heading=heading) for one in _under_a_heading(text, list(group), heads))


def _under_a_heading(text: str, spans: Sequence[Span], heads: AbstractSet[Span]) -> Iterator[Statement]:
    if _is_entry(text, spans):
        questions = tuple(span for span in spans if ASKS.search(text[slice(*span)]))
        answers = tuple(span for span in spans if span not in questions)
        yield Statement(answers or questions, questions if answers else (), is_entry=True)
        return
    units = list(_with_whole_answers(text, units_of(text, spans)))
    about: tuple[Span, ...] = ()
    head: Span | None = None
    for place, unit in enumerate(units):
        first = unit.spans[0]
        said = text[first[0] : unit.spans[-1][1]]
        is_row = said.startswith("|")
        if first in heads:
            head = first
        elif ASKS.search(said) and not is_row:
            about = unit.spans
        elif not (CODE.match(said) or (unit.has_description and ENDED.search(said) is None)):
            head = head if is_row else None
            names = [one for one in (head, unit.term) if one is not None]
            is_lead = first == unit.spans[-1] and LEADS.search(said) is not None
            led = tuple(_led(text, unit, units[place + 1 :])) if is_lead else ()
            is_listed = LISTED.match(text, *first) is not None
            yield Statement(
                (*names, *unit.spans, *led),
                about,
                is_listed=is_listed,
                led=led,
                is_description=unit.term is not None,
                row=first if is_row else None,
                term=unit.term or (first if is_row or unit.has_description or len(unit.spans) > 1 else None),
            )
            about = ()


def _is_entry(text: str, spans: Sequence[Span]) -> bool:
    """Whether these are values with their names and nothing else: no paragraph goes on below one of them."""
    return FIELD.match(text, *spans[0]) is not None and all(
        FIELD.match(text, *span) is not None or BLANK_LINE.search(text, before[1], span[0]) is None
        for before, span in pairwise(spans)
    )


def _with_whole_answers(text: str, units: Sequence[SentenceUnit]) -> Iterator[SentenceUnit]:
    """The units; below a question that stands by itself, those of the whole paragraph as one."""
    asked = 0  # where the answer to the question above ends at most
    place = 0
    while place < len(units):
        unit = units[place]
        place += 1
        while (
            place < len(units)
            and units[place].spans[-1][1] <= asked
            and BLANK_LINE.search(text, unit.spans[-1][1], units[place].spans[0][0]) is None
            and LISTED.match(text, *units[place].spans[0]) is None
        ):
            unit = replace(unit, spans=(*unit.spans, *units[place].spans))
            place += 1
        end = unit.spans[-1][1]
        is_question = ASKS.search(text[unit.spans[0][0] : end]) is not None
        asked = end + LONGEST_ANSWER if is_question and NEW_LINE.match(text, end) is not None else 0
        yield unit


def _led(text: str, lead: SentenceUnit, below: Sequence[SentenceUnit]) -> Iterator[Span]:
    """What a sentence with a colon at its end leads to: the items of a list, each with all of its sentences, or the
    rows of a table, or else whatever comes next."""
    inside = list(takewhile(lambda unit: unit.indent >= lead.indent, below))
    if not inside:
        return
    first = inside[0]
    if LISTED.match(text, *first.spans[0]) is None:
        yield from (span for span in first.spans[:1] if span[1] - span[0] <= LONGEST_FOLLOWING)
        return
    items = takewhile(lambda unit: unit.indent > first.indent or LISTED.match(text, *unit.spans[0]), inside)
    spans = [span for unit in items for span in unit.spans][:MOST_FOLLOWING]
    lengths = accumulate(end - start for start, end in spans)
    yield from (span for span, length in zip(spans, lengths, strict=True) if length <= LONGEST_FOLLOWING)


def _code_without_its_beginning(passage: EvidencePassage) -> list[Span]:
    """The pieces of blocks of code that the passage's gaps cut, and what stands before the fence that ends a block
    which begins before the passage."""
    text = passage.text
    ending = _CLOSING_FENCE.search(text)
    is_cut = ending is not None and passage.char_start > 0 and _FENCE.search(text, 0, ending.start()) is None
    after = ending.end() if is_cut and ending is not None else 0
    blocks = [(start + after + 1, end + after) for start, end in code_spans(text[after:])]
    return [(0, after), *blocks]


def _says_nothing(said: str) -> bool:
    return LINK_DEFINITION.match(said) is not None or _is_rule(said)


def _is_rest(passage: EvidencePassage, span: Span) -> bool:
    """Whether this is the end of a sentence that begins before the passage."""
    return span[0] == 0 < passage.char_start and span[1] < len(passage.text) and passage.text[0].islower()


def _is_rule(said: str) -> bool:
    return TABLE_RULE.fullmatch(said) is not None
