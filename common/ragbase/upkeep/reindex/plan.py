"""What a reindex has to do: which documents are due, and which index to build."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragbase.domain.document import Document
from ragbase.domain.index import Index, index_of
from ragbase.pipeline.make_chunks import Maker
from ragbase.ports import OpenPartitions, Ports
from ragbase.upkeep.reindex.rebuild_document import Rebuilder

PAGE = 100
"""Records that are read together: at most as many documents are in memory at a time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReindexPlan:
    """The ports of a reindex, and what the settings ask for.

    `wanted` is the index that the settings make, and `maker_for` gives what makes chunks in any index. `grace` is in
    seconds: longer than it takes until every process knows of a switch and has answered the queries before it, and
    longer than a lane takes from its look at the hold to its flip. `each` may make its calls in parallel, as the map of
    an executor does.
    """

    ports: Ports
    wanted: Index
    maker_for: Callable[[Index], Maker]
    sleep: Callable[[float], None]
    grace: float
    each: Callable[[Callable[[Document], Any], Sequence[Document]], Iterable[Any]] = map

    def rebuilder(self, index: Index, source: Index | None) -> Rebuilder:
        """What makes documents for `index`, with the embeddings that `source` has."""
        reusable = source is not None and source.model == index.model
        return Rebuilder(
            ports=self.ports,
            maker=self.maker_for(index),
            source=OpenPartitions(source, self.ports.indexes) if source is not None and reusable else None,
        )

    def records(self) -> Iterator[Sequence[Document]]:
        """All of them, a page at a time."""
        after = ""
        while True:
            page = self.ports.documents.scan(self.ports.bucket.name, after=after, limit=PAGE)
            yield page
            if len(page) < PAGE:
                return
            after = page[-1].name

    def is_due(self, current: Index) -> bool:
        """Whether the current settings would make anything in the current index differently."""
        if not current.made_like(self.wanted):
            return True
        maker = self.maker_for(current)
        return any(maker.is_outdated(record) for page in self.records() for record in page)

    def target(self, current: Index) -> Index:
        """The index to build next to the current one."""
        wanted = self.wanted
        if wanted.name != current.name:
            return wanted
        return index_of(
            wanted.name,
            model=wanted.model,
            dimension=wanted.dimension,
            language=wanted.language,
            tenancy=wanted.tenancy,
            has_graph=wanted.has_graph,
            replaces=current.name,
        )

    def half_built(self, *but: Index) -> list[Index]:
        """The other indexes that hold documents: the work of a reindex that did not finish."""
        others = [index for index in self.ports.indexes.all() if index not in but]
        if not others:
            return []
        named = {record.rebuilt.index_name for page in self.records() for record in page if record.rebuilt is not None}
        return [index for index in others if index.name in named]
