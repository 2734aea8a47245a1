"""Chunks as Weaviate's objects, and back."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.ports import Hit

if TYPE_CHECKING:
    from weaviate.collections.classes.filters import FilterReturn
    from weaviate.collections.classes.internal import Object

    from ragbase.domain.chunk import Vector


LARGEST = 2**53 - 1
"""The largest whole number that Weaviate keeps exactly: its numbers are floats on their way. The generations of Cloud
Storage are microseconds since 1970 today, and reach it in the year 2255."""


def properties_of(embedded: EmbeddedChunk, *, hidden: bool) -> dict[str, Any]:
    """Raises PermanentError for a generation that Weaviate would round: search would never show it."""
    chunk = embedded.chunk
    if chunk.generation > LARGEST:
        raise PermanentError(
            ErrorCode.INTERNAL_ERROR,
            f"Weaviate cannot keep the generation {chunk.generation}: its numbers go up to {LARGEST}. Upload the file "
            "again, or use another vector store.",
        )
    properties: dict[str, Any] = {
        "document_id": chunk.document_id,
        "generation": chunk.generation,
        "part": chunk.part,
        "ordinal": chunk.ordinal,
        "text": chunk.text,
        "char_start": chunk.char_start,
        "char_end": chunk.char_end,
        "header_path": list(chunk.header_path),
        "text_hash": chunk.text_hash,
        "table_header": chunk.table_header,
        "terms": embedded.terms,
        "term_count": len(embedded.terms.split()),
        "hidden": hidden,
    }
    places = {"page": chunk.page, "row": chunk.row}
    return properties | {name: place for name, place in places.items() if place is not None}


def is_hidden() -> FilterReturn:
    from weaviate.classes.query import Filter

    return Filter.by_property("hidden").equal(True)


def is_candidate(without: Collection[str]) -> FilterReturn:
    """The objects that a search may choose: not the hidden ones, nor those of the documents `without`. Objects of an
    older ragbase do not say whether they are hidden: none is, and this filter finds them (seen with 1.39.0)."""
    from weaviate.classes.query import Filter

    is_shown = Filter.by_property("hidden").not_equal(True)
    return is_shown & Filter.by_property("document_id").contains_none(list(without)) if without else is_shown


def chunk_of(found: Object[Any, Any]) -> Chunk:
    properties = found.properties
    return Chunk(
        id=str(found.uuid),
        document_id=properties["document_id"],
        generation=properties["generation"],
        part=properties["part"],
        ordinal=properties["ordinal"],
        text=properties["text"],
        char_start=properties["char_start"],
        char_end=properties["char_end"],
        header_path=tuple(properties.get("header_path") or ()),
        page=properties.get("page"),
        row=properties.get("row"),
        text_hash=properties["text_hash"],
        table_header=properties.get("table_header") or "",
    )


def _vector(found: Object[Any, Any]) -> Vector:
    return np.array(found.vector["default"], dtype=np.float32)


def embedded_of(found: Object[Any, Any]) -> EmbeddedChunk:
    return EmbeddedChunk(chunk_of(found), _vector(found), found.properties["terms"])


def hit_of(found: Object[Any, Any], query: Vector) -> Hit:
    """The cosine is computed from the chunk's own vector: the distance that Weaviate reports may be another chunk's, if
    chunks were deleted while it searched (seen with 1.39.0)."""
    return Hit(chunk_of(found), float(_vector(found) @ query), found.properties["terms"])
