"""The statements of the evidence with the terms that choose among them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from ragbase.adapters.extractive.said_terms import said_terms
from ragbase.adapters.extractive.statements import Statement, statements_of
from ragbase.adapters.extractive.units import ASKS, Span
from ragbase.domain.evidence import EvidencePassage

LONG_ENTRY = 500
"""Characters. Of a longer row or entry, only some fields are quoted."""

RESTATED = 0.8
"""The share of a text's terms that the question has, and of the question's that the text has, if the text is the
question in other words."""

_MARK = re.compile(r"\A(?:[-*+>]|\d{1,9}[.)])\s+")
_LINK = re.compile(r"(?:\s*+(?:[-*+>]\s++)*+!?\[[^\]]*+\]\((?>[^\n]*\)))++")
"""It gives nothing back: a text of many links has endless ways to be taken apart."""

_IN_A_PARAGRAPH = re.compile(r"[^\S\n]*\n?[^\S\n]*")
"""What stands between two of its sentences."""
_CELL_END = re.compile(r"(?<!\\)\|")
_ENDS = re.compile(r"[.!?:;…。！？：；؟][\"'”’»)\]*_`]*\Z|\|\Z")


@dataclass(frozen=True, slots=True)
class Quotable:
    """A statement of the evidence.

    `place` is the rank of its passage and where it begins there, and `spans` are its places in it. `answer` is what a
    row of a table says beside the question. `is_listed` says that it is an item of a list or a row, `is_opening` that
    it is the first one below its heading. `term` is what it describes, and `names` has the terms of each of its names,
    or of the heading. `said` are the terms of what is quoted, `terms` those of its own part, with the question that it
    answers, and `led` those of the list or table that it brings; `before` and `after` those of the statements that it
    stands between, and `around` those of the passage.
    """

    place: tuple[int, int]
    passage: EvidencePassage
    spans: tuple[Span, ...]
    answer: str
    is_entry: bool
    is_listed: bool
    is_opening: bool
    term: Span | None
    said: tuple[str, ...]
    terms: frozenset[str]
    before: frozenset[str]
    after: frozenset[str]
    led: frozenset[str]
    around: frozenset[str]
    headings: frozenset[str]
    names: tuple[frozenset[str], ...]

    @property
    def text(self) -> str:
        if self.answer:
            return self.answer
        said = ""
        for span in self.spans:
            text = _MARK.sub("", " ".join(self.passage.text[slice(*span)].split()))
            said += f"{'' if not said else ' ' if _ENDS.search(said) else '; '}{text}"
        return said

    @property
    def places(self) -> tuple[str, ...]:
        """Its texts in the passage. Those with only blanks between them are one."""
        return tuple(self.passage.text[slice(*one)] for one in _joined(self.spans, self.passage))

    def has(self, other: Quotable) -> bool:
        """Whether all that the other one quotes is a part of this one."""
        return self.passage is other.passage and set(self.spans).issuperset(other.spans)

    def goes_on(self, before: Quotable) -> bool:
        """Whether both are sentences of one paragraph, and this is after the other one. No item or row goes on."""
        end, start = max(before.spans)[1], min(self.spans)[0]
        is_prose = not (before.is_entry or self.is_entry or before.is_listed or self.is_listed)
        between = self.passage.text[end:start]
        return (
            is_prose
            and self.passage is before.passage
            and end <= start
            and _IN_A_PARAGRAPH.fullmatch(between) is not None
        )

    def and_also(self, other: Quotable) -> Quotable:
        """Two that are about the same term, which is said once."""
        return replace(self, spans=tuple(sorted({*self.spans, *other.spans})))


def quotables(wanted: frozenset[str], evidence: Sequence[EvidencePassage], spoken: str) -> Iterator[Quotable]:
    """All that says something. `wanted` are the terms of the question, and all is analysed in the language `spoken`."""
    for rank, passage in enumerate(evidence):
        yield from _Passage(passage, rank, spoken).quotables(wanted)


@dataclass(frozen=True)
class _Passage:
    passage: EvidencePassage
    rank: int
    spoken: str

    def quotables(self, wanted: frozenset[str]) -> Iterator[Quotable]:
        around = frozenset(said_terms(self.passage.text, self.spoken))
        statements = list(statements_of(self.passage))
        terms = [frozenset(self._terms(_own(one))) for one in statements]
        openings = _openings(statements)
        for place, statement in enumerate(statements):
            quoted = self._fields(wanted, statement) if statement.is_entry else statement.quoted
            said = tuple(self._terms(quoted))
            if said and not self._only_names(wanted, said, statement):
                first, last = min(quoted), max(quoted)
                path = self.passage.chunks_between(first[0], last[1])[0].header_path
                heading = frozenset(self._terms((statement.heading,)) if statement.heading is not None else ())
                head = [span for span in quoted if statement.row is not None and span != statement.row]
                above = heading.union(said_terms(" ".join(path), self.spoken), self._terms(head))
                answers = heading if is_restated(heading, wanted) else ()  # the heading is the question
                before, after = _beside(statements, terms, place)
                name = self._name(statement) if statement.term is not None else ()
                yield Quotable(
                    place=(self.rank, first[0]),
                    passage=self.passage,
                    spans=tuple(sorted(quoted)),
                    answer=self._answer_of_row(wanted, statement.row) if statement.row is not None else "",
                    is_entry=statement.is_entry,
                    is_listed=statement.is_listed,
                    is_opening=place in openings,
                    term=statement.term,
                    said=said,
                    terms=terms[place].union(self._terms(statement.about), answers, *name),
                    before=before.union(said),
                    after=after,
                    led=frozenset(self._terms(statement.led)),
                    around=around,
                    headings=above,
                    names=name or (heading,),
                )

    def _only_names(self, wanted: frozenset[str], said: Sequence[str], statement: Statement) -> bool:
        """Whether this is nothing but a link to another page, or has only words of the question and is no sentence, as
        a title."""
        text = self.passage.text[statement.quoted[0][0] : statement.quoted[-1][1]]
        if statement.is_entry or statement.row is not None or "://" in text:
            return False
        return _LINK.fullmatch(text) is not None or (wanted.issuperset(said) and _ENDS.search(text) is None)

    def _fields(self, wanted: frozenset[str], entry: Statement) -> tuple[Span, ...]:
        """The fields of an entry, without one that is the question itself. Of a long entry, the first one, which tells
        it from others, and those that have words of the question."""
        terms = {span: frozenset(self._terms((span,))) for span in entry.quoted}
        answering = [span for span in entry.quoted if not is_restated(terms[span], wanted)]
        fields = answering or list(entry.quoted)
        if sum(end - start for start, end in fields) > LONG_ENTRY:
            fields = [span for span in fields if span == fields[0] or terms[span] & wanted]
        lengths = accumulate(end - start for start, end in fields)
        return tuple(
            span for span, length in zip(fields, lengths, strict=True) if span == fields[0] or length <= LONG_ENTRY
        )

    def _answer_of_row(self, wanted: frozenset[str], row: Span) -> str:
        """Of a row with a question, or with the question that was asked, the other cells; else nothing."""
        cells = [cell.strip() for cell in _CELL_END.split(self.passage.text[slice(*row)].strip("| \t"))]
        others = [
            cell
            for cell in cells
            if not ASKS.search(cell) and not is_restated(frozenset(said_terms(cell, self.spoken)), wanted)
        ]
        return "; ".join(filter(None, others)) if len(others) < len(cells) else ""

    def _name(self, statement: Statement) -> tuple[frozenset[str], ...]:
        """The terms of each name in the first line of the term, as in `-q, --quiet`. A row has its first cell."""
        first, last = statement.term or (0, 0)
        line = self.passage.text[first:last].split("\n", 1)[0]
        names = _CELL_END.split(line.strip("| \t"))[:1] if statement.row is not None else line.split(",")
        return tuple(frozenset(said_terms(name, self.spoken)) for name in names)

    def _terms(self, spans: Sequence[Span]) -> list[str]:
        return said_terms("\n".join(self.passage.text[slice(*span)] for span in spans), self.spoken)


def is_restated(field: frozenset[str], wanted: frozenset[str]) -> bool:
    return bool(field) and len(field & wanted) >= RESTATED * max(len(field), len(wanted))


def _openings(statements: Sequence[Statement]) -> set[int]:
    """The places of the first statements below each heading. An item of a list is none."""
    first: dict[Span, int] = {}
    for place, one in enumerate(statements):
        if one.heading is not None and not one.is_listed:
            first.setdefault(one.heading, place)
    return set(first.values())


def _own(statement: Statement) -> tuple[Span, ...]:
    """What is quoted without what others are quoted with, too: the head of a table, the items that a lead-in brings,
    and the sentence with the term if that stands above all that describes it."""
    if statement.row is not None:
        return (statement.row,)
    shared = {*statement.led, *([statement.term] if statement.is_description else [])}
    return tuple(span for span in statement.quoted if span not in shared)


_NOTHING: frozenset[str] = frozenset()


def _beside(
    statements: Sequence[Statement], terms: Sequence[frozenset[str]], place: int
) -> tuple[frozenset[str], frozenset[str]]:
    """The terms of the statements before and after one, under the same heading. An item or a row belongs to the
    sentence above its list or table, and not to the one beside it; an entry belongs to none."""
    one = statements[place]
    if one.is_entry:
        return _NOTHING, _NOTHING
    above = place - 1
    while one.is_listed and above >= 0 and statements[above].is_listed and statements[above].heading == one.heading:
        above -= 1
    before = terms[above] if above >= 0 and statements[above].heading == one.heading else _NOTHING
    below = place + 1
    has_after = not one.is_listed and below < len(statements) and statements[below].heading == one.heading
    return before, terms[below] if has_after else _NOTHING


def _joined(spans: Sequence[Span], passage: EvidencePassage) -> list[Span]:
    """Those with only blanks between them as one, but over no gap of the passage."""
    joined = [spans[0]]
    for start, end in spans[1:]:
        begin, until = joined[-1]
        if passage.text[until:start].strip() or any(until <= gap <= start for gap in passage.gaps):
            joined.append((start, end))
        else:
            joined[-1] = (begin, end)
    return joined
