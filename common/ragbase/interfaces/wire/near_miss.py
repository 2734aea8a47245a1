"""What was nearest to a question that finds nothing, in the bodies of /api/query and /api/answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.interfaces.wire.chunk_metadata import chunk_metadata
from ragbase.messages.api.near_miss import NearMissBody, NearPassageBody

if TYPE_CHECKING:
    from ragbase.domain.near_miss import NearMiss


def near_miss_body(miss: NearMiss | None) -> NearMissBody | None:
    if miss is None:
        return None
    passages = tuple(
        NearPassageBody(
            document_id=near.document.id,
            filename=near.document.source,
            score=near.score,
            metadata=chunk_metadata(near.chunk),
            lacks=near.lacks,
            confidence=near.confidence,
        )
        for near in miss.passages
    )
    return NearMissBody(threshold=miss.threshold, passages=passages, unknown=miss.unknown)
