"""The bodies of /api/answer (docs/http-api.md). `ragbase ask --json` prints the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.interfaces.wire.chunk_metadata import ChunkMetadata, chunk_metadata
from ragbase.interfaces.wire.near_miss import NearMissBody, near_miss_body
from ragbase.messages.json_model import JsonModel

if TYPE_CHECKING:
    from ragbase.domain.answer import AnswerSentence, GeneratedAnswer, VerifiedCitation
    from ragbase.domain.evidence import EvidencePassage


class CitationBody(JsonModel):
    """`text` is the document's extracted text from `charStart` to `charEnd` of `metadata`, in this generation.
    `evidence` is the id of the passage that it is in."""

    text: str
    evidence: str
    document_id: str
    filename: str
    generation: str
    metadata: ChunkMetadata


class SentenceBody(JsonModel):
    """`supported` says that the citations have what the sentence says. Without it, nobody has verified the sentence."""

    text: str
    supported: bool
    citations: tuple[CitationBody, ...]


class EvidenceBody(JsonModel):
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
    evidence: tuple[EvidenceBody, ...]


class AnswerEnd(JsonModel):
    """`text` has the supported sentences, or says that the documents have no information: then `answered` is false.
    `model` names what wrote the answer; it is left out if nothing was found, because nothing was asked then. `nearMiss`
    and `warnings` say then what was nearest, or why there was nothing to search, as in a QueryResponse. `lacks` are the
    identifiers and numbers of the question that none of the evidence has."""

    text: str
    answered: bool
    model: str | None
    warnings: tuple[str, ...] | None = None
    near_miss: NearMissBody | None = None
    lacks: tuple[str, ...] | None = None


class AnswerResponse(AnswerEnd):
    """The whole answer. `evidence` is in the order of the ranks."""

    sentences: tuple[SentenceBody, ...]
    evidence: tuple[EvidenceBody, ...]


def answer_response(answer: GeneratedAnswer, warnings: tuple[str, ...] | None = None) -> AnswerResponse:
    return AnswerResponse(
        **dict(end_of(answer, warnings)),
        sentences=tuple(map(sentence_body, answer.sentences)),
        evidence=evidence_found(answer.evidence).evidence,
    )


def end_of(answer: GeneratedAnswer, warnings: tuple[str, ...] | None = None) -> AnswerEnd:
    return AnswerEnd(
        text=answer.text,
        answered=answer.has_information,
        model=answer.model,
        warnings=warnings,
        near_miss=near_miss_body(answer.near_miss),
        lacks=answer.lacks or None,
    )


def evidence_found(evidence: Sequence[EvidencePassage]) -> EvidenceFound:
    return EvidenceFound(evidence=tuple(map(_evidence, evidence)))


def sentence_body(sentence: AnswerSentence) -> SentenceBody:
    return SentenceBody(
        text=sentence.text,
        supported=sentence.is_supported,
        citations=tuple(map(_citation, sentence.citations)),
    )


def _evidence(passage: EvidencePassage) -> EvidenceBody:
    place = chunk_metadata(passage.chunks[0])
    return EvidenceBody(
        id=passage.id,
        content=passage.text,
        score=passage.score,
        document_id=passage.document.id,
        filename=passage.document.source,
        generation=str(passage.generation),
        metadata=place.model_copy(update={"char_end": passage.char_end}),
    )


def _citation(citation: VerifiedCitation) -> CitationBody:
    return CitationBody(
        text=citation.text,
        evidence=citation.passage,
        document_id=citation.document.id,
        filename=citation.document.source,
        generation=str(citation.generation),
        metadata=ChunkMetadata(
            page=citation.page,
            row=citation.row,
            heading=" > ".join(citation.header_path) or None,
            char_start=citation.char_start,
            char_end=citation.char_end,
            table_header=citation.table_header or None,
        ),
    )
