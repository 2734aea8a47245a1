"""The use cases on memory adapters, with a queue that delivers at least once and ports that can fail at any call."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any, cast

import numpy as np

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.document import Document
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id, text_hash
from ragbase.domain.index import index_of
from ragbase.domain.job import Job, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.object_event import ObjectEvent
from ragbase.domain.program_files import ProgramFiles
from ragbase.formats.extractor import FormatExtractor
from ragbase.pipeline.make_chunks import Maker
from ragbase.pipeline.process import process
from ragbase.pipeline.route import route
from ragbase.pipeline.worker import Worker
from ragbase.ports import DocumentStore, Embeddings, OpenIndex, Topic
from ragbase.ports.canonical_bucket import CanonicalBucket
from ragbase.testing.bucket import MemoryBucket, unordered
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.testing.dead_letters import MemoryDeadLetters
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.given_texts import MemoryGivenTexts
from ragbase.testing.indexes import MemoryIndexes
from ragbase.testing.part_texts import MemoryPartTexts
from ragbase.testing.publisher import MemoryPublisher
from ragbase.testing.word_boxes import MemoryWordBoxes
from tests.simulated_world.use_cases import SimulatedPorts
from tests.simulated_world.wrapped_partitions import WrappedPartitions

BUCKET = "bucket"
LEASE = timedelta(minutes=2)
INDEX = index_of("world", model="counting", dimension=8, language="english")


class Crash(BaseException):
    """The process is gone: nothing after this call happens, no handler runs."""


class Faults:
    """Runs before and after every port call, and may raise there. `calls` numbers them through the whole run."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.before: dict[int, BaseException] = {}
        self.after: dict[int, BaseException] = {}

    def wrap(self, name: str, port: Any) -> Any:
        return _Faulty(name, port, self)

    def call(self, name: str, method: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        number = len(self.calls)
        self.calls.append(name)
        if number in self.before:
            raise self.before[number]
        result = method(*arguments, **named)
        if number in self.after:
            raise self.after[number]
        return result


class _Faulty:
    def __init__(self, name: str, port: Any, faults: Faults) -> None:
        self._name, self._port, self._faults = name, port, faults

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(self._port, attribute)
        if not callable(value):
            return value
        return lambda *arguments, **named: self._faults.call(f"{self._name}.{attribute}", value, *arguments, **named)


class CountingEmbedder:
    """Unit vectors drawn from the text's hash; remembers every text, but raises its `failures` first."""

    model = "counting"
    dimension = 8
    max_batch = 4
    at_a_time = 1

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.failures: list[BaseException] = []

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        if self.failures:
            raise self.failures.pop()
        self.texts.extend(texts)
        return Embeddings([self.embed_query(text) for text in texts], billed_tokens=len(texts))

    def embed_query(self, text: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        return self.vector_of(text_hash(text))

    def vector_of(self, hash: str) -> np.ndarray[Any, np.dtype[np.float32]]:
        """The vector of the text with this hash."""
        vector = np.frombuffer(bytes.fromhex(hash)[:8], np.uint8).astype(np.float32) + 1
        return np.asarray(vector / np.linalg.norm(vector), np.float32)


class World:
    """One bucket, its pipeline, and a queue; the ports of its use cases, too. `faults` strike the router and the lanes,
    and can be set before anything happens. `theirs` is the bucket as other programs use it, which tell forms of a name
    apart. `given_up` are the jobs of which a lane has made dead letters. `numbers` are
    those of the next generations; without them, the numbers have no order. The records are in memory, or in the store
    that is given."""

    def __init__(self, faults: Faults | None = None, *, documents: DocumentStore | None = None) -> None:
        faults = faults or Faults()
        self.clock = VirtualClock()
        self.events: deque[ObjectEvent] = deque()
        self.numbers: deque[int] = deque()
        others = unordered()
        self.theirs = MemoryBucket(
            BUCKET,
            self.events.append,
            self.clock,
            number=lambda name: self.numbers.popleft() if self.numbers else others(name),
        )
        self.bucket = CanonicalBucket(self.theirs)
        self.texts = MemoryGivenTexts(self.clock)
        self.part_texts = MemoryPartTexts(self.clock)
        self.word_boxes = MemoryWordBoxes(self.clock)
        self.defaults = ProcessingConfig()
        self.program_files = ProgramFiles()
        self.documents = cast("MemoryDocumentStore", documents or MemoryDocumentStore())
        self.indexes = MemoryIndexes()
        self.vectors = self.indexes.open(self.indexes.ensure(INDEX))
        self.publisher = MemoryPublisher()
        self.embedder = CountingEmbedder()
        self.given_up: list[Job] = []
        self.dead_letters = MemoryDeadLetters()
        self.checkpoints = MemoryCheckpoints()
        self._claims = itertools.count()
        self._ports = self.ports(
            bucket=faults.wrap("bucket", self.bucket),
            texts=faults.wrap("texts", self.texts),
            part_texts=faults.wrap("part_texts", self.part_texts),
            word_boxes=faults.wrap("word_boxes", self.word_boxes),
            documents=faults.wrap("documents", self.documents),
            publisher=faults.wrap("publisher", self.publisher),
            indexes=faults.wrap("indexes", self.indexes),
        )
        maker = Maker(
            extractor=FormatExtractor(),
            chunker=MarkdownChunker(size=200, overlap=40),
            index=OpenIndex(
                INDEX,
                WrappedPartitions(self.indexes, lambda store: faults.wrap("vectors", store)),
                faults.wrap("embedder", self.embedder),
            ),
        )
        self.workers = {
            lane: Worker(
                name="worker", lane=lane, lease=LEASE, ports=self._ports, maker=lambda: maker, claims=self._claims
            )
            for lane in Lane
        }

    def ports(self, **changed: Any) -> SimulatedPorts:
        """The world's own, but for those that are given."""
        own = {name: getattr(self, name) for name in SimulatedPorts.__dataclass_fields__}
        return SimulatedPorts(**own | changed)

    @property
    def index(self) -> OpenIndex:
        return OpenIndex(INDEX, self.indexes, self.embedder)

    def run(self, *, deliveries: int = 1) -> None:
        """Deliver everything until all is quiet, each message at least `deliveries` times, the failed ones again."""
        for _ in range(100):
            work = self._take()
            if not work:
                return
            for message in work:
                for _ in range(deliveries):
                    self._deliver(*message)
        raise AssertionError("the pipeline does not come to rest")

    def _take(self) -> list[tuple[ObjectEvent | Job, Lane | None]]:
        work: list[tuple[ObjectEvent | Job, Lane | None]] = []
        while self.events:
            work.append((self.events.popleft(), None))
        for published in self.publisher.take():
            if published.topic is Topic.DEAD_LETTER:
                self.given_up.append(published.job)
            else:
                work.append((published.job, Lane.HEAVY if published.topic is Topic.HEAVY else Lane.FAST))
        return work

    def _deliver(self, message: ObjectEvent | Job, lane: Lane | None) -> None:
        for _ in range(20):
            try:
                self.handle(message, lane)
            except (Crash, TransientError):
                self.clock.advance(LEASE)  # the message is delivered again once the leases have run out
            else:
                return
        raise AssertionError(f"never acknowledged: {message}")

    def handle(self, message: ObjectEvent | Job, lane: Lane | None = Lane.FAST) -> None:
        """One delivery of one message."""
        if isinstance(message, ObjectEvent):
            route(message, self._ports)
        else:
            process(message, self.workers[lane or Lane.FAST])

    def record(self, name: str) -> Document | None:
        return self.documents.get(document_id(BUCKET, name))

    def shown(self, name: str) -> list[str]:
        """The texts that search may show for a document, in order."""
        record = self.record(name)
        if record is None or record.active is None:
            return []
        return [embedded.chunk.text for embedded in self.vectors.read(record.id, record.active.generation)]

    def state(self) -> dict[str, object]:
        """What a clean run and a troubled one must agree on: records but for times and attempts, and all chunks."""
        names = sorted(self.names)
        return {name: (self._outcome(name), self._chunks(name)) for name in names}

    @property
    def names(self) -> set[str]:
        return {record.name for record in self.documents.page(limit=1000)} | self._touched

    _touched: frozenset[str] = frozenset()

    def put(self, name: str, text: str) -> None:
        self._touched |= {name}
        self.bucket.put(name, text.encode())

    def delete(self, name: str) -> None:
        self.bucket.delete(name)

    def _outcome(self, name: str) -> object:
        record = self.record(name)
        if record is None:
            return None
        active = record.active
        return (
            record.status,
            record.tombstone,
            record.failure,
            (active.chunk_count, active.duplicate_of, active.text_length) if active else None,
        )

    def _chunks(self, name: str) -> object:
        """Every chunk that the store holds for the document, shown or not: nothing may be left over."""
        id = document_id(BUCKET, name)
        record = self.record(name)
        shown = record.active.generation if record and record.active else None
        return [
            (embedded.chunk.text, embedded.chunk.char_start, embedded.chunk.generation == shown)
            for generation in sorted(self.vectors.held([id]).get(id, {}))
            for embedded in self.vectors.read(id, generation)
        ]
