"""An answer: sentences, each with the citations that it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.answer_type import AnswerType
from ragbase.domain.confidence import Confidence
from ragbase.domain.document import Document
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.near_miss import NearMiss

NO_INFORMATION = "The documents have no information on this."
"""The whole answer if nothing in the index is about the question, or no sentence could be verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifiedCitation:
    """A place in a document that a sentence stands on. `text` is the text of this generation of the document from
    `char_start` to `char_end`: it was compared with what search showed when the sentence was given.

    `evidence` is the id of the passage that it is in. `page` and `row` count from 1. `header_path` has the headings
    above the place, outermost first.
    """

    evidence: str
    document: Document
    generation: int
    char_start: int
    char_end: int
    text: str
    page: int | None = None
    row: int | None = None
    header_path: tuple[str, ...] = ()
    table_header: str = ""


class Unsupported(StrEnum):
    """Why a sentence is not supported."""

    CITATION = "citation"
    """None of its citations holds: it has none, or the document was changed, or the passage does not exist."""
    WORDS = "words"
    """They have less than half of its words, or lack an identifier."""
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    NEGATION = "negation"
    MODALITY = "modality"
    """They say "may" where it says "must", or the like."""
    DIRECTION = "direction"
    """They say "before" where it says "after", or the like."""


@dataclass(frozen=True, slots=True)
class AnswerSentence:
    """`supported` says that the citations have what it says. Without it, nobody has verified the sentence, and
    `unsupported_because` says why: what the citations lack, or say otherwise."""

    text: str
    citations: tuple[VerifiedCitation, ...] = ()
    supported: bool = False
    unsupported_because: tuple[Unsupported, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingAnswer:
    """The passages are on the subject, but do not hold what was asked. `subject` are the words of the question that
    they have."""

    asked: AnswerType
    subject: str
    text: str
    """For the reader: "The passages mention “warranty”, but no sentence on it names an amount of money." """


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """A part of a question that asks for several things, as it was searched for. `covered` says whether at least one
    passage reaches the threshold for it, and holds what it asks for; if not, `missing` says what is not there, if the
    documents are on its subject, and `near_miss` which passages were nearest, if none reaches the threshold. It was not
    even `searched` for if there are too many (MAX_SEARCHES)."""

    text: str
    covered: bool
    missing: MissingAnswer | None = None
    near_miss: NearMiss | None = None
    searched: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedAnswer:
    """`evidence` are the passages that the generator got, best first. `model` is the generator that was asked; None if
    there was no evidence: then `near_miss` says what was nearest. `lacks` are the identifiers and numbers of the
    question that none of the evidence has. `searched_for` is the question that was searched for, if the history
    completed it. `parts` are those of a question that asks for several things; empty for any other. `missing` says what
    the evidence does not hold, of a question with one part. `confidence` says in a word how sure the passages are; None
    if there was nothing to look at. The tokens are those that were billed for the answer, beyond the search."""

    sentences: tuple[AnswerSentence, ...] = ()
    evidence: tuple[EvidencePassage, ...] = ()
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    near_miss: NearMiss | None = None
    lacks: tuple[str, ...] = ()
    searched_for: str | None = None
    parts: tuple[QuestionPart, ...] = ()
    missing: MissingAnswer | None = None
    confidence: Confidence | None = None

    @property
    def answered(self) -> bool:
        """Whether at least one sentence is supported."""
        return any(sentence.supported for sentence in self.sentences)

    @property
    def text(self) -> str:
        """What is missing, the supported sentences, and which parts of the question they leave open; NO_INFORMATION if
        nothing is missing and no sentence is supported."""
        missing = [self.missing, *(part.missing for part in self.parts)]
        supported = [one.text for one in self.sentences if one.supported]
        said = [*(one.text for one in missing if one is not None), *supported]
        return " ".join([*said, *_left_open(self.parts)]) if said else NO_INFORMATION


def _left_open(parts: Sequence[QuestionPart]) -> Iterator[str]:
    if lacking := [part.text for part in parts if part.searched and not part.covered and part.missing is None]:
        yield f"The documents do not answer: {_quoted(lacking)}."
    if beyond := [part.text for part in parts if not part.searched]:
        yield f"Not searched for, ask it alone: {_quoted(beyond)}."


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f'"{text}"' for text in texts)
