"""The text of a model to sentences: each with the passages that its marks name, and without the marks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ragbase.adapters.chat.plain_text import plain_text
from ragbase.chunking.sentences import code_spans, sentence_spans

_NUMBERS = r"\d{1,3}(?:[ ]?(?:[,;、，–-]|and|und|et|y|e|и|và|和)[ ]?\^?\d{1,3})*"
_MARK = re.compile(
    rf"(?<![ \t])[ \t]*[\[【［]{{1,2}}\^?(?:[^\W\d_]{{1,12}}[ .:#]{{0,2}})?({_NUMBERS})"
    r"(?:†[^\]】］\n]{0,40})?[\]】］]{1,2}(?!\()"
)
"""[1], [1][2], [1, 3], [1-3], [^1], [[1]], [passage 1], 【1†source】. A number in brackets before a parenthesis is a
link's text, and one with four digits a year."""
_OPEN = re.compile(r"(?<![ \t])[ \t]*[\[【［]{1,2}[^\]】］\n]{0,60}\Z")
"""What may become a mark."""
_AFTER_WORD = re.compile(r"[^\s\[(【［.,;:!?…。！？，、；：)\]]")
_ENDS = re.compile(r"[\n.!?…。！？؟।။።៕։|]")
"""Without one of these, a piece completes no sentence."""
_LONG = 1_000
"""Characters. A sentence that has more already is read again each time that it has grown by an eighth: with each piece,
a text that a model never ends (blanks, numbers) would take minutes."""
_CLAUSE = re.compile(r"[,;:，；：、–—]\s*")
_SHORTEST_CLAUSE = 12
"""Characters. Fewer are hardly ever what a passage says."""


@dataclass(frozen=True, slots=True)
class MarkedSentence:
    """`said` has for each mark the number of a passage and the words that it stands behind."""

    text: str
    said: tuple[tuple[int, str], ...] = ()


@dataclass(slots=True)
class MarkedSentences:
    """What has come of the text, and is not given yet."""

    _raw: str = ""
    _clean: str = ""
    _marks: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    _enough: int = 0

    def take(self, piece: str) -> Iterator[MarkedSentence]:
        """The sentences that are complete with this piece: the next one has begun, so no mark of theirs can follow."""
        self._raw += piece
        if len(self._raw) + len(self._clean) < self._enough:
            return
        if not _ENDS.search(self._raw) and not _ENDS.search(self._clean):
            return
        self._read(self._raw_end())
        spans = sentence_spans(self._clean)
        if len(spans) > 1:
            yield from self._given(spans[:-1], until=spans[-1][0])
        left = len(self._raw) + len(self._clean)
        self._enough = left + left // 8 if left > _LONG else 0

    def rest(self, *, cut_off: bool) -> Iterator[MarkedSentence]:
        """All others; without the last one if the text was cut off in it."""
        self._read(len(self._raw))
        spans = sentence_spans(self._clean)
        yield from self._given(spans[:-1] if cut_off else spans, until=len(self._clean))

    def _raw_end(self) -> int:
        """Up to where the text can be read: what may become a mark is not complete."""
        begun = _OPEN.search(self._raw)
        end = begun.start() if begun is not None else len(self._raw)
        marks = list(_MARK.finditer(self._raw, 0, end))
        if marks and not self._raw[marks[-1].end() : end].strip(" \t"):
            return marks[-1].start()  # what follows says whether it begins a line
        return end

    def _read(self, end: int) -> None:
        """Take marks out of the text up to `end`."""
        raw, at = self._raw[:end], 0
        code = code_spans(raw)
        for mark in _MARK.finditer(raw):
            if any(start <= mark.start() < until for start, until in code) or _in_backticks(raw, mark.start()):
                continue
            self._clean += raw[at : mark.start()]
            at = mark.end()
            begins = not self._clean.rpartition("\n")[2].strip(" \t-*+•>#")
            has_more = bool(raw[at:].partition("\n")[0].strip())
            if begins:
                at += len(raw[at:]) - len(raw[at:].lstrip(" \t"))
            else:
                self._clean = self._clean.rstrip(" \t")
            place = len(self._clean) + 1 if begins and has_more else len(self._clean.rstrip())
            self._marks.append((place, tuple(_numbers(mark[1]))))
            if _AFTER_WORD.match(raw, at) and not begins:
                self._clean += " "
        self._clean += raw[at:]
        self._raw = self._raw[end:]

    def _given(self, spans: list[tuple[int, int]], *, until: int) -> Iterator[MarkedSentence]:
        for start, end in spans:
            marks = [(place, numbers) for place, numbers in self._marks if start < place <= end]
            sentence = _sentence(self._clean, start, end, marks)
            if sentence is not None:
                yield sentence
        self._clean = self._clean[until:]
        self._marks = [(place - until, numbers) for place, numbers in self._marks if place > until]


def _sentence(text: str, start: int, end: int, marks: list[tuple[int, tuple[int, ...]]]) -> MarkedSentence | None:
    """None if nothing of it is a word."""
    plain = plain_text(text[start:end])
    if not any(map(str.isalnum, plain)):
        return None
    by_place: dict[int, list[int]] = {}
    for place, numbers in marks:
        by_place.setdefault(place, []).extend(numbers)
    said: list[tuple[int, str]] = []
    begin, last = start, max(by_place, default=start)
    for place, named in sorted(by_place.items()):
        is_last = place == last
        words = plain_text(text[begin : end if is_last or place == start + 1 else place])
        said += ((number, part) for number in named for part in _parts(words, several=len(set(named)) > 1))
        begin = begin if place == start + 1 else place
    return MarkedSentence(plain, tuple(dict.fromkeys(said)))


def _parts(words: str, *, several: bool) -> Iterator[str]:
    """The words; of those that several passages say together, also each clause, because one of them may have it."""
    if words:
        yield words
    clauses = [one.strip() for one in _CLAUSE.split(words)] if several else []
    if len(clauses) > 1:
        yield from (one for one in clauses if len(one) >= _SHORTEST_CLAUSE)


def _numbers(said: str) -> Iterator[int]:
    """Those of "1, 3", and all of "1-3"."""
    for part in re.findall(r"\d+(?:[ ]?[–-][ ]?\^?\d+)?", said):
        numbers = [int(one) for one in re.findall(r"\d+", part)]
        if len(numbers) == 2 and numbers[0] < numbers[1]:  # noqa: PLR2004 - the ends of a range
            yield from range(numbers[0], numbers[1] + 1)
        else:
            yield from numbers


def _in_backticks(text: str, place: int) -> bool:
    line = text[text.rfind("\n", 0, place) + 1 : place]
    return line.count("`") % 2 == 1
