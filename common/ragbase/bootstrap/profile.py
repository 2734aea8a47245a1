"""A profile: the choice of an adapter for each port, and what depends on adapters and settings alone."""

from __future__ import annotations

import itertools
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.bootstrap.current_index import CurrentIndex
from ragbase.bootstrap.once import once
from ragbase.domain.job import ProcessingConfig
from ragbase.domain.lease import DOCUMENT_LEASE
from ragbase.domain.ocr import ocr_languages

if TYPE_CHECKING:
    from ragbase.access.access import Access
    from ragbase.access.audit import Audit
    from ragbase.adapters.rate_limiter import RateLimiter
    from ragbase.chunking.chunker import MarkdownChunker
    from ragbase.domain.dead_letter import Message
    from ragbase.domain.index import Index
    from ragbase.domain.lane import Lane
    from ragbase.domain.program_files import ProgramFiles
    from ragbase.evaluation.evaluation_runs import EvaluationRuns
    from ragbase.evaluation.golden_questions import GoldenQuestions
    from ragbase.formats.extractor import FormatExtractor
    from ragbase.leases.heartbeat import Heartbeats
    from ragbase.pipeline.cut_text import CutInTextProcess
    from ragbase.pipeline.make_chunks import Maker
    from ragbase.pipeline.worker import Worker
    from ragbase.ports import (
        AuditLog,
        Bucket,
        Changes,
        ChatModel,
        Checkpoints,
        Clock,
        DeadLetters,
        DocumentStore,
        Embedder,
        Generator,
        GivenTexts,
        Handlers,
        Indexes,
        OpenIndex,
        PartTexts,
        Publisher,
        Reranker,
        UnfinishedFiles,
        UploadKey,
        Watcher,
        WordBoxes,
    )
    from ragbase.retrieval.calibrations import Calibrations
    from ragbase.settings import Config


