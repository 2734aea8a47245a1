"""What /api/answer answers. `ragbase ask --json` prints the same."""

from __future__ import annotations

from collections.abc import Iterable

from ragbase.messages.api.chunk_metadata import ChunkMetadata
from ragbase.messages.api.near_miss import NearMissBody
from ragbase.messages.api.question_parts import MissingAnswerBody, QuestionPartBody
from ragbase.messages.json_model import JsonModel


class VerifiedCitationBody(JsonModel):
    """`text` is the document's extracted text from `charStart` to `charEnd` of `metadata`, in this generation.
    `evidence` is the id of the passage that it is in."""

    text: str
    evidence: str
    document_id: str
    filename: str
    generation: str
    metadata: ChunkMetadata


class AnswerSentenceBody(JsonModel):
    """`supported` says that the citations have what the sentence says. Without it, nobody has verified the sentence,
    and `unsupportedBecause` says why: `citation` if none of its citations holds, or else what they lack or say
    otherwise: `words`, `number`, `date`, `name`, `negation`, `modality`, `direction`."""

    text: str
    supported: bool
    unsupported_because: tuple[str, ...] | None = None
    citations: tuple[VerifiedCitationBody, ...]


class EvidencePassageBody(JsonModel):
    """A passage that the answer was written from, with its score (0 to 1): `content` is the document's extracted text
    from `charStart` to `charEnd`. `id` names it in this answer."""

    id: str
    content: str
    score: float
    document_id: str
    filename: str
    generation: str
    metadata: ChunkMetadata


class EvidenceFound(JsonModel):
    evidence: tuple[EvidencePassageBody, ...]


class AnswerEnd(JsonModel):
    """`text` has the supported sentences, or says that the documents have no information: then `answered` is false.
    `model` names what wrote the answer; it is left out if nothing was found, because nothing was asked then. `nearMiss`
    and `warnings` say then what was nearest, or why there was nothing to search, as in a QueryResponse. `lacks` are the
    identifiers and numbers of the question that none of the evidence has. `searchedFor` and `parts` are those of a
    QueryResponse. `missing` says what the evidence does not hold, of a question with one part. `confidence` says in a
    word how sure the passages are (docs/ranking.md)."""

    text: str
    answered: bool
    model: str | None = None
    warnings: tuple[str, ...] | None = None
    near_miss: NearMissBody | None = None
    lacks: tuple[str, ...] | None = None
    searched_for: str | None = None
    parts: tuple[QuestionPartBody, ...] | None = None
    missing: MissingAnswerBody | None = None
    confidence: str | None = None


class AnswerResponse(AnswerEnd):
    """The whole answer. `evidence` is in the order of the ranks."""

    sentences: tuple[AnswerSentenceBody, ...]
    evidence: tuple[EvidencePassageBody, ...]


AnswerPart = tuple[EvidencePassageBody, ...] | AnswerSentenceBody | AnswerResponse
"""The evidence, then each sentence, then the whole answer."""


def whole(parts: Iterable[AnswerPart]) -> AnswerResponse:
    """The last part."""
    *_, last = parts
    if not isinstance(last, AnswerResponse):
        raise TypeError("the parts of an answer end with the whole")
    return last
