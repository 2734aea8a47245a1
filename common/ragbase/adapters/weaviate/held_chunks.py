"""Which chunks Weaviate holds, without their texts and vectors."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from ragbase.adapters.weaviate.objects import labels_of_object
from ragbase.ports import HeldChunk

if TYPE_CHECKING:
    from weaviate.collections import CollectionAsync
    from weaviate.collections.classes.filters import FilterReturn

Answer = TypeVar("Answer")

MOST = 9_999
"""The most chunks that a search can ask for: one less than the default of Weaviate's QUERY_MAXIMUM_RESULTS."""

_SURE = MOST // 2
"""An answer with no more chunks has all of them. Weaviate leaves out of an answer what is replaced while it searches,
so one of almost MOST may have been cut, too (1.39.0: 9,994 of 60,000 chunks that were being written again)."""

_OWNER = ["document_id", "generation"]
_FIRST = "00000000-0000-0000-0000-000000000000"
"""Where a listing by id begins. Without an `after` a listing has no order."""
_ORDINALS = 2**31
"""More than the chunks that a document has."""


class Asking(Protocol):
    """Asks one question of a collection. A tenant without a partition has nothing to answer."""

    def __call__(self, question: Callable[[CollectionAsync[Any, Any]], Awaitable[list[Answer]]]) -> list[Answer]: ...


def find_held(ask: Asking, document_ids: Sequence[str], dimension: int) -> Mapping[str, Mapping[int, int]]:
    """Counts the chunks that a search by vector finds, however far away they are. An object may exist while its vector
    is not in the vector index, because Weaviate writes the two one after the other. `ask` answers one question of some
    thousand chunks, in its time.

    An index with a graph may give a chunk twice after others were deleted (seen with 1.39.0). It gives every chunk,
    because a question that more chunks match than are compared has too many answers, and is cut."""
    seen: dict[str, HeldChunk] = {}
    anywhere = np.eye(1, dimension)[0].tolist()
    questions = [_Question(tuple(document_ids))] if document_ids else []
    while questions:
        question = questions.pop()
        chunks: list[HeldChunk] = ask(partial(_nearest, question.filter, anywhere))
        if len(chunks) <= _SURE:
            seen |= {chunk.id: chunk for chunk in chunks}
        elif question.is_whole_document:
            questions += question.windows(max(ask(partial(_last_ordinal, question.filter)), default=0))
        else:
            questions += question.halves
    found: dict[str, Counter[int]] = defaultdict(Counter)
    for chunk in seen.values():
        found[chunk.document_id][chunk.generation] += 1
    return found


async def _nearest(which: FilterReturn, vector: list[float], collection: CollectionAsync[Any, Any]) -> list[HeldChunk]:
    found = await collection.query.near_vector(vector, filters=which, limit=MOST, return_properties=_OWNER)
    return [_held(one) for one in found.objects]


async def _last_ordinal(which: FilterReturn, collection: CollectionAsync[Any, Any]) -> list[int]:
    from weaviate.classes.query import Sort

    order = Sort.by_property("ordinal", ascending=False)
    found = await collection.query.fetch_objects(filters=which, sort=order, limit=1, return_properties=["ordinal"])
    return [int(one.properties["ordinal"]) for one in found.objects]


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
    def is_whole_document(self) -> bool:
        return len(self.ids) == 1 and (self.first, self.end) == (0, _ORDINALS)

    def windows(self, last: int) -> list[_Question]:
        """The same in questions of _SURE ordinals each, up to the last one, and one for what has come since."""
        firsts = range(0, last + 1, _SURE)
        windows = [replace(self, first=first, end=first + _SURE) for first in firsts]
        return [*windows, replace(self, first=firsts[-1] + _SURE)]

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
