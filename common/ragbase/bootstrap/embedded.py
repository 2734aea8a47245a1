"""The embedded profile: one folder, one process or several, no server."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.bootstrap.embedders import embedder_of, load_local_model, prepare_local_model
from ragbase.bootstrap.once import once
from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import ConfigurationError, MalformedMessage
from ragbase.domain.lane import Lane
from ragbase.domain.tenant import Tenancy
from ragbase.plugins import VECTOR_STORES
from ragbase.processors import processors
from ragbase.settings import SOURCES_FILE

if TYPE_CHECKING:
    from ragbase.adapters.embedded.bucket import FolderBucket, FolderChange
    from ragbase.adapters.embedded.database import Database
    from ragbase.adapters.embedded.local_queue import Delivery, LocalQueue
    from ragbase.adapters.embedded.worker_locks import WorkerLocks
    from ragbase.adapters.text_process import TextProcess
    from ragbase.domain.dead_letter import Message
    from ragbase.pipeline.cut_text import CutInTextProcess
    from ragbase.ports import (
        AuditLog,
        Bucket,
        Changes,
        Checkpoints,
        DeadLetters,
        DocumentStore,
        Embedder,
        GivenTexts,
        Handlers,
        Indexes,
        PartTexts,
        UnfinishedFiles,
        UploadKey,
        Watcher,
        WordBoxes,
    )

_SETTLING = 0.3
"""Seconds without a change after which a file in the bucket's folder counts as complete."""


_NAMED = 10
"""Paths that a log entry names."""


