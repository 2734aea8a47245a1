"""Every use case of the pipeline, as the profiles wire it, on the ports of a simulated world."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ragbase.adapters.memory.checkpoints import MemoryCheckpoints
from ragbase.adapters.memory.indexes import MemoryIndexes
from ragbase.domain.index import Index, index_of
from ragbase.domain.job import Job
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.routing import Lane
from ragbase.pipeline import backfill as backfill_module
from ragbase.pipeline import dead_letter as dead_letter_module
from ragbase.pipeline import janitor as janitor_module
from ragbase.pipeline import process as process_module
from ragbase.pipeline import reconcile as reconcile_module
from ragbase.pipeline import recover as recover_module
from ragbase.pipeline import reindex as reindex_module
from ragbase.pipeline import replay as replay_module
from ragbase.pipeline import retry as retry_module
from ragbase.pipeline import route as route_module
from ragbase.pipeline.find_letters import find_letters
from ragbase.pipeline.index_text import Indexer
from ragbase.pipeline.reindexing import Reindexing
from ragbase.pipeline.repair import Stores
from ragbase.pipeline.report import Report
from ragbase.retrieval import search as search_module
from ragbase.retrieval.live_index import LiveIndex
from ragbase.retrieval.search import SearchResult
from ragbase.testing.contents import LANGUAGE, SimulatedChunker, SimulatedEmbedder, SimulatedExtractor
from ragbase.testing.faults import Crash
from ragbase.testing.message_queue import Task
from ragbase.testing.schedule import Schedule
from ragbase.testing.steps import Steps

LEASE = timedelta(minutes=2)
EVERYTHING = 200
"""More chunks than a world ever holds."""
_RATE = 100.0
"""Objects that a backfill routes a second."""
_GRACE = 5.0
"""Seconds that a reindex gives those that still ask the old index."""
_SLEEPY = 20
"""How many times as long as it asks for a reindex sleeps: it looks every second whether the lanes get on, and it is
enough to simulate some of these."""


def _index(model: str) -> Index:
    return index_of("simulated", model=model, dimension=SimulatedEmbedder.dimension, language=LANGUAGE)


FIRST_INDEX, SECOND_INDEX = _index("simulated"), _index("simulated anew")
"""The index that a world begins with, and what a reindex puts in its place: another model, the same chunks."""


class UseCases:
    """Each as one call. `died` is told the name of each worker that a crash has ended."""

    def __init__(
        self,
        *,
        bucket: Any,
        documents: Any,
        publisher: Any,
        letters: Any,
        indexes: MemoryIndexes,
        schedule: Schedule,
        steps: Steps,
        died: Callable[[str], None],
    ) -> None:
        self._bucket = steps.of("bucket", bucket)
        self._letters = steps.of("letters", letters)
        self._checkpoints = steps.of("checkpoints", MemoryCheckpoints())
        self._extractor = steps.of("extractor", SimulatedExtractor())
        self._documents = steps.of("documents", documents)
        self._publisher = steps.of("publisher", publisher)
        self._ports = {"documents": self._documents, "publisher": self._publisher, "clock": schedule}
        self._raw_indexes = indexes
        self._indexes = steps.of("indexes", _WatchedIndexes(indexes, steps))
        self._schedule = schedule
        self._steps = steps
        self._died = died
        self._busy: set[str] = set()
        self._deaths: Counter[str] = Counter()
        self._claims = itertools.count()

    @property
    def live(self) -> Index:
        live = self._raw_indexes.live()
        if live is None:
            raise AssertionError("a world begins with an index")
        return live

    def _vectors(self, index: Index) -> Any:
        return self._steps.of("vectors", self._raw_indexes.open(index))

    def _embedder(self, index: Index) -> Any:
        return self._steps.of("embedder", SimulatedEmbedder(index.model))

    def _indexer(self, index: Index, vectors: Any) -> Indexer:
        return Indexer(
            chunker=SimulatedChunker(), embedder=self._embedder(index), vectors=vectors, language=index.language
        )

    @property
    def _stores(self) -> Stores:
        return Stores(bucket=self._bucket, vectors=self._vectors(self.live), index=self.live.name, **self._ports)

    def route(self, event: ObjectEvent) -> None:
        route_module.route(event, bucket=self._bucket, **self._ports)

    def process(self, task: Task, job: Job, lane: Lane) -> None:
        """By the first worker of the lane that is free: each is at one job at a time, and may die of it."""
        place = next(place for number in itertools.count() if (place := f"{lane}-{number}") not in self._busy)
        task.worker = f"{place}.{self._deaths[place]}"
        self._busy.add(place)
        index = self.live
        vectors = self._vectors(index)
        worker = process_module.Worker(
            name=task.worker,
            lane=lane,
            lease=LEASE,
            bucket=self._bucket,
            index=index,
            indexes=self._indexes,
            vectors=vectors,
            extractor=self._extractor,
            indexer=self._indexer(index, vectors),
            claims=self._claims,
            **self._ports,
        )
        try:
            process_module.process(job, worker)
        except Crash:
            self._deaths[place] += 1
            self._died(task.worker)
            raise
        finally:
            self._busy.discard(place)

    def recover(self, worker: str) -> None:
        recover_module.recover(worker, documents=self._documents, clock=self._schedule)

    def dead_letter(self, message: Job | ObjectEvent, reason: str, deliveries: int) -> None:
        dead_letter_module.dead_letter(
            message,
            reason,
            deliveries=deliveries,
            documents=self._documents,
            letters=self._letters,
            clock=self._schedule,
        )

    def retry(self, document_id: str) -> None:
        retry_module.retry(document_id, letters=self._letters, **self._ports)

    def replay(self) -> None:
        for letter in find_letters(self._letters):
            replay_module.replay(letter, bucket=self._bucket, letters=self._letters, **self._ports)

    def reconcile(self) -> None:
        for _ in reconcile_module.reconcile(self._stores, repairs=True):
            pass

    def compare(self) -> Report:
        report = Report()
        for progress in reconcile_module.reconcile(self._stores):
            report.add(progress)
        return report

    def janitor(self) -> None:
        janitor_module.janitor(self._stores, self._checkpoints)

    def backfill(self) -> None:
        for _ in backfill_module.backfill("", self._stores, rate=_RATE, sleep=self._schedule.sleep):
            pass

    def reindex(self, *, discard: bool = False) -> None:
        reindex_module.reindex(
            Reindexing(
                bucket=self._bucket,
                indexes=self._indexes,
                extractor=self._extractor,
                wanted=SECOND_INDEX,
                indexer_of=self._indexer,
                sleep=lambda seconds: self._schedule.sleep(seconds * _SLEEPY),
                grace=_GRACE,
                **self._ports,
            ),
            discard=discard,
        )

    def search(self, *, everything: bool) -> list[SearchResult]:
        index = self.live
        return search_module.search(
            "inspected boiler, leave and parcels",
            index=LiveIndex(self._vectors(index), self._documents),
            embedder=self._embedder(index),
            top_k=EVERYTHING if everything else 3,
            threshold=0.0,
            language=index.language,
        )


class _WatchedIndexes:
    """The indexes, whose chunks are a port of their own."""

    def __init__(self, indexes: MemoryIndexes, steps: Steps) -> None:
        self._indexes = indexes
        self._steps = steps

    def open(self, index: Index) -> Any:
        return self._steps.of("vectors", self._indexes.open(index))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._indexes, name)
