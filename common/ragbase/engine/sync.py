"""Bring the bucket in step with a source, and wait until the pipeline has done its work."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial

from ragbase.bootstrap.profile import Profile
from ragbase.bootstrap.sources import open_source
from ragbase.domain.document import Document
from ragbase.domain.errors import RagbaseError
from ragbase.domain.identity import document_id
from ragbase.domain.name_forms import nfc
from ragbase.engine.check_embedder import check_embedder
from ragbase.engine.failed_documents import failed_documents
from ragbase.engine.lanes import lanes
from ragbase.engine.standstill import Standstill, WaitLimit
from ragbase.engine.wait import PATIENCE, DocumentWaiter, is_in_step, is_replaced, is_settled, outcome_of
from ragbase.formats.document_notes import notes_of
from ragbase.pipeline.named_records import records_of
from ragbase.ports import StoredObject
from ragbase.sources.sync import sync
from ragbase.sources.sync_step import SourceChange, SyncStep

_MOST_AWAITED = 500
"""Documents that wait for the lanes while the sync goes on. With more, the sync waits for the lanes."""

_PAGE = 500
"""Unchanged documents whose records are read together."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did about one name, and how its document ended; None if nothing was done, unless it has FAILED
    before, or if functions do it."""

    step: SyncStep
    document: Document | None = None

    @property
    def source(self) -> str:
        return self.step.source

    @property
    def unchanged(self) -> bool:
        return self.document is None and self.step.error is None

    @property
    def chunks(self) -> int | None:
        active = self.document.active if self.document is not None else None
        return active.chunk_count if active is not None else None

    @property
    def error(self) -> str | None:
        return self.step.error or (outcome_of(self.document) if self.document is not None else None)

    @property
    def notes(self) -> Sequence[str]:
        """What was doubtful, damaged or left out in the file."""
        return tuple(notes_of(self.document)) if self.document is not None and self.error is None else ()


def sync_source(
    address: str,
    profile: Profile,
    *,
    root: str | None = None,
    delete: bool = False,
    force: bool = False,
    dry_run: bool = False,
) -> Iterator[Synced]:
    """Sync (sources/sync.py) from the source at the address, and say what became of each name.

    If the lanes run here, a document is reported once it has settled, also one that a sync before did not wait for.
    Raises what `sync` and `open_source` (bootstrap/sources.py) raise, and ConfigurationError, before any document is
    brought, if no text can be embedded.
    """
    opened = open_source(address, profile.config, profile.bucket, profile.bucket_folder, root)
    with closing(opened) as source:
        root = nfc(source.root if root is None else root)
        profile.look_at_bucket()
        lanes_run = profile.runs_lanes and not dry_run
        steps = sync(
            source,
            profile.bucket,
            root=root,
            delete=delete,
            force=force,
            dry_run=dry_run,
            allowed=profile.extractor.allowed,
            before_first=lambda: check_embedder(profile.open_index().embedder) if lanes_run else None,
            program_files=profile.program_files,
        )
        if dry_run:
            yield from map(Synced, steps)
        else:
            yield from followed(steps, profile, deletions_below=root if delete else None)


def followed(steps: Iterator[SyncStep], profile: Profile, *, deletions_below: str | None) -> Iterator[Synced]:
    """What became of each name: if the lanes run here, once its document has settled. An unchanged file whose document
    is FAILED says so each time. Also what a sync before has deleted below that folder, if there is one."""
    if profile.runs_lanes:
        yield from _Processing(profile).of(steps, deletions_below=deletions_below)
        return
    failed = {record.name: record for record in failed_documents(profile.documents)}
    for step in steps:
        record = failed.get(step.name) if step.change is SourceChange.UNCHANGED and step.stored is not None else None
        is_failed = record is not None and step.stored is not None and record.is_of(step.stored.generation)
        yield Synced(step, record if is_failed else None)


class _Processing:
    """The lanes of this process at work on what the sync brings. They start when there is work for them."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        self._waiter = DocumentWaiter(profile.documents, Standstill(profile))
        self._patience = WaitLimit(PATIENCE.total_seconds())
        self._awaited: dict[str, SyncStep] = {}
        self._unchanged: list[tuple[SyncStep, StoredObject]] = []
        self._running = ExitStack()
        self._is_running = False

    def of(self, steps: Iterator[SyncStep], *, deletions_below: str | None) -> Iterator[Synced]:
        """Also wait for what was deleted before below that folder, if there is one."""
        with self._running:
            failure = None
            try:
                for step in steps:
                    yield from self._after(step)
            except RagbaseError as error:  # the source breaks off, or too much has vanished
                failure = error
            yield from self._look_at_unchanged()
            if deletions_below is not None:
                self._expect_deletions(deletions_below)
            yield from map(self._synced, self._waiter.rest())
            if failure is not None:
                raise failure

    def _after(self, step: SyncStep) -> Iterator[Synced]:
        if step.stored is not None and step.change is SourceChange.UNCHANGED:
            self._unchanged.append((step, step.stored))
            if len(self._unchanged) >= _PAGE:
                yield from self._look_at_unchanged()
        elif step.stored is not None and step.change in (
            SourceChange.ADDED,
            SourceChange.CHANGED,
            SourceChange.DELETED,
        ):
            self._expect(step, step.stored)
            yield from map(self._synced, self._waiter.until(_MOST_AWAITED))
        else:
            yield Synced(step)

    def _look_at_unchanged(self) -> Iterator[Synced]:
        """A sync that was killed has left documents in work."""
        page, self._unchanged = self._unchanged, []
        records = records_of([stored.place for _, stored in page], self._profile.documents, self._profile.bucket.name)
        for step, stored in page:
            record = records.get(stored.place)
            if record is not None and record.is_of(stored.generation) and is_settled(record):
                yield Synced(step, record if outcome_of(record) is not None else None)
            else:
                self._expect(step, stored)

    def _expect_deletions(self, root: str) -> None:
        """A sync that was killed may have deleted objects whose documents search still shows."""
        bucket = self._profile.bucket
        objects = bucket.list(root)
        live = next(objects, None)
        for record in self._records_below(root):
            while live is not None and live.name < record.name:
                live = next(objects, None)
            is_live = live is not None and live.name == record.name
            if is_live or record.tombstone or record.id in self._awaited:
                continue
            if bucket.stat(record.name) is None:  # nor in another form, which stands elsewhere
                step = SyncStep(change=SourceChange.DELETED, name=record.name, source=record.source)
                self._wait_for(record.id, step, partial(is_in_step, bucket=bucket))

    def _records_below(self, root: str) -> Iterator[Document]:
        after = root
        while page := self._profile.documents.scan(self._profile.bucket.name, after=after, limit=_PAGE):
            for record in page:
                if not record.name.startswith(root):
                    return
                yield record
            after = page[-1].name

    def _expect(self, step: SyncStep, stored: StoredObject) -> None:
        self._wait_for(document_id(stored.bucket, stored.name), step, partial(self._is_done, stored))

    def _wait_for(self, id: str, step: SyncStep, is_done: Callable[[Document], bool]) -> None:
        if not self._is_running:
            self._running.enter_context(lanes(self._profile, self._waiter.settled))
            self._is_running = True
        self._awaited[id] = step
        self._waiter.expect(id, is_done)

    def _is_done(self, stored: StoredObject, record: Document) -> bool:
        """Also after a while of generations that others have uploaded: they may come faster than the lanes are."""
        if is_settled(record) and (record.is_of(stored.generation) or is_in_step(record, self._profile.bucket)):
            return True
        return is_replaced(record, stored.generation, self._profile.bucket) and self._patience.is_over(record.id)

    def _synced(self, record: Document) -> Synced:
        step = self._awaited.pop(record.id)
        is_as_before = step.change is SourceChange.UNCHANGED and outcome_of(record) is None
        return Synced(step, None if is_as_before else record)