class EmbeddedProfile(Profile):
    """Everything is in the data folder that the configuration names."""

    switch_grace = 1.0  # queries read from the file which index is current, and take milliseconds

    @once
    def bucket(self) -> Bucket:
        from ragbase.ports.canonical_bucket import CanonicalBucket

        return self.recorded(CanonicalBucket(self._folder))

    @once
    def _folder(self) -> FolderBucket:
        from ragbase.adapters.embedded.bucket import FolderBucket
        from ragbase.adapters.embedded.data_folder import BUCKET, STAGING

        # All that a record needs is opened now, and not in the transaction that registers a file.
        audit, log = self.audit, self.audit_log
        if self.config.tenancy is Tenancy.FOLDER and log.can_append:
            audit.prepare()
        home = self.config.home
        return FolderBucket(
            home / BUCKET,
            staging=home / STAGING,
            database=self._database,
            name=self.config.bucket,
            announce=self.publisher.announce,
            clock=self.clock,
            announced=self.publisher.announced,
            noticed=self._record_changes,
        )

    def _record_changes(self, changes: Sequence[FolderChange]) -> None:
        """Add an entry of the audit log for each change that somebody has made in the bucket's folder."""
        from ragbase.adapters.recorded_bucket import found_in_folder

        self.audit.record(
            *(found_in_folder(one, self.audit, self.config.tenancy.tenant_of) for one in changes), durable=True
        )

    @once
    def audit_log(self) -> AuditLog:
        from ragbase.adapters.embedded.audit_log import FILE, SqliteAuditLog

        log = SqliteAuditLog(self.config.home / FILE)
        self.opened.callback(log.close)
        return log

    @once
    def texts(self) -> GivenTexts:
        from ragbase.adapters.embedded.given_texts import SqliteGivenTexts

        return SqliteGivenTexts(self._database, self.clock)

    @once
    def part_texts(self) -> PartTexts:
        from ragbase.adapters.embedded.part_texts import SqlitePartTexts

        return SqlitePartTexts(self._database, self.clock)

    @once
    def word_boxes(self) -> WordBoxes:
        from ragbase.adapters.embedded.word_boxes import SqliteWordBoxes

        return SqliteWordBoxes(self._database, self.clock)

    @property
    def database_file(self) -> Path:
        from ragbase.adapters.embedded.data_folder import DATABASE

        return self.config.home / DATABASE

    def exposed_paths(self) -> Sequence[str]:
        """What other users of this machine may read or write in the data folder, by its modes. Looks at all files."""
        from ragbase.adapters.embedded.data_folder import exposed_paths

        return exposed_paths(self.config.home)

    def check_database(self) -> str:
        """Read the whole database, and say what was found. Raises ConfigurationError if it is damaged, or if its format
        is newer than this ragbase."""
        from ragbase.adapters.embedded.file_format import said_format
        from ragbase.adapters.embedded.integrity import check_integrity

        if not os.access(self.database_file, os.F_OK):
            return f"{self.database_file} (created on first use)"
        with suppress(sqlite3.Error):  # the next check says what is wrong
            said_format(self.database_file)  # first: what a newer format holds may look like damage
        check_integrity(self.database_file)
        return f"{self.database_file} is intact, and has {said_format(self.database_file)}"

    def check_storage(self) -> None:
        self._database.check_room()

    @property
    def bucket_folder(self) -> Path:
        return self._folder.folder

    @once
    def documents(self) -> DocumentStore:
        from ragbase.adapters.embedded.document_store import SqliteDocumentStore

        return SqliteDocumentStore(self._database)

    @once
    def changes(self) -> Changes:
        from ragbase.adapters.embedded.changes import SqliteChanges

        return SqliteChanges(self._database)

    @once
    def dead_letters(self) -> DeadLetters:
        from ragbase.adapters.embedded.dead_letters import SqliteDeadLetters

        return SqliteDeadLetters(self._database)

    @once
    def checkpoints(self) -> Checkpoints:
        from ragbase.adapters.embedded.checkpoints import SqliteCheckpoints

        return SqliteCheckpoints(self._database)

    @once
    def upload_key(self) -> UploadKey:
        from ragbase.adapters.embedded.upload_key import FILE_NAME, UploadKeyFile

        return UploadKeyFile(self.config.home / FILE_NAME)

    @once
    def unfinished_files(self) -> UnfinishedFiles:
        from ragbase.adapters.embedded.data_folder import UNFINISHED
        from ragbase.adapters.embedded.unfinished_files import UnfinishedFileFolder

        return UnfinishedFileFolder(self.config.home / UNFINISHED)

    @once
    def publisher(self) -> LocalQueue:
        from ragbase.adapters.embedded.local_queue import LocalQueue

        return LocalQueue(self._database, self.clock, self.worker_name)

    @once
    def indexes(self) -> Indexes:
        if self.config.vector_store not in VECTOR_STORES.ours:
            return self.added_indexes()
        from ragbase.adapters.embedded.indexes import SqliteIndexes

        indexes = SqliteIndexes(self._database)
        self.opened.callback(indexes.close)
        return indexes

    @once
    def embedder(self) -> Embedder:
        return embedder_of(self.config, self.rate_limiter_of, self.opened)

    def prepare(self) -> None:
        prepare_local_model(self.open_index().embedder)

    @property
    def worker_name(self) -> str:
        return self._worker_locks.name

    def subscribe(self, handlers: Handlers) -> AbstractContextManager[object]:
        from ragbase.adapters.embedded.local_queue import MAX_DELIVERIES, UPLOADS
        from ragbase.adapters.embedded.subscriptions import Subscription, Subscriptions
        from ragbase.ports import Topic

        load_local_model(self.open_index().embedder)  # without its model, every document would fail

        def take_over(worker: str) -> None:
            handlers.worker_died(worker)
            self.publisher.release(worker)

        def keep(delivery: Delivery) -> None:
            handlers.undeliverable(delivery.message, delivery.reason, MAX_DELIVERIES)

        self._database.check_writable()
        self._worker_locks.enter()
        self._worker_locks.take_over(take_over)
        self._open_for_short_messages()
        fast, heavy = self.config.fast_workers, self.config.heavy_workers
        route = handlers.event

        def jobs(lane: Lane, threads: int) -> Subscription:
            return Subscription(
                lambda delivery: handlers.job(delivery.job, lane),
                threads,
                done=lambda delivery: handlers.job_done(delivery.job),
                is_short=self._only_removes,
                has_room=self._database.check_room,
            )

        events = {}
        if route is not None:
            # Short messages are handled one after the other, so that a second thread would only wait.
            events[UPLOADS] = Subscription(lambda delivery: route(delivery.event), 1, is_short=lambda _: True)
        return Subscriptions(
            self.publisher,
            {
                **events,
                Topic.FAST.value: jobs(Lane.FAST, fast),
                Topic.HEAVY.value: jobs(Lane.HEAVY, heavy),
                Topic.DEAD_LETTER.value: Subscription(keep, 1),
            },
            tidy=self._database.tidy,
            tidy_at_end=partial(self._database.tidy, at_end=True),
        )

    def _only_removes(self, delivery: Delivery) -> bool:
        """Whether its document is deleted, so that there is nothing to do but to remove its chunks."""
        from ragbase.adapters.embedded.document_store import is_deleted

        try:
            return is_deleted(self._database, delivery.job.document_id) and self.current_index.is_open
        except MalformedMessage:
            return False

    def _open_for_short_messages(self) -> None:
        """Open what they need. Who opens a part holds a lock, and may then wait for the file, which is locked while
        short messages are handled."""
        for lane in Lane:
            self.worker(lane)
        _ = self.bucket, self.documents, self.dead_letters, self.checkpoints, self.defaults
        _ = self.texts, self.part_texts, self.word_boxes
        _ = self.chunker, self.extractor, self.extractor_timeout, self._text_process

    def expect(self, names: Sequence[str]) -> None:
        from ragbase.formats.table import format_of, lane_of

        if self._text_process is not None:
            self._text_process.expect(sum(lane_of(format_of(name), size=0) is Lane.FAST for name in names))

    def collect_dead_letters(self, keep: Callable[[Message, str, int], object]) -> None:
        self._database.check_writable()
        self._worker_locks.enter()
        self.publisher.drain_dead_letters(keep)

    def look_at_bucket(self) -> None:
        self._folder.scan()

    @property
    def works_alone(self) -> bool:
        return self._worker_locks.is_alone()

    def sources_file(self) -> tuple[str, str | None]:
        file = self.config.home / SOURCES_FILE
        try:
            return str(file), file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return str(file), None
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigurationError(f"{file} cannot be read: {error}. Correct that.") from error

    def watcher(self) -> Watcher:
        from ragbase.adapters.embedded.folder_watcher import FolderWatcher

        return FolderWatcher(self._folder, settle=_SETTLING)

    @property
    def cut_in_text_process(self) -> CutInTextProcess | None:
        return self._text_process.cut if self._text_process is not None else None

    @once
    def _text_process(self) -> TextProcess | None:
        """None where it would win nothing: with one processor, or an embedder that leaves Python's lock to others."""
        if self.config.embedder != "hashing" or processors() == 1:
            return None
        from ragbase.adapters.text_process import TextProcess
        from ragbase.pipeline.cut_text import Cutter

        cutter = Cutter(self.extractor, self.chunker, embedder_of(self.config, self.rate_limiter_of, self.opened))
        process = TextProcess(cutter, callers=self.config.fast_workers)
        self.opened.callback(process.close)
        return process

    @once
    def _database(self) -> Database:
        from ragbase.adapters.embedded.data_folder import make_private
        from ragbase.adapters.embedded.database import Database

        self.left_exposed = make_private(self.config.home)
        if self.left_exposed:
            telemetry.log("data_folder.exposed", level=logging.WARNING, paths=self.left_exposed[:_NAMED])
        database = Database(self.database_file)
        self.opened.callback(database.close)
        if database.format_change is not None:
            self.format_change = str(database.format_change)
        return database

    @once
    def _worker_locks(self) -> WorkerLocks:
        from ragbase.adapters.embedded.data_folder import WORKERS
        from ragbase.adapters.embedded.worker_locks import WorkerLocks

        worker_locks = WorkerLocks(self.config.home / WORKERS)
        self.opened.callback(worker_locks.close)
        return worker_locks
