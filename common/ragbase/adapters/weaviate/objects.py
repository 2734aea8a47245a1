"""Chunks as Weaviate's objects, and back."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from ragbase.adapters.weaviate.partitions import TENANT
from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.errors import ErrorCode, PermanentError
from ragbase.domain.labels import Labels
from ragbase.ports import Hit

if TYPE_CHECKING:
    from weaviate.collections.classes.filters import FilterReturn
    from weaviate.collections.classes.internal import Object

    from ragbase.domain.chunk import Vector
    from ragbase.domain.search_filter import SearchFilter


LARGEST = 2**53 - 1
"""The largest whole number that Weaviate keeps exactly: its numbers are floats on their way. The generations of Cloud
Storage are microseconds since 1970 today, and reach it in the year 2255."""


LABELLED = "labelled"
"""Stands among the labels of every object that has labels. Weaviate finds objects that lack a property only by what it
does not contain: a search for null needs a setting that older collections were made without."""


def properties_of(embedded: EmbeddedChunk, *, hidden: bool, tenant: str | None) -> dict[str, Any]:
    """The object of a chunk. `tenant` is None in an index that is not split by tenant.

    Raises PermanentError for a generation that Weaviate would round: search would never show it."""
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
        "part": 0,  # older versions of ragbase that share the collection read it
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
    labels = embedded.labels
    optional: dict[str, Any] = {"page": chunk.page, "row": chunk.row, TENANT: tenant}
    if labels is not None:
        optional |= {"labels": [LABELLED, *labels.names], "day": labels.day}
    return properties | {name: value for name, value in optional.items() if value is not None}


def is_hidden() -> FilterReturn:
    from weaviate.classes.query import Filter

    return Filter.by_property("hidden").equal(True)


def is_candidate(without: Collection[str]) -> FilterReturn:
    """The objects that a search may choose: not the hidden ones, nor those of the documents `without`. Objects of an
    older ragbase do not say whether they are hidden: none is, and this filter finds them (seen with 1.39.0)."""
    from weaviate.classes.query import Filter

    is_shown = Filter.by_property("hidden").not_equal(True)
    return is_shown & Filter.by_property("document_id").contains_none(list(without)) if without else is_shown


def is_within(within: SearchFilter) -> FilterReturn | None:
    """The objects that may match; None if all may. Those of an older ragbase have no labels, and this filter leaves
    them: a property that an object lacks contains none of anything (seen with 1.39.0)."""
    from weaviate.classes.query import Filter

    asked = [Filter.by_property("labels").contains_any(list(group)) for group in within.labels]
    first, last = within.days
    if first is not None:
        asked.append(Filter.by_property("day").greater_or_equal(first))
    if last is not None:
        asked.append(Filter.by_property("day").less_or_equal(last))
    parts = []
    if asked:
        parts.append(Filter.all_of(asked) | Filter.by_property("labels").contains_none([LABELLED]))
    if within.document_ids:
        parts.append(Filter.by_property("document_id").contains_any(sorted(within.document_ids)))
    if within.refused:
        parts.append(Filter.by_property("document_id").contains_none(sorted(within.refused)))
    return Filter.all_of(parts) if parts else None


def labels_of_object(found: Object[Any, Any]) -> Labels | None:
    """None if it has none, or they were not asked for."""
    names = found.properties.get("labels")
    return Labels(tuple(name for name in names if name != LABELLED), found.properties.get("day")) if names else None


def chunk_of(found: Object[Any, Any]) -> Chunk:
    properties = found.properties
    return Chunk(
        id=str(found.uuid),
        document_id=properties["document_id"],
        generation=properties["generation"],
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
    return EmbeddedChunk(chunk_of(found), _vector(found), found.properties["terms"], labels_of_object(found))


def hit_of(found: Object[Any, Any], query: Vector) -> Hit:
    """The cosine is computed from the chunk's own vector: the distance that Weaviate reports may be another chunk's, if
    chunks were deleted while it searched (seen with 1.39.0)."""
    return Hit(chunk_of(found), float(_vector(found) @ query), found.properties["terms"])
