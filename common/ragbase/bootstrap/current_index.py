"""The index that a process asks and writes: the current one, which may be another one with the next call."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.tenant import Tenancy

if TYPE_CHECKING:
    from ragbase.domain.index import Index
    from ragbase.ports import Embedder, Indexes, OpenIndex
    from ragbase.retrieval.calibrations import Calibrations


class CurrentIndex:
    """Follows every switch to another index, whichever process makes it. Any thread may use it.

    Settings say what a *new* index is made with. If the current one was made with another model, language or tenancy,
    or for another way of search, the process goes on with those, and logs once that `ragbase reindex` is due.
    """

    def __init__(
        self,
        *,
        indexes: Callable[[], Indexes],
        embedder: Callable[[], Embedder],
        language: str,
        tenancy: Tenancy = Tenancy.NONE,
        has_graph: bool = False,
        embedder_for: Callable[[Index], Embedder],
        calibrations: Callable[[], Calibrations],
    ) -> None:
        """`embedder`, `language`, `tenancy` and `has_graph` are those of the settings. `embedder_for` makes the one
        of another model, `calibrations` has what was fitted for each. Nothing is called before the index is first
        used."""
        self._indexes = indexes
        self._embedder = embedder
        self._language = language
        self._tenancy = tenancy
        self._has_graph = has_graph
        self._embedder_for = embedder_for
        self._calibrations = calibrations
        self._opening = threading.Lock()
        self._open: OpenIndex | None = None

    def get(self) -> OpenIndex | None:
        """The current index; None if there is none yet. Raises ConfigurationError if no embedder fits it."""
        index = self._indexes().current()
        return self.open(index) if index is not None else None

    @property
    def is_open(self) -> bool:
        """Whether the current index is open in this process: to get it waits for nobody."""
        return self._open is not None and self._open.index == self._indexes().current()

    @property
    def is_outdated(self) -> bool:
        """Whether this process has used an index, and the settings name another model, language, tenancy or way of
        search than the current index was made with."""
        index = self._indexes().current() if self._open is not None else None
        return index is not None and not self._fits(index)

    def open(self, index: Index) -> OpenIndex:
        known = self._open
        if known is not None and known.index == index:
            return known
        from ragbase.ports import OpenIndex

        with self._opening:
            if self._open is None or self._open.index != index:
                opened = OpenIndex(index, self._indexes(), self._fitting(index), lambda: self._calibrations().of(index))
                opened.create()
                self._open = opened
            return self._open

    def _fitting(self, index: Index) -> Embedder:
        mine = self._embedder()
        if not self._fits(index):
            telemetry.log(
                "index.outdated",
                level=logging.WARNING,
                index=index.name,
                made_with=_described(index.model, index.language, index.tenancy, index.has_graph),
                settings=_described(mine.model, self._language, self._tenancy, self._has_graph),
                remedy="ragbase reindex",
            )
        return mine if (index.model, index.dimension) == (mine.model, mine.dimension) else self._embedder_for(index)

    def _fits(self, index: Index) -> bool:
        wanted = (self._embedder().model, self._language, self._tenancy, self._has_graph)
        return (index.model, index.language, index.tenancy, index.has_graph) == wanted


def _described(model: str, language: str, tenancy: Tenancy, has_graph: bool) -> str:
    return f"{model}, {language}, tenancy {tenancy}{', with a graph' if has_graph else ''}"
