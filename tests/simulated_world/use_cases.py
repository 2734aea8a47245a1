"""Every use case of the pipeline, as the profiles wire it, on the ports of a simulated world."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ragbase.bootstrap.current_index import CurrentIndex
from ragbase.domain.errors import ErrorCode, GenerationChanged, NotAwaited
from ragbase.domain.index import Index, index_of
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.program_files import ProgramFiles
from ragbase.domain.tenant import Tenancy
from ragbase.domain.work import Failure
from ragbase.pipeline import add_document as add_module
from ragbase.pipeline import claim as claim_module
from ragbase.pipeline import give_text as give_module
from ragbase.pipeline import process as process_module
from ragbase.pipeline import route as route_module
from ragbase.pipeline.concurrent_calls import Call, Outcome, outcome_of
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.worker import Worker
from ragbase.ports import OpenIndex, Partitions
from ragbase.retrieval import search_one_index as search_module
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.calibrations import Calibrations
from ragbase.retrieval.search_result import SearchResult
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.indexes import MemoryIndexes
from ragbase.upkeep import backfill as backfill_module
from ragbase.upkeep import janitor as janitor_module
from ragbase.upkeep import retry as retry_module
from ragbase.upkeep.dead_letters import keep as keep_module
from ragbase.upkeep.dead_letters import replay as replay_module
from ragbase.upkeep.dead_letters.find import find_dead_letters
from ragbase.upkeep.reconcile import reconcile as reconcile_module
from ragbase.upkeep.reconcile.report import Report
from ragbase.upkeep.reindex import reindex as reindex_module
from ragbase.upkeep.reindex.plan import ReindexPlan
from tests.simulated_world.contents import LANGUAGE, RELEASES, SimulatedChunker, SimulatedEmbedder, SimulatedExtractor
from tests.simulated_world.faults import Crash, Faults
from tests.simulated_world.instances import Instance, Instances
from tests.simulated_world.message_queue import Message, Task
from tests.simulated_world.promises import TIME_LIMIT
from tests.simulated_world.schedule import Schedule
from tests.simulated_world.steps import Steps
from tests.simulated_world.two_step_search import TwoStepSearch
from tests.simulated_world.violation import Violation

if TYPE_CHECKING:
    from ragbase.ports import Indexes

LEASE = timedelta(seconds=10)
_BEAT = LEASE.total_seconds() / 3
"""As in the profiles."""
EVERYTHING = 200
"""More chunks than a world ever holds."""
_RATE = 100.0
"""Objects that a backfill routes a second."""
_GRACE = 5.0
"""Seconds that a reindex waits for queries that still ask the old index."""
_SLEEP_FACTOR = 20
"""A reindex sleeps this many times longer than it wants. It looks at the lanes every second, and it is enough to
simulate some of these looks."""
_MOST_PASSES = 15
"""Passes that find work, also if one upload comes in each of them. Most reindexes need five."""


UNREADABLE = Failure(ErrorCode.OCR_FAILED, "No letter was found.")
"""What an extractor elsewhere says of a document that it cannot read."""


def first_index(tenancy: Tenancy) -> Index:
    """The index that a world begins with."""
    return _index("simulated", 0, tenancy)


def next_index(release: int, tenancy: Tenancy) -> Index:
    """What a reindex replaces it with, with the settings of a release: another model."""
    return _index("simulated again", release, tenancy)


def _index(model: str, release: int, tenancy: Tenancy) -> Index:
    """Settings that make other chunks need another index (bootstrap/profile.py)."""
    made_with = f"simulated|{RELEASES[release]}"
    dimension = SimulatedEmbedder.dimension
    return index_of(made_with, model=model, dimension=dimension, language=LANGUAGE, tenancy=tenancy)


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedPorts:
    """Implements Ports by the adapters that a simulation or a test puts together."""

    bucket: Any
    texts: Any
    part_texts: Any
    word_boxes: Any
    documents: Any
    dead_letters: Any
    checkpoints: Any
    publisher: Any
    indexes: Any
    clock: Any
    defaults: ProcessingConfig = field(default_factory=ProcessingConfig)
    program_files: ProgramFiles = field(default_factory=ProgramFiles)


class UseCases:
    """Each use case as one call. `died` is called with the name of each worker that dies."""

    def __init__(
        self,
        *,
        bucket: Any,
        texts: Any,
        part_texts: Any,
        word_boxes: Any,
        documents: Any,
        publisher: Any,
        dead_letters: Any,
        indexes: MemoryIndexes,
        schedule: Schedule,
        steps: Steps,
        faults: Faults,
        died: Callable[[str], None],
        tenancy: Tenancy = Tenancy.NONE,
        elsewhere: timedelta | None = None,
    ) -> None:
        """`elsewhere` is how long an extractor elsewhere may take for a file."""
        self._elsewhere = elsewhere
        self._watched = _WatchedIndexes(indexes, self._store)
        self._ports = SimulatedPorts(
            bucket=steps.of("bucket", bucket),
            texts=steps.of("texts", texts),
            part_texts=steps.of("part_texts", part_texts),
            word_boxes=steps.of("word_boxes", word_boxes),
            documents=steps.of("documents", documents),
            dead_letters=steps.of("dead_letters", dead_letters),
            checkpoints=steps.of("checkpoints", MemoryCheckpoints()),
            publisher=steps.of("publisher", publisher),
            indexes=steps.of("indexes", self._watched),
            clock=schedule.wall,
        )
        self._raw_indexes = indexes
        self._tenancy = tenancy
        self._schedule = schedule
        self._steps = steps
        self._extractors = [self._extractor(release) for release in range(len(RELEASES))]
        self._faults = faults
        self._instances = Instances(schedule=schedule, faults=faults, start=self._worker, died=died)

    @property
    def current(self) -> Index:
        current = self._raw_indexes.current()
        if current is None:
            raise AssertionError("a world begins with an index")
        return current

    def _open(self, index: Index) -> OpenIndex:
        return OpenIndex(index, cast("Partitions", self._watched), self._embedder(index))

    def _store(self, index: Index, tenant: str = "", *, create: bool = True) -> Any:
        store = TwoStepSearch(self._raw_indexes.open(index, tenant, create=create), self._steps, self._schedule)
        return self._steps.of("vectors", store)

    def _embedder(self, index: Index) -> Any:
        return self._steps.of("embedder", SimulatedEmbedder(index.model))

    def _extractor(self, release: int) -> Any:
        extractor = SimulatedExtractor(release)
        port = self._steps.of("extractor", extractor)
        port.version = extractor.version  # a constant: no call that could fail
        return port

    def _maker(self, index: OpenIndex, release: int) -> Maker:
        return Maker(
            extractor=self._extractors[release],
            chunker=SimulatedChunker(release),
            index=index,
            call_concurrently=self._together,
        )

    def _together(self, calls: Sequence[Call]) -> list[Outcome]:
        """As `call_concurrently`, in virtual time. A process that dies in one of the calls ends with all of them."""
        outcomes: dict[int, Outcome] = {}
        crashes: list[Crash] = []

        def run(number: int, call: Call) -> None:
            try:
                outcomes[number] = outcome_of(call)
            except Crash as crash:
                crashes.append(crash)
                if isinstance(task, Task) and task.instance.worker is not None:
                    self._instances.kill(task.instance)

        task = self._schedule.owner
        if isinstance(task, Task):
            self._schedule.together([partial(run, number, call) for number, call in enumerate(calls)])
        else:
            for number, call in enumerate(calls):
                run(number, call)
        if crashes:
            raise crashes[0]
        return [outcomes[number] for number in range(len(calls))]

    def route(self, event: ObjectEvent) -> None:
        route_module.route(event, self._ports)

    def add(self, name: str, data: bytes) -> None:
        add_module.add_document(name, data, content_type="", metadata={}, replace=True, ports=self._ports)

    def take_away(self, document_id: str) -> None:
        record = self._ports.documents.get(document_id)
        if record is not None and not record.tombstone:
            route_module.delete_document(record, self._ports)

    def give(self, document_id: str, text: str) -> None:
        record = self._ports.documents.get(document_id)
        if record is not None and not record.tombstone:
            with suppress(GenerationChanged, NotAwaited):  # an answer, too
                give_module.give_text(
                    record, text, page_count=1, ocr_applied=False, ports=self._ports, if_awaited=self._is_strict
                )

    def say_unreadable(self, document_id: str) -> None:
        record = self._ports.documents.get(document_id)
        if record is not None and not record.tombstone:
            with suppress(GenerationChanged, NotAwaited):
                give_module.report_failure(record, UNREADABLE, ports=self._ports, if_awaited=self._is_strict)

    @property
    def _is_strict(self) -> bool:
        return self._elsewhere is not None

    def process(self, task: Task, job: Job, lane: Lane) -> None:
        """An instance of the lane does it, and may die with all its jobs."""
        instance = task.instance = self._instances.take(lane, task.name)
        if instance.worker is None:
            raise AssertionError("every instance of a lane has a worker")
        try:
            process_module.process(job, instance.worker)
        except Crash:
            self._instances.kill(instance)
            raise
        finally:
            instance.jobs -= 1

    def _worker(self, instance: Instance, lane: Lane) -> Worker:
        """What all jobs of an instance share: claims, the turn of interrupted documents, and the open index."""
        index = CurrentIndex(
            indexes=lambda: cast("Indexes", _Indexes(self._ports.indexes, self._open)),
            embedder=lambda: self._embedder(first_index(self._tenancy)),
            language=LANGUAGE,
            tenancy=self._tenancy,
            embedder_for=self._embedder,
            calibrations=lambda: Calibrations(lambda: self._ports.checkpoints),
        )
        return Worker(
            name=instance.name,
            lane=lane,
            lease=LEASE,
            ports=self._ports,
            maker=lambda: self._maker(self._current(index), instance.release),
            claims=itertools.count(),
            heartbeat=self._heartbeat,
            time_limit=TIME_LIMIT,
            extractor_timeout=self._elsewhere,
            patience=0.0,  # in virtual time, nobody can wait for a thread's lock: the queue delivers again
        )

    def _current(self, index: CurrentIndex) -> OpenIndex:
        current = index.get()
        if current is None:
            raise AssertionError("a world begins with an index")
        return current

    @contextmanager
    def _heartbeat(self, beat: Callable[[], bool]) -> Iterator[None]:
        """Beats while the task works. A worker that stalls does so with all its threads."""
        task = self._schedule.owner
        if not isinstance(task, Task):
            raise TypeError("only tasks process jobs")
        beats = itertools.count(1)
        is_over = False

        def run() -> None:
            if is_over or task.instance.is_dead:
                return
            name = f"{task.name}, beat {next(beats)}"
            message = Message(name, "beats", lambda: None)
            thread = Task(name, message, self._steps.source(name), instance=task.instance, claims=task.claims)
            self._schedule.spawn(live, thread)

        def live() -> None:
            try:
                if beat():
                    self._schedule.after(_BEAT, run)
            except Crash:
                self._steps.say(task.name, "its heart stops")
                self._instances.kill(task.instance)

        self._schedule.after(_BEAT, run)
        try:
            yield
        finally:
            is_over = True

    def end_leases(self, worker: str) -> None:
        claim_module.end_leases(worker, self._ports.documents, self._ports.clock)

    def keep_dead_letter(self, message: Job | ObjectEvent, reason: str, deliveries: int) -> None:
        keep_module.keep_dead_letter(message, reason, self._ports, deliveries=deliveries)

    def retry(self, document_id: str) -> None:
        retry_module.retry(document_id, self._ports)

    def replay(self) -> None:
        for dead_letter in find_dead_letters(self._ports.dead_letters):
            replay_module.replay(dead_letter, self._ports)

    def reconcile(self) -> None:
        for _ in reconcile_module.reconcile(self._ports, self._open(self.current), repairs=True):
            pass

    def compare(self) -> Report:
        report = Report()
        for progress in reconcile_module.reconcile(self._ports, self._open(self.current)):
            report.add(progress)
        return report

    def janitor(self) -> None:
        janitor_module.janitor(self._ports, self._open(self.current))

    def backfill(self) -> None:
        for _ in backfill_module.backfill("", self._ports, rate=_RATE, sleep=self._schedule.sleep):
            pass

    def reindex(self, *, discard: bool = False, meanwhile: Callable[[], None] = lambda: None) -> None:
        """`meanwhile` happens at the beginning of each pass. Raises Violation if there is no end to the passes."""
        release = self._faults.release("the one who reindexes", self._schedule.seconds)
        reindex_module.reindex(
            ReindexPlan(
                ports=replace(self._ports, documents=_InPasses(self._ports.documents, meanwhile)),
                wanted=next_index(release, self._tenancy),
                maker_for=lambda index: self._maker(self._open(index), release),
                sleep=lambda seconds: self._schedule.sleep(seconds * _SLEEP_FACTOR),
                grace=_GRACE,
            ),
            discard=discard,
        )

    def search(self, *, everything: bool) -> list[SearchResult]:
        """In every tenant."""
        index = self._open(self.current)
        return [
            result
            for tenant in index.tenants()
            for result in search_module.search_one_index(
                "inspected boiler, leave and parcels",
                chunks=ActiveChunks(index.vectors(tenant), self._ports.documents),
                embedder=index.embedder,
                top_k=EVERYTHING if everything else 3,
                threshold=0.0,
                language=index.index.language,
            )
        ]


class _Indexes:
    """The indexes of one instance, which opens them as the tasks do."""

    def __init__(self, indexes: Any, open: Callable[[Index], OpenIndex]) -> None:
        self.current = indexes.current
        self._open = open

    def open(self, index: Index, tenant: str = "", *, create: bool = True) -> Any:
        return self._open(index).vectors(tenant)


class _InPasses:
    """The records, as a reindex uses them: each of its passes begins with a `count`, and notes its work by an `update`.
    `begins` is called at the beginning of each pass."""

    def __init__(self, documents: Any, begins: Callable[[], None]) -> None:
        self._documents = documents
        self._begins = begins
        self._passes = 0
        self._at_work: set[int] = set()

    def __getattr__(self, name: str) -> Any:
        if name == "count":
            self._passes += 1
            self._begins()
        elif name == "update":
            self._at_work.add(self._passes)
            if len(self._at_work) > _MOST_PASSES:
                raise Violation("endless", f"a reindex has found work in {_MOST_PASSES} passes, and does not end")
        return getattr(self._documents, name)


class _WatchedIndexes:
    """The indexes. The chunks of each are a port of their own."""

    def __init__(self, indexes: MemoryIndexes, open: Callable[..., Any]) -> None:
        self._indexes = indexes
        self.open = open

    def __getattr__(self, name: str) -> Any:
        return getattr(self._indexes, name)
