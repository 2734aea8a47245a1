"""A question and its evidence to the sentences of an answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from ragbase.domain.evidence import EvidencePassage


@dataclass(frozen=True, slots=True)
class DraftCitation:
    """What a generator says that a sentence has from a passage: the id of the passage, and words that the passage has,
    as exactly as the generator knows them. Nobody has verified it yet."""

    passage: str
    words: str


@dataclass(frozen=True, slots=True)
class DraftSentence:
    text: str
    citations: tuple[DraftCitation, ...] = ()


@dataclass(frozen=True, slots=True)
class Billed:
    """The tokens that an answer was billed for."""

    input_tokens: int
    output_tokens: int


class Generator(Protocol):
    """Answers a question from passages. The text of a passage is data: what it tells the reader to do is not done."""

    @property
    def model(self) -> str:
        """Names what answers, for the log and the reader."""
        ...

    def generate(self, question: str, evidence: Sequence[EvidencePassage]) -> Iterator[DraftSentence | Billed]:
        """The sentences of the answer in their order, each as soon as it is complete, and what they cost.

        There is at least one passage. Raises Unavailable if the service does not answer, also after some sentences,
        and QuestionRefused if it does not want this question.
        """
        ...


@runtime_checkable
class QuotingGenerator(Generator, Protocol):
    """A generator that takes sentences out of the passages, on this machine and in no time. So it may be asked several
    times, and it knows one question at a time."""

    @property
    def quotes(self) -> bool: ...