class Profile(ABC):
    """Implements Ports by the adapters that the configuration names. Each is opened at its first use."""

    BEAT = DOCUMENT_LEASE.total_seconds() / 3
    """Seconds between two heartbeats: two may fail."""

    left_exposed: Sequence[str] = ()
    """Paths of the data folder, which is open, that other users of this machine can reach, and this process cannot
    change that."""

    format_change: str | None = None
    """Says that an older ragbase's data folder was brought up to date when this process opened it, and where the copy
    is."""

    runs_lanes = True
    """Whether the router and the lanes run in this process; otherwise deployed functions do their work."""

    switch_grace = 10.0
    """Seconds after which every process knows of a switch to another index, and has answered the queries before it: one
    until a cached alias is read again, and five for a query."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.building = threading.RLock()
        self.closed = False
        self.fills_index = False
        """Whether this process writes the index, and may create one. Set it before the index is first used."""
        self.opened = ExitStack()
        self._claims = itertools.count()
        self._workers: dict[Lane, Worker] = {}
        self._has_index = False
        self.current_index = CurrentIndex(
            indexes=lambda: self.indexes,
            embedder=lambda: self.embedder,
            language=config.language,
            tenancy=config.tenancy,
            has_graph=self.has_graph,
            embedder_for=self.embedder_for,
            calibrations=lambda: self.calibrations,
        )

    @property
    def has_graph(self) -> bool:
        """Whether the settings want an index with a graph."""
        return False

    @property
    @abstractmethod
    def bucket(self) -> Bucket: ...

    @property
    @abstractmethod
    def texts(self) -> GivenTexts: ...

    @property
    @abstractmethod
    def part_texts(self) -> PartTexts: ...

    @property
    @abstractmethod
    def word_boxes(self) -> WordBoxes: ...

    @property
    @abstractmethod
    def documents(self) -> DocumentStore: ...

    @property
    @abstractmethod
    def changes(self) -> Changes: ...

    @property
    @abstractmethod
    def dead_letters(self) -> DeadLetters: ...

    @property
    @abstractmethod
    def checkpoints(self) -> Checkpoints: ...

    @property
    @abstractmethod
    def upload_key(self) -> UploadKey: ...

    @property
    def unfinished_files(self) -> UnfinishedFiles | None:
        """Where parts of a file wait for the others; None if the bucket takes the parts."""
        return None

    @property
    @abstractmethod
    def audit_log(self) -> AuditLog: ...

    @once
    def audit(self) -> Audit:
        """Makes the entries of the audit log."""
        from ragbase.access.audit import Audit

        return Audit(lambda: self.audit_log, lambda: self.checkpoints, self.clock)

    @once
    def access(self) -> Access:
        """Who may ask for what. Raises ConfigurationError if the settings of sign-in are wrong."""
        from ragbase.access.access import Access

        return Access(self.config, lambda: self.checkpoints, self.clock)

    @property
    def audit_exports(self) -> Bucket | None:
        """Where the janitor keeps exports of the audit log; None if it keeps none."""
        return None

    def recorded(self, bucket: Bucket) -> Bucket:
        """The bucket, with an entry of the audit log for every change."""
        from ragbase.adapters.recorded_bucket import RecordedBucket

        return RecordedBucket(bucket, self.audit, self.config.tenancy.tenant_of)

    @property
    @abstractmethod
    def publisher(self) -> Publisher: ...

    @property
    @abstractmethod
    def indexes(self) -> Indexes: ...

    def added_indexes(self) -> Indexes:
        """Those of a vector store that another package adds."""
        from ragbase.bootstrap.added import open_added
        from ragbase.plugins import VECTOR_STORES

        indexes: Indexes = open_added(VECTOR_STORES, self.config.vector_store, self.config, self.opened)
        return indexes

    @once
    def clock(self) -> Clock:
        from ragbase.adapters.system.clock import SystemClock

        return SystemClock()

    @property
    @abstractmethod
    def embedder(self) -> Embedder:
        """The embedder that the settings name; an index may have been made with another."""

    def embedder_for(self, index: Index) -> Embedder:
        """The embedder that the index was made with, if the settings name another. Raises ConfigurationError."""
        from ragbase.bootstrap.embedders import embedder_for

        return embedder_for(index, self.config, self.rate_limiter_of, self.opened)

    @once
    def calibrations(self) -> Calibrations:
        """What was fitted for each index."""
        from ragbase.retrieval.calibrations import Calibrations

        return Calibrations(lambda: self.checkpoints)

    @once
    def evaluation_runs(self) -> EvaluationRuns:
        from ragbase.evaluation.evaluation_runs import EvaluationRuns

        return EvaluationRuns(lambda: self.checkpoints)

    @once
    def golden_questions(self) -> GoldenQuestions:
        from ragbase.evaluation.golden_questions import GoldenQuestions

        return GoldenQuestions(lambda: self.checkpoints, self.clock)

    @once
    def generator(self) -> Generator:
        """What writes answers. Raises ConfigurationError."""
        from ragbase.bootstrap.generators import generator_of

        return generator_of(self.config, lambda: self.embedder, lambda: self.chat_model, self.opened)

    @once
    def chat_model(self) -> ChatModel | None:
        """The language model that writes answers; None if the generator is none. Raises ConfigurationError."""
        from ragbase.bootstrap.generators import chat_model_of

        return chat_model_of(self.config, self.opened)

    @once
    def reranker(self) -> Reranker | None:
        """What puts results in another order; None without one. Raises ConfigurationError."""
        from ragbase.bootstrap.rerankers import reranker_of

        return reranker_of(self.config, self.opened)

    @once
    def rate_limiter(self) -> RateLimiter | None:
        """How the embedder that the settings name keeps to its service's rate; None if there is no limit."""
        return self.rate_limiter_of(self.config)

    def rate_limiter_of(self, config: Config) -> RateLimiter | None:
        """The same for the embedder that these settings name."""
        from ragbase.bootstrap.embedders import rate_limiter_of

        return rate_limiter_of(config, lambda: self.checkpoints, self.clock)

    @property
    def bucket_folder(self) -> Path | None:
        """The folder that holds the bucket's objects as files, if there is one."""
        return None

    @property
    @abstractmethod
    def worker_name(self) -> str:
        """Distinguishes this process from all others that process documents."""

    @abstractmethod
    def subscribe(self, handlers: Handlers) -> AbstractContextManager[object]:
        """Deliver the local queue's messages to the handlers while the context is entered, if this process runs the
        lanes. Messages that dead processes of the same data folder did not finish are delivered first."""

    @abstractmethod
    def collect_dead_letters(self, keep: Callable[[Message, str, int], object]) -> None:
        """Hand over the undeliverable messages that wait in this profile's queue, if no other process does."""

    def check_storage(self) -> None:  # noqa: B027 - a service says it by itself
        """Raises Unavailable if nothing can be written now, such as on a full disk, and ConfigurationError if nothing
        ever can, with the remedy."""

    def expect(self, names: Sequence[str]) -> None:  # noqa: B027 - most profiles have nothing to get ready
        """Get ready for objects of these names, which this process is about to put into the bucket."""

    def look_at_bucket(self) -> None:  # noqa: B027 - most buckets see all their changes themselves
        """If the bucket is a folder: turn what was done to its files while nothing watched them into object events."""

    @property
    def works_alone(self) -> bool:
        """Whether no other process works on these documents now; False if nobody can know."""
        return False

    @abstractmethod
    def sources_file(self) -> tuple[str, str | None]:
        """The file that describes the scheduled sources: its place for messages, and its text; None if there is none.
        Raises ConfigurationError if it cannot be read."""

    @abstractmethod
    def watcher(self) -> Watcher:
        """What turns changes of the bucket's folder into object events. Raises ConfigurationError without a folder."""

    def check_index(self) -> None:  # noqa: B027 - not every profile has something to ask
        """Find out now, and not with the first request, whether the settings fit the index and its embedder.

        It leaves no thread and no connection behind that a fork would break. Raises ConfigurationError.
        """

    def prepare(self) -> None:  # noqa: B027 - not every profile has something to prepare
        """Get what the embedder needs and this machine does not have yet. The first embedding does so, too; this is
        for a caller that is about to draw on the terminal. Raises ConfigurationError."""

    def close(self) -> None:
        """Close what was opened. The profile is not used any more. May be called twice."""
        self.closed = True
        if "audit" in self.__dict__:
            self.audit.close()
        self.opened.close()

    def open_index(self) -> OpenIndex:
        """The current index. If there is none, or it is empty, it is created with the current settings."""
        index = self.current_index.get() if self._has_index else None
        if index is None:
            index = self.current_index.open(self.indexes.ensure(self.wanted_index))
            self._has_index = True
        return index

    @once
    def wanted_index(self) -> Index:
        """The index that the settings make."""
        from ragbase.domain.index import index_of
        from ragbase.pipeline.fingerprint import index_fingerprint

        model, language = self.embedder.model, self.config.language
        return index_of(
            f"{self.extractor.versions}|{index_fingerprint(self.chunker, model, language)}",
            model=model,
            dimension=self.embedder.dimension,
            language=language,
            tenancy=self.config.tenancy,
            has_graph=self.has_graph,
        )

    @once
    def defaults(self) -> ProcessingConfig:
        return ProcessingConfig(ocr_mode=self.config.ocr_mode, ocr_languages=ocr_languages(self.config.ocr_languages))

    @once
    def program_files(self) -> ProgramFiles:
        """The files that programs keep for themselves: they become no documents."""
        from ragbase.domain.program_files import ProgramFiles

        return ProgramFiles(self.config.program_files)

    @once
    def extractor(self) -> FormatExtractor:
        from ragbase.formats.extraction_limits import ExtractionLimits
        from ragbase.formats.extractor import FormatExtractor, allowed_formats
        from ragbase.formats.pdf import ocr_data

        return FormatExtractor(
            ExtractionLimits(
                memory_bytes=self.config.extract_memory * 1024 * 1024,
                timeout_seconds=self.config.extract_timeout,
                ocr_data=ocr_data.folder_in(self.config.model_folder),
            ),
            allowed_formats(self.config.allowed_formats),
        )

    def check_sandbox(self) -> None:
        """Log what keeps the readers of files from the rest. Raises ConfigurationError if the settings require more."""
        from ragbase.formats.sandbox.protections import check_sandbox

        check_sandbox(required=self.config.sandbox == "required")

    @once
    def chunker(self) -> MarkdownChunker:
        from ragbase.chunking.chunker import MarkdownChunker
        from ragbase.domain.chunk_size import ChunkSize

        config = self.config
        return MarkdownChunker().sized(ChunkSize(config.chunk_size, config.chunk_overlap, config.chunk_unit))

    def maker(self) -> Maker:
        """Makes chunks in the current index, which may be another one with each call."""
        return self._maker(self.open_index())

    def maker_for(self, index: Index) -> Maker:
        """Makes chunks in any index, with the embedder that it was made with."""
        from ragbase.ports import OpenIndex

        is_mine = index.model == self.embedder.model
        embedder = self.embedder if is_mine else self.embedder_for(index)
        return self._maker(OpenIndex(index, self.indexes, embedder, partial(self.calibrations.of, index)))

    def _maker(self, index: OpenIndex) -> Maker:
        from ragbase.bootstrap.embedders import check_service
        from ragbase.pipeline.make_chunks import Maker

        return Maker(
            extractor=self.extractor,
            chunker=self.chunker,
            index=index,
            text_process=self.cut_in_text_process,
            check=partial(check_service, index.embedder),
        )

    @property
    def cut_in_text_process(self) -> CutInTextProcess | None:
        """Reads and cuts small files outside of this process; None if nobody does."""
        return None

    @property
    def longest_wait(self) -> timedelta:
        """How long a document waits for a service that is away."""
        return timedelta(hours=self.config.longest_wait)

    @property
    def extractor_timeout(self) -> timedelta | None:
        """How long an extractor elsewhere may take for a file; None if this process reads all files."""
        external = self.config.extractor == "external"
        return timedelta(seconds=self.config.extractor_timeout) if external else None

    def worker(self, lane: Lane) -> Worker:
        """What this process works with in a lane: always the same one."""
        worker = self._workers.get(lane)
        if worker is None:
            with self.building:
                worker = self._workers.setdefault(lane, self._worker(lane))
        return worker

    @once
    def _heartbeats(self) -> Heartbeats:
        from ragbase.leases.heartbeat import Heartbeats

        return Heartbeats(self.BEAT)

    def _worker(self, lane: Lane) -> Worker:
        from ragbase.pipeline.worker import Worker

        return Worker(
            name=self.worker_name,
            lane=lane,
            lease=DOCUMENT_LEASE,
            ports=self,
            maker=self.maker,
            claims=self._claims,
            share_batches=self._share_batches,
            heartbeat=self._heartbeats,
            time_limit=self._time_limit(lane),
            longest_wait=self.longest_wait,
            extractor_timeout=self.extractor_timeout,
        )

    def _time_limit(self, lane: Lane) -> timedelta | None:
        """How long one attempt may take in this lane; None if nobody stops the work."""
        return None

    def _share_batches(self) -> AbstractContextManager[object]:
        """Entered around each job of this process."""
        from contextlib import nullcontext

        return nullcontext()
