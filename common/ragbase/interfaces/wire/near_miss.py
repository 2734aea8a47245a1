"""What was nearest to a question that finds nothing, in the bodies of /api/query and /api/answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.interfaces.wire.chunk_metadata import ChunkMetadata, chunk_metadata
from ragbase.messages.json_model import JsonModel

if TYPE_CHECKING:
    from ragbase.domain.near_miss import NearMiss


class NearPassageBody(JsonModel):
    """A passage whose score does not reach the threshold. It is no result: its text is not shown. `lacks` are the words
    of the question that it does not have."""

    document_id: str
    filename: str
    score: float
    metadata: ChunkMetadata
    lacks: tuple[str, ...]


class NearMissBody(JsonModel):
    """The nearest passages, one to three, nearest first. `unknown` are the words of the question that no passage of the
    index has."""

    threshold: float
    passages: tuple[NearPassageBody, ...]
    unknown: tuple[str, ...]


def near_miss_body(miss: NearMiss | None) -> NearMissBody | None:
    if miss is None:
        return None
    passages = tuple(
        NearPassageBody(
            document_id=near.document.id,
            filename=near.document.source,
            score=near.confidence,
            metadata=chunk_metadata(near.chunk),
            lacks=near.lacks,
        )
        for near in miss.passages
    )
    return NearMissBody(threshold=miss.threshold, passages=passages, unknown=miss.unknown)
