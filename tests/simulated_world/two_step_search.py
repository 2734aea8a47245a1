"""A vector store that searches as real ones do: it chooses its candidates, and reads them later."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from ragbase.domain.errors import Unavailable
from ragbase.ports import Candidates, Hit
from ragbase.testing.vector_store import MemoryVectorStore
from tests.simulated_world.message_queue import Task
from tests.simulated_world.schedule import Schedule
from tests.simulated_world.steps import Steps

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector
    from ragbase.domain.search_filter import SearchFilter

LONGEST_SEARCH = timedelta(seconds=10)
"""A search that takes longer is given up."""
_USUAL_SECONDS, _MOSTLY_SHORT = 8.0, 3
"""What passes between the two steps: up to so many seconds, but mostly much less."""


class TwoStepSearch:
    """The store with another `search`. Between its two steps, anything may happen."""

    def __init__(self, store: MemoryVectorStore, steps: Steps, schedule: Schedule) -> None:
        self._store = store
        self._steps = steps.of("vectors", _Chosen(store))
        self._schedule = schedule

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @property
    def longest_search(self) -> timedelta:
        return LONGEST_SEARCH

    def wait_for_searches(self) -> None:
        if isinstance(self._schedule.owner, Task):
            self._schedule.sleep(LONGEST_SEARCH.total_seconds())

    def search(
        self,
        vector: Vector,
        terms: Sequence[str],
        limit: int,
        *,
        without: Collection[str] = (),
        within: SearchFilter | None = None,
        nearest: int = 0,
    ) -> Candidates:
        began, task = self._schedule.now(), self._schedule.owner
        chosen = self._store.search(vector, terms, limit, without=without, within=within, nearest=nearest)
        if not isinstance(task, Task):
            return chosen  # nothing else happens meanwhile
        self._schedule.sleep(_USUAL_SECONDS * task.source.random() ** _MOSTLY_SHORT)
        found: Candidates = self._steps.read_chosen(chosen)
        if self._schedule.now() > began + LONGEST_SEARCH:
            raise Unavailable("the search takes too long")
        return found


class _Chosen:
    def __init__(self, store: MemoryVectorStore) -> None:
        self._store = store

    def read_chosen(self, chosen: Candidates) -> Candidates:
        """Those that are still there, as they are now."""
        owners = {(hit.chunk.document_id, hit.chunk.generation) for hit in (*chosen.hits, *chosen.nearest)}
        there = {one.chunk.id: one.chunk for owner in sorted(owners) for one in self._store.read(*owner)}

        def read(hits: Sequence[Hit]) -> Sequence[Hit]:
            return [replace(hit, chunk=there[hit.chunk.id]) for hit in hits if hit.chunk.id in there]

        return replace(chosen, hits=read(chosen.hits), nearest=read(chosen.nearest))
