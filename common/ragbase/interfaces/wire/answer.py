"""The bodies of /api/answer (docs/http-api.md). `ragbase ask --json` prints the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ragbase.interfaces.wire.chunk_metadata import chunk_metadata
from ragbase.interfaces.wire.near_miss import near_miss_body
from ragbase.interfaces.wire.question_parts import missing_body, part_bodies
from ragbase.messages.api.answer import (
    AnswerPart,
    AnswerResponse,
    AnswerSentenceBody,
    EvidencePassageBody,
    VerifiedCitationBody,
)
from ragbase.messages.api.chunk_metadata import ChunkMetadata

if TYPE_CHECKING:
    from ragbase.domain.answer import AnswerSentence, GeneratedAnswer, VerifiedCitation
    from ragbase.domain.evidence import EvidencePassage
    from ragbase.retrieval.answer import AnswerPart as Part


def answer_part(part: Part, warnings: Callable[[], tuple[str, ...]]) -> AnswerPart:
    """The evidence, a sentence or the whole answer. `warnings` say why there was nothing to search: they are asked for
    if the answer has neither evidence nor a near miss."""
    from ragbase.domain.answer import AnswerSentence, GeneratedAnswer

    if isinstance(part, AnswerSentence):
        return _sentence(part)
    if isinstance(part, GeneratedAnswer):
        is_told = part.evidence or part.near_miss is not None
        return answer_response(part, None if is_told else warnings())
    return tuple(map(_evidence, part))


def answer_response(answer: GeneratedAnswer, warnings: tuple[str, ...] | None = None) -> AnswerResponse:
    return AnswerResponse(
        text=answer.text,
        answered=answer.answered,
        model=answer.model,
        warnings=warnings,
        near_miss=near_miss_body(answer.near_miss),
        lacks=answer.lacks or None,
        searched_for=answer.searched_for,
        parts=part_bodies(answer.parts),
        missing=missing_body(answer.missing),
        confidence=answer.confidence,
        sentences=tuple(map(_sentence, answer.sentences)),
        evidence=tuple(map(_evidence, answer.evidence)),
    )


def _sentence(sentence: AnswerSentence) -> AnswerSentenceBody:
    return AnswerSentenceBody(
        text=sentence.text,
        supported=sentence.supported,
        unsupported_because=sentence.unsupported_because or None,
        citations=tuple(map(_citation, sentence.citations)),
    )


def _evidence(passage: EvidencePassage) -> EvidencePassageBody:
    place = chunk_metadata(passage.chunks[0])
    return EvidencePassageBody(
        id=passage.id,
        content=passage.text,
        score=passage.score,
        document_id=passage.document.id,
        filename=passage.document.source,
        generation=str(passage.generation),
        metadata=place.model_copy(update={"char_end": passage.char_end}),
    )


def _citation(citation: VerifiedCitation) -> VerifiedCitationBody:
    return VerifiedCitationBody(
        text=citation.text,
        evidence=citation.evidence,
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
