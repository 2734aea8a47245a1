"""Bring a folder of the bucket in step with a source: what is new, changed or gone there is so here, too.

All that a sync has to remember is written with each object, in one step with its bytes: which source brought it, the
mark of the entry, and the MD5 of what was brought. So a sync that is killed leaves nothing half done, and the next one
goes on from there.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from ragbase.domain.errors import (
    EntryChanged,
    GenerationChanged,
    RagbaseError,
    TooManyVanished,
    TransientError,
    UnreadableFile,
)
from ragbase.domain.job import MIN_TEXT_LENGTH_KEY, SOURCE_KEY
from ragbase.domain.limits import MAX_VANISHED_PERCENT
from ragbase.domain.object_name import check_object
from ragbase.formats.table import FORMATS, check_size, format_of
from ragbase.ports import Bucket, DocumentSource, SourceEntry, StoredObject
from ragbase.sources.pairs import Pair, pairs

ADDRESS_KEY = "ragbase-sync-source"
ROOT_KEY = "ragbase-sync-root"
MARK_KEY = "ragbase-sync-mark"
MD5_KEY = "ragbase-sync-md5"
"""Object metadata: the source that brought the object, the folder that it was brought to, the mark of its entry, and
the MD5 of what was brought."""

WORKERS = 8
_AHEAD = 4 * WORKERS
"""Uploads that have begun or wait for a worker, while the next entries are compared."""

_TOGETHER = 64
"""Deletions that are asked for at once."""

_SMALL = 8 * 1024 * 1024
"""Bytes that each worker may hold. Larger files are brought one after another, so that all workers together hold no
more than eight times this and one file of the largest size."""


class SourceChange(StrEnum):
    """What a sync did about one name. VANISHED is gone from the source, and was kept, as nobody asked to delete it.
    LEFT_OUT has no name of a format that ragbase reads."""

    UNCHANGED = "unchanged"
    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"
    VANISHED = "vanished"
    LEFT_OUT = "left out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStep:
    """What became of one name of the bucket. `source` names the entry for people. `stored` is the object there now, or
    the one that was deleted; in a dry run, the one before. `error` says why it FAILED."""

    change: SourceChange
    name: str
    source: str
    stored: StoredObject | None = None
    error: str | None = None


def sync(
    source: DocumentSource,
    bucket: Bucket,
    *,
    root: str | None = None,
    delete: bool = False,
    force: bool = False,
    dry_run: bool = False,
    allowed: Collection[str] = FORMATS,
) -> Iterator[SyncStep]:
    """Upload the new and changed entries of the formats `allowed` below `root` (empty, or with "/" at its end; by
    default the source's own), and say what became of each name.

    With `delete`, the objects that this source brought and no longer has are deleted, after the whole source was
    listed. Objects that others have written or changed are neither overwritten nor deleted. `dry_run` changes nothing.
    An entry that fails stops no other one.

    Raises TooManyVanished in the end if more than 20 % of the documents have vanished: then none is deleted, unless
    `force` is set. Raises UnreadableSource, and TransientError if the source or the bucket does not answer.
    """
    root = source.root if root is None else root
    run = SyncRun(source, bucket, root, delete=delete, force=force, dry_run=dry_run, allowed=allowed)
    with (
        TemporaryFile("w+", encoding="utf-8") as vanished,
        ThreadPoolExecutor(WORKERS, thread_name_prefix="sync") as workers,
    ):
        try:
            yield from done(run.uploads(pairs(source, bucket, root), partial(_remember, vanished)), workers)
            if delete:
                run.check_share()
                yield from run.deletions(_remembered(vanished))
        finally:
            workers.shutdown(wait=True, cancel_futures=True)


Task = Callable[[], SyncStep]


class Vanished(NamedTuple):
    """An object to delete in the end: its name, how people know it, and the generation that was seen."""

    name: str
    source: str
    generation: int


class SyncRun:
    """What `sync` does, for a caller that has the pairs and keeps what has vanished. `present` and `vanished` count
    documents."""

    def __init__(
        self,
        source: DocumentSource,
        bucket: Bucket,
        root: str,
        *,
        delete: bool,
        force: bool,
        dry_run: bool,
        allowed: Collection[str],
    ) -> None:
        self._source = source
        self._bucket = bucket
        self._root = root
        self._delete = delete
        self._force = force
        self._dry_run = dry_run
        self._allowed = allowed
        self._large = threading.Lock()
        self.present = 0
        self.vanished = 0

    def uploads(self, pairs: Iterable[Pair], remember: Callable[[Vanished], object]) -> Iterator[SyncStep | Task]:
        """Compare these names. What is to be deleted in the end is remembered."""
        for pair in pairs:
            step = self._compared(pair)
            if step is None:
                continue
            if pair.entry is not None:
                self.present += step.change is not SourceChange.LEFT_OUT
                is_due = step.change in (SourceChange.ADDED, SourceChange.CHANGED) and not self._dry_run
                yield partial(self._bring, pair.entry, step) if is_due else step
                continue
            self.vanished += 1
            if self._delete and pair.stored is not None:
                remember(Vanished(step.name, step.source, pair.stored.generation))
            else:
                yield step

    def _compared(self, pair: Pair) -> SyncStep | None:
        """What is to be done about one name; None if it is no business of this source."""
        entry, stored = pair.entry, pair.stored
        is_mine = stored is not None and self._is_mine(stored)
        step = SyncStep(
            change=SourceChange.VANISHED, name=pair.name, source=self._source_of(pair.name, entry), stored=stored
        )
        if entry is None:
            return step if is_mine else None
        format = format_of(entry.name)
        if format is None or format.name not in self._allowed:
            return replace(step, change=SourceChange.LEFT_OUT)
        if stored is None:
            return replace(step, change=SourceChange.ADDED)
        if not is_mine:
            return _taken(step)
        is_same = stored.metadata.get(MARK_KEY) == entry.mark
        return replace(step, change=SourceChange.UNCHANGED if is_same else SourceChange.CHANGED)

    def _is_mine(self, stored: StoredObject) -> bool:
        """Whether this source brought exactly these bytes to this root. In a bucket that is a folder, somebody can edit
        a file, and its metadata stays."""
        said = [stored.metadata.get(key) for key in (ADDRESS_KEY, ROOT_KEY, MD5_KEY)]
        return said == [self._source.address, self._root, stored.md5]

    def _source_of(self, name: str, entry: SourceEntry | None) -> str:
        """How people know it: its web address, or its place in the source."""
        return entry.url if entry and entry.url else self._source.address + name.removeprefix(self._root)

    def _bring(self, entry: SourceEntry, step: SyncStep) -> SyncStep:
        """Upload one entry, in a thread of its own."""
        try:
            check_object(step.name, {})
            with ExitStack() as held:
                return self._put(self._read(entry, held), entry, step)
        except TransientError:
            raise
        except (UnreadableFile, EntryChanged) as error:
            return replace(step, change=SourceChange.FAILED, error=str(error))
        except RagbaseError as error:
            return replace(step, change=SourceChange.FAILED, error=f"{step.source}: {error}")
        except Exception as error:  # noqa: BLE001 - one bad file does not stop the others; its step says why
            return replace(step, change=SourceChange.FAILED, error=f"{step.source}: {type(error).__name__}: {error}")

    def _read(self, entry: SourceEntry, held: ExitStack) -> bytes:
        blocks: list[bytes] = []
        size = entry.size or 0
        check_size(size)
        is_large = size > _SMALL
        if is_large:
            held.enter_context(self._large)
        size = 0
        for block in self._source.read(entry):
            size += len(block)
            check_size(size)
            if size > _SMALL and not is_large:
                is_large = True
                held.enter_context(self._large)
            blocks.append(block)
        return b"".join(blocks)

    def _put(self, data: bytes, entry: SourceEntry, step: SyncStep) -> SyncStep:
        metadata = {
            SOURCE_KEY: step.source,
            ADDRESS_KEY: self._source.address,
            ROOT_KEY: self._root,
            MARK_KEY: entry.mark,
            MD5_KEY: hashlib.md5(data, usedforsecurity=False).hexdigest(),
            MIN_TEXT_LENGTH_KEY: "1",  # as `ragbase ingest`: somebody published this text, however short it is
        }
        while True:
            replaces = step.stored.generation if step.stored else 0
            try:
                return replace(step, stored=self._bucket.put(step.name, data, metadata=metadata, replaces=replaces))
            except GenerationChanged:
                live = self._bucket.stat(step.name)
            step = replace(step, stored=live)
            if live is not None and not self._is_mine(live):
                return _taken(step)
            if live is not None and live.metadata.get(MARK_KEY) == entry.mark:
                return replace(step, change=SourceChange.UNCHANGED)  # another sync of this source was faster

    def check_share(self) -> None:
        """Raises TooManyVanished, unless force is set."""
        all = self.vanished + self.present
        if self.vanished * 100 > MAX_VANISHED_PERCENT * all and not self._force:
            raise TooManyVanished(
                f"{self.vanished:,} of {all:,} documents have vanished from {self._source.address}: more than "
                f"{MAX_VANISHED_PERCENT} %. None of them was deleted. If this is right, add --force."
            )

    def deletions(self, vanished: Iterable[Vanished]) -> Iterator[SyncStep]:
        """Delete these, but for those that somebody has written or deleted meanwhile: they are theirs."""
        remaining = iter(vanished)
        while group := list(islice(remaining, _TOGETHER)):
            wanted = {one.name: one.generation for one in group}
            removed = {} if self._dry_run else dict(self._bucket.delete_many(wanted))
            for one in group:
                stored = removed.pop(one.name, None)
                if self._dry_run or stored is not None:
                    yield SyncStep(change=SourceChange.DELETED, name=one.name, source=one.source, stored=stored)


def _remember(file: IO[str], vanished: Vanished) -> None:
    json.dump(vanished, file)
    file.write("\n")


def _remembered(file: IO[str]) -> Iterator[Vanished]:
    file.seek(0)
    return (Vanished(*json.loads(line)) for line in file)


def _taken(step: SyncStep) -> SyncStep:
    return replace(
        step,
        change=SourceChange.FAILED,
        error=f"{step.source}: {step.name} in the bucket is somebody else's: this source did not bring it, or it was "
        "changed there. Delete it in the bucket, or sync to another folder with --prefix.",
    )


def done(work: Iterator[SyncStep | Task], workers: Executor) -> Iterator[SyncStep]:
    """The steps of the work, some of which take a worker. Only so many are ahead of what was taken."""
    open_tasks = deque[Future[SyncStep]]()
    for one in work:
        if isinstance(one, SyncStep):
            yield one
            continue
        open_tasks.append(workers.submit(one))
        if len(open_tasks) >= _AHEAD:
            yield open_tasks.popleft().result()
    while open_tasks:
        yield open_tasks.popleft().result()
