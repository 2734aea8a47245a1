"""Whether a passage has what a sentence says, and where."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.answer import AnswerSentence, Unsupported, VerifiedCitation
from ragbase.domain.chunk import joined_text
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.search_filter import SearchFilter
from ragbase.retrieval.context import ChunksOf
from ragbase.text.terms import analysed_together, terms_in

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk
    from ragbase.ports import DraftCitation, DraftSentence

LEAST = 0.5
"""The share of the terms of a draft citation that a place has to have. A model says the same in other words, so not all
of them can be asked for; but every number is, because a wrong one looks like a right one."""


@dataclass(frozen=True)
class Verifier:
    """Verifies the sentences of one answer. `language` is the index's."""

    evidence: Sequence[EvidencePassage]
    chunks_of: ChunksOf
    language: str
    within: SearchFilter | None = None

    def verified(self, draft: DraftSentence) -> AnswerSentence:
        """The sentence with those of its citations that hold. It is supported if all of them together say what it
        says."""
        found = filter(None, map(self._citation, draft.citations))
        citations = tuple({(one.evidence, one.char_start, one.char_end): one for one in found}.values())
        if citations:
            because = self._disagreements(draft.text, citations)
        else:
            lacking = (reason for one in draft.citations for reason in self._lacking(one))
            because = tuple(dict.fromkeys(lacking)) or (Unsupported.CITATION,)
        return AnswerSentence(draft.text, citations, supported=not because, unsupported_because=because)

    def _disagreements(self, sentence: str, citations: Sequence[VerifiedCitation]) -> tuple[Unsupported, ...]:
        from ragbase.retrieval.meaning.check import CitedPlace, disagreements  # its tables; most queries want no answer

        passages = [self._passages[one.evidence] for one in citations]
        titles = [
            *(title for one in citations for title in (*one.header_path, one.table_header) if title),
            *(one.document.name for one in passages),
        ]
        place = CitedPlace([one.text for one in citations], titles, [one.text for one in passages])
        return tuple(dict.fromkeys(disagreements(sentence, place, self._terms)))

    def _lacking(self, drafted: DraftCitation) -> tuple[Unsupported, ...]:
        """What the nearest place of the passage lacks."""
        passage = self._passages.get(drafted.passage)
        nearest = self._nearest(drafted.words, passage) if passage is not None else None
        return self._lacks(drafted.words, nearest, passage) if passage is not None and nearest is not None else ()

    def _citation(self, drafted: DraftCitation) -> VerifiedCitation | None:
        passage = self._passages.get(drafted.passage)
        place = self._place(drafted.words, passage) if passage is not None else None
        if passage is None or place is None:
            return None
        start, end = place
        chunks = passage.chunks_between(start, end)
        held = self.chunks_of(passage.document).shown(chunks, self.within)
        if not held:
            return None
        first = held[0].char_start
        begin, until = passage.char_start + start, passage.char_start + end
        text = "".join(joined_text(held, start=first))[begin - first : until - first]
        if text != passage.text[start:end]:
            return None
        return _citation(passage, held, text, begin)

    def _place(self, words: str, passage: EvidencePassage) -> tuple[int, int] | None:
        """Where the passage has exactly these sentences; or else its sentence, or two in a row, with the most of these
        words. None if it lacks too many."""
        if self._terms(words) and (exactly := _exactly(words, passage)) is not None:
            return exactly
        nearest = self._nearest(words, passage)
        return (
            (nearest.start, nearest.end) if nearest is not None and not self._lacks(words, nearest, passage) else None
        )

    def _nearest(self, words: str, passage: EvidencePassage) -> _Window | None:
        wanted = self._terms(words)
        return max(self._windows(passage), key=lambda window: self._fit(words, wanted, window), default=None)

    def _lacks(self, words: str, window: _Window, passage: EvidencePassage) -> tuple[Unsupported, ...]:
        """What the window lacks of the words, and of their numbers and dates."""
        if _has(window.terms, self._terms(words)):
            return ()
        from ragbase.retrieval.meaning.check import lacks

        return tuple(lacks(words, window.text, passage.text, self._terms))

    @staticmethod
    def _fit(words: str, wanted: frozenset[str], window: _Window) -> tuple[bool, int, int, int]:
        """The same words come first, then the most terms, then the shorter place and the earlier one."""
        return (window.text == words, len(wanted & window.terms), window.start - window.end, -window.start)

    def _windows(self, passage: EvidencePassage) -> Iterator[_Window]:
        gaps = passage.gaps
        spans = sentence_spans(passage.text, gaps)
        for place, (start, end) in enumerate(spans):
            yield self._window(passage, start, end)
            if place + 1 < len(spans) and not any(start < gap <= spans[place + 1][0] for gap in gaps):
                yield self._window(passage, start, spans[place + 1][1])

    def _window(self, passage: EvidencePassage, start: int, end: int) -> _Window:
        text = passage.text[start:end]
        return _Window(start, end, text, self._terms(text))

    @cached_property
    def _passages(self) -> dict[str, EvidencePassage]:
        return {passage.id: passage for passage in self.evidence}

    @cached_property
    def _spoken(self) -> str:
        """Of a single sentence, the language is often not clear."""
        return analysed_together((passage.text for passage in self.evidence), self.language)

    def _terms(self, text: str) -> frozenset[str]:
        return frozenset(terms_in(text, self._spoken))


@dataclass(frozen=True, slots=True)
class _Window:
    """A part of a passage, and its terms."""

    start: int
    end: int
    text: str
    terms: frozenset[str]


def _exactly(words: str, passage: EvidencePassage) -> tuple[int, int] | None:
    """Where whole sentences of the passage, with no gap between them, are these words."""
    start = passage.text.find(words)
    end = start + len(words)
    if start < 0 or any(start < gap < end for gap in passage.gaps):
        return None
    spans = sentence_spans(passage.text, passage.gaps)
    is_whole = any(start == first for first, _ in spans) and any(end == last for _, last in spans)
    return (start, end) if is_whole else None


def _has(held: frozenset[str], wanted: frozenset[str]) -> bool:
    """Whether `held` has enough of the terms, and each with a digit as it is written. Nothing but blanks and marks says
    nothing, and is never verified."""
    numbers = {term for term in wanted if any(map(str.isdigit, term))}
    return bool(wanted) and numbers <= held and len(wanted & held) >= LEAST * len(wanted)


def _citation(passage: EvidencePassage, held: Sequence[Chunk], text: str, begin: int) -> VerifiedCitation:
    end = begin + len(text)
    chunk = next((one for one in held if one.char_start <= begin and end <= one.char_end), held[0])
    return VerifiedCitation(
        evidence=passage.id,
        document=passage.document,
        generation=chunk.generation,
        char_start=begin,
        char_end=end,
        text=text,
        page=chunk.page,
        row=chunk.row,
        header_path=chunk.header_path,
        table_header=chunk.table_header,
    )
