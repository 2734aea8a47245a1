"""Chunks as Qdrant's points, and back."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.labels import Labels
from ragbase.ports import HeldChunk, Hit

if TYPE_CHECKING:
    from qdrant_client.models import Condition, Filter, Record, ScoredPoint, SparseVector

    from ragbase.domain.chunk import Vector
    from ragbase.domain.search_filter import SearchFilter

    Point = Record | ScoredPoint

DENSE = "dense"
"""The name of a point's embedding."""
SPARSE = "sparse"
"""The name of a point's weighted terms."""
OWNER = ["document_id", "generation"]
"""The fields of a point's payload that name its document and generation."""


HIDDEN = "hidden"
"""True in the payload of a point that no search may choose. Other points have no such field."""
LABELS = "labels"
"""The labels of a point's document. Points of an older ragbase have none, those of this one at least one."""
DAY = "day"
"""`Labels.day`, if there is one."""


TENANT = "tenant"
"""The tenant of a point in an index that is split by tenant. Other points have no such field."""


def points_of_tenant(tenant: str | None, which: Filter | None = None) -> Filter | None:
    """Of the points `which`, or of all, those of this tenant. Without a tenant, the index is not split."""
    from qdrant_client.models import FieldCondition, Filter, MatchValue

    if tenant is None:
        return which
    own = FieldCondition(key=TENANT, match=MatchValue(value=tenant))
    return Filter(must=[own, which] if which is not None else [own])


def points_of(document_id: str, generation: int | None = None) -> Filter:
    """A document's points, of this generation or of all."""
    from qdrant_client.models import FieldCondition, Filter, MatchValue

    document = FieldCondition(key="document_id", match=MatchValue(value=document_id))
    if generation is None:
        return Filter(must=[document])
    return Filter(must=[document, FieldCondition(key="generation", match=MatchValue(value=generation))])


def points_between(document_id: str, generation: int, first: int, end: int) -> Filter:
    """The points of a generation whose ordinal is at least `first` and below `end`."""
    from qdrant_client.models import FieldCondition, Filter, Range

    place = FieldCondition(key="ordinal", range=Range(gte=first, lt=end))
    return Filter(must=[points_of(document_id, generation), place])


def candidate_points(without: Collection[str], word: str | None = None) -> Filter:
    """The points that a search may choose: not the hidden ones, nor those of the documents `without`. With `word`, only
    those that hold this term."""
    from qdrant_client.models import FieldCondition, Filter, MatchAny, MatchValue

    hidden = FieldCondition(key=HIDDEN, match=MatchValue(value=True))
    left_out = FieldCondition(key="document_id", match=MatchAny(any=list(without)))
    holds = FieldCondition(key="words", match=MatchValue(value=word)) if word is not None else None
    return Filter(must=holds, must_not=[hidden, left_out] if without else hidden)


def points_within(candidates: Filter, within: SearchFilter) -> Filter:
    """Those of the candidates that may match."""
    from qdrant_client.models import FieldCondition, Filter, IsEmptyCondition, MatchAny, PayloadField, Range

    asked = [FieldCondition(key=LABELS, match=MatchAny(any=list(group))) for group in within.labels]
    first, last = within.days
    if first is not None or last is not None:
        asked.append(FieldCondition(key=DAY, range=Range(gte=first, lte=last)))
    must: list[Condition] = [candidates]
    if asked:
        unlabelled = IsEmptyCondition(is_empty=PayloadField(key=LABELS))
        must.append(Filter(should=[Filter(must=list(asked)), unlabelled]))
    if within.document_ids:
        must.append(points_of_any(sorted(within.document_ids)))
    return Filter(must=must, must_not=points_of_any(sorted(within.refused)) if within.refused else None)


def points_of_any(document_ids: Sequence[str]) -> Filter:
    """The points of all these documents."""
    from qdrant_client.models import FieldCondition, Filter, MatchAny

    return Filter(must=[FieldCondition(key="document_id", match=MatchAny(any=list(document_ids)))])


def points_with(ids: Sequence[str]) -> Filter:
    """The points of the chunks with these ids."""
    from qdrant_client.models import Filter, HasIdCondition

    return Filter(must=[HasIdCondition(has_id=list(ids))])


def sparse_vector(weights: Mapping[str, float]) -> SparseVector:
    """Terms with their weights, each term as a 32-bit hash."""
    from qdrant_client.models import SparseVector

    by_index: dict[int, float] = {}
    for term, weight in weights.items():
        index = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=4).digest())
        by_index[index] = by_index.get(index, 0.0) + weight
    return SparseVector(indices=list(by_index), values=list(by_index.values()))


def payload_of(embedded: EmbeddedChunk) -> dict[str, Any]:
    chunk = embedded.chunk
    terms = embedded.terms.split()
    return {
        "document_id": chunk.document_id,
        "generation": chunk.generation,
        "part": 0,  # older versions of ragbase that share the collection read it
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "header_path": list(chunk.header_path),
        "page": chunk.page,
        "row": chunk.row,
        "text_hash": chunk.text_hash,
        "table_header": chunk.table_header,
        "terms": embedded.terms,
        "words": sorted(set(terms)),
        "term_count": len(terms),
    } | _labels_payload(embedded.labels)


def _labels_payload(labels: Labels | None) -> dict[str, Any]:
    if labels is None:
        return {}
    return {LABELS: list(labels.names)} | ({DAY: labels.day} if labels.day is not None else {})


def _labels(point: Point) -> Labels | None:
    payload = _payload(point)
    return Labels(tuple(payload[LABELS]), payload.get(DAY)) if payload.get(LABELS) else None


def _payload(point: Point) -> dict[str, Any]:
    return point.payload or {}


def chunk_of(point: Point) -> Chunk:
    payload = _payload(point)
    return Chunk(
        id=str(point.id),
        document_id=payload["document_id"],
        generation=payload["generation"],
        ordinal=payload["ordinal"],
        text=payload["text"],
        char_start=payload["char_start"],
        char_end=payload["char_end"],
        header_path=tuple(payload["header_path"]),
        page=payload["page"],
        row=payload.get("row"),
        text_hash=payload["text_hash"],
        table_header=payload.get("table_header", ""),
    )


def _vector(point: Point) -> Vector:
    vectors: Any = point.vector
    return np.array(vectors[DENSE], dtype=np.float32)


def terms_of(point: Point) -> list[str]:
    words: str = _payload(point)["terms"]
    return words.split()


def embedded_of(point: Point) -> EmbeddedChunk:
    return EmbeddedChunk(chunk_of(point), _vector(point), _payload(point)["terms"], _labels(point))


def held_of(point: Point) -> HeldChunk:
    payload = _payload(point)
    return HeldChunk(str(point.id), payload["document_id"], payload["generation"], _labels(point))


def hit_of(point: Point, query: Vector) -> Hit:
    return Hit(chunk_of(point), float(_vector(point) @ query), _payload(point)["terms"])
