"""Which chunks Weaviate holds, without their texts and vectors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ragbase.adapters.weaviate.objects import labels_of_object
from ragbase.ports import HeldChunk

if TYPE_CHECKING:
    from weaviate.collections import CollectionAsync
    from weaviate.collections.classes.filters import FilterReturn

MOST = 9_999
"""The most chunks that a search can ask for: one less than the default of Weaviate's QUERY_MAXIMUM_RESULTS."""

_OWNER = ["document_id", "generation"]
_FIRST = "00000000-0000-0000-0000-000000000000"
"""Where a listing by id begins. Without an `after` a listing has no order."""
_ORDINALS = 2**31
"""More than the chunks that a part of a document has."""


async def find_held(
    collection: CollectionAsync[Any, Any], document_ids: Sequence[str], dimension: int
) -> Mapping[str, Mapping[int, int]]:
    """Counts the chunks that a search by vector finds, however far away they are. An object may exist while its vector
    is not in the vector index, because Weaviate writes the two one after the other.

    An index with a graph may give a chunk twice after others were deleted (seen with 1.39.0). It gives every chunk,
    because a question that more chunks match than are compared has too many answers, and is halved."""
    seen: dict[str, HeldChunk] = {}
    anywhere = np.eye(1, dimension)[0].tolist()
    questions = [_Question(tuple(document_ids))] if document_ids else []
    while questions:
        question = questions.pop()
        answer = await collection.query.near_vector(
            anywhere, filters=question.filter, limit=MOST, return_properties=_OWNER
        )
        if len(answer.objects) == MOST:  # there may be more
            questions += question.halves
        else:
            seen |= {chunk.id: chunk for chunk in map(_held, answer.objects)}
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for chunk in seen.values():
        found[chunk.document_id][chunk.generation] += 1
    return found


@dataclass(frozen=True, slots=True)
class _Question:
    """Which chunks do these documents have, with ordinals from `first` up to `end`?"""

    ids: tuple[str, ...]
    first: int = 0
    end: int = _ORDINALS

    @property
    def filter(self) -> FilterReturn:
        from weaviate.classes.query import Filter

        which: FilterReturn = Filter.by_property("document_id").contains_any(list(self.ids))
        if self.first == 0 and self.end == _ORDINALS:
            return which
        ordinal = Filter.by_property("ordinal")
        return which & ordinal.greater_or_equal(self.first) & ordinal.less_than(self.end)

    @property
    def halves(self) -> tuple[_Question, _Question]:
        if len(self.ids) > 1:
            middle = len(self.ids) // 2
            return replace(self, ids=self.ids[:middle]), replace(self, ids=self.ids[middle:])
        between = (self.first + self.end) // 2
        return replace(self, end=between), replace(self, first=between)


async def list_held(collection: CollectionAsync[Any, Any], after: str, limit: int) -> Sequence[HeldChunk]:
    """The next chunks by id, with their labels."""
    found = await collection.query.fetch_objects(
        after=after or _FIRST, limit=limit, return_properties=[*_OWNER, "labels", "day"]
    )
    return [_held(one) for one in found.objects]


def _held(one: Any) -> HeldChunk:
    return HeldChunk(str(one.uuid), one.properties["document_id"], one.properties["generation"], labels_of_object(one))
