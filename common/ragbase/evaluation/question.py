"""Questions whose answers are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ragbase.domain.comparable_values import folded
from ragbase.retrieval.search_result import SearchResult


@dataclass(frozen=True, slots=True)
class FoundText:
    """A passage that a search has found, and the documents that have it, the best first."""

    text: str
    document_ids: Sequence[str]

    @classmethod
    def of(cls, result: SearchResult) -> FoundText:
        return cls(result.chunk.text, [source.document.id for source in result.sources])


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """An answer to a question: a passage of this document, a passage with this text (None: any), or both. Of two
    answers, the one with the higher `grade` is better; it is at least 1."""

    document_id: str | None = None
    text: str | None = None
    grade: int = 1

    def is_met_by(self, text: str, document_id: str) -> bool:
        return (self.document_id is None or self.document_id == document_id) and (
            self.text is None or plain(self.text) in plain(text)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """With nothing `expected`, no document answers it. `ignored` is a document that is no result of this question."""

    id: str
    text: str
    expected: Sequence[Expected] = ()
    ignored: str | None = None

    def items(self, results: Sequence[FoundText]) -> list[str]:
        """What the results are for this question, in their order, each once: an answer has the name that `answers` has
        for it, and anything else has the id of its document."""
        items: dict[str, None] = {}
        by_document = {
            one.document_id: number for number, one in enumerate(self.expected) if one.document_id and one.text is None
        }
        with_text = [(number, one) for number, one in enumerate(self.expected) if one.text is not None]
        for result in results:
            for id in result.document_ids:
                if id == self.ignored:
                    continue
                met = [number for number, one in with_text if one.is_met_by(result.text, id)]
                if id in by_document:
                    met.append(by_document[id])
                items |= dict.fromkeys(map(_name, met)) if met else {id: None}
        return list(items)

    @property
    def answers(self) -> dict[str, int]:
        """The grades of the answers, by name."""
        return {_name(number): one.grade for number, one in enumerate(self.expected)}


def plain(text: str) -> str:
    """The words of a text, without regard to capitals, to how accents are encoded, and to the space between them."""
    return " ".join(folded(text).split())


def _name(number: int) -> str:
    return f"answer {number}"
