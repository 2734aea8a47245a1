"""Bring a folder of the bucket in step with a source: what is new, changed or gone there is so here, too.

All that a sync has to remember is written with each object, in one step with its bytes: which source brought it, the
mark of the entry, and the MD5 of what was brought. So a sync that is killed leaves nothing half done, and the next one
goes on from there.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import islice
from tempfile import TemporaryFile
from typing import IO, NamedTuple

from ragbase.domain.errors import TooManyVanished, UnreadableSource
from ragbase.domain.limits import MAX_VANISHED_PERCENT
from ragbase.domain.name_forms import nfc
from ragbase.domain.program_files import ProgramFiles
from ragbase.formats.file_selection import FileSelection, empty
from ragbase.formats.table import FORMATS
from ragbase.ports import Bucket, DocumentSource, SourceEntry
from ragbase.sources.bring import Bringer, taken
from ragbase.sources.brought import MARK_KEY, BroughtBy
from ragbase.sources.pairs import Pair, pairs
from ragbase.sources.sync_step import SourceChange, SyncStep

WORKERS = 8
_AHEAD = 4 * WORKERS
"""Uploads that have begun or wait for a worker, while the next entries are compared."""

_TOGETHER = 64
"""Deletions that are asked for at once."""


def sync(
    source: DocumentSource,
    bucket: Bucket,
    *,
    root: str | None = None,
    delete: bool = False,
    force: bool = False,
    dry_run: bool = False,
    allowed: Collection[str] = FORMATS,
    before_first: Callable[[], object] = lambda: None,
    program_files: ProgramFiles | None = None,
) -> Iterator[SyncStep]:
    """Upload the new and changed entries of the formats `allowed` below `root` (empty, or with "/" at its end; by
    default the source's own), and say what became of each name. An entry whose name says nothing is read: its content
    says whether it is a document. `before_first` is called before the first entry is brought, and may raise.

    `program_files` are left out (domain/program_files.py), unless this source brought them before.

    With `delete`, the objects that this source brought and no longer has are deleted, after the whole source was
    listed. Objects that others have written or changed are neither overwritten nor deleted, but those that `ragbase
    ingest` brought from the same files are taken over. `dry_run` changes nothing. An entry that fails stops no other
    one.

    Raises TooManyVanished in the end if more than 20 % of the documents have vanished: then none is deleted, unless
    `force` is set. Raises UnreadableSource, also if there is nothing at its address and never was, and TransientError
    if the source or the bucket does not answer."""
    root = source.root if root is None else root
    selection = FileSelection(allowed, program_files)
    run = SyncRun(source, bucket, root, delete=delete, force=force, dry_run=dry_run, selection=selection)
    with (
        TemporaryFile("w+", encoding="utf-8") as vanished,
        ThreadPoolExecutor(WORKERS, thread_name_prefix="sync") as workers,
    ):
        try:
            work = run.uploads(pairs(source, bucket, root), partial(_remember, vanished))
            yield from done(_after(before_first, work), workers)
            run.check_address()
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
    documents, `left_out` files of the source that are not taken."""

    def __init__(
        self,
        source: DocumentSource,
        bucket: Bucket,
        root: str,
        *,
        delete: bool,
        force: bool,
        dry_run: bool,
        selection: FileSelection,
    ) -> None:
        self._source = source
        self._bucket = bucket
        self._root = nfc(root)
        self._delete = delete
        self._force = force
        self._dry_run = dry_run
        self._selection = selection
        self._by = BroughtBy(source, self._root)
        self._bringer = Bringer(self._by, bucket, self._selection, dry_run=dry_run)
        self._counting = threading.Lock()
        self._begun = deque[tuple[str, threading.Event]](maxlen=_AHEAD)
        self.present = 0
        self.vanished = 0
        self.left_out = 0

    def uploads(self, pairs: Iterable[Pair], remember: Callable[[Vanished], object]) -> Iterator[SyncStep | Task]:
        """Compare these names. What is to be deleted in the end is remembered."""
        for pair in pairs:
            if pair.entry is not None:
                compared = self._compared(pair, pair.entry)
                yield compared if isinstance(compared, SyncStep) else self._after_those_above(pair.name, compared)
            is_given = pair.entry is not None and pair.entry.left_out is None
            if is_given or pair.stored is None or not self._by.has(pair.stored):
                continue
            self.vanished += 1
            step = SyncStep(
                change=SourceChange.VANISHED, name=pair.name, source=self._source_of(pair), stored=pair.stored
            )
            if self._delete:
                remember(Vanished(step.name, step.source, pair.stored.generation))
            else:
                yield step

    def _compared(self, pair: Pair, entry: SourceEntry) -> SyncStep | Task:
        """What is to be done about an entry of the source."""
        stored = pair.stored
        step = SyncStep(change=SourceChange.ADDED, name=pair.name, source=self._source_of(pair), stored=stored)
        is_own = stored is not None and (self._by.has(stored) or self._by.takes_over(stored, entry))
        program_file = None if is_own else self._selection.program_file(pair.name, entry.left_out)
        left_out = program_file or entry.left_out or self._selection.left_out(entry.name)
        if entry.size == 0 and stored is None:
            left_out = left_out or empty(entry.name)
        if left_out is not None:
            with self._counting:
                self.left_out += left_out.files
            return replace(step, change=SourceChange.LEFT_OUT, left_out=left_out)
        with self._counting:
            self.present += 1
        if stored is None:
            needs_work = not self._dry_run or self._selection.needs_look(entry.name)
            return partial(self._bring, entry, step) if needs_work else step
        if not self._by.has(stored):
            return partial(self._bring, entry, step) if self._by.takes_over(stored, entry) else taken(step)
        if stored.metadata.get(MARK_KEY) == entry.mark:
            return replace(step, change=SourceChange.UNCHANGED)
        step = replace(step, change=SourceChange.CHANGED)
        return step if self._dry_run else partial(self._bring, entry, step)

    def _after_those_above(self, name: str, task: Task) -> Task:
        """The task, once the file whose name would be its folder has been brought, if there is one: a bucket that is a
        folder keeps only the first of them, so it is the same one in each run. All earlier tasks have begun by then,
        and but for the last _AHEAD, they have ended."""
        done = threading.Event()
        above = [ended for earlier, ended in self._begun if name.startswith(f"{earlier}/")]
        self._begun.append((name, done))

        def run() -> SyncStep:
            try:
                for ended in above:
                    ended.wait()
                return task()
            finally:
                done.set()

        return run

    def _bring(self, entry: SourceEntry, step: SyncStep) -> SyncStep:
        step = self._bringer.bring(entry, step)
        if step.change is SourceChange.LEFT_OUT:
            with self._counting:
                self.present -= 1
                self.left_out += step.files
        return step

    def _source_of(self, pair: Pair) -> str:
        """How people know it: its web address, or its place in the source."""
        entry = pair.entry
        url = entry.url if entry is not None else None
        return url or self._source.address + (entry.name if entry is not None else pair.name.removeprefix(self._root))

    def check_address(self) -> None:
        """Raises UnreadableSource if the source has nothing and never had: buckets know no folders, and so a wrong one
        is an empty one."""
        if not (self.present or self.vanished or self.left_out):
            raise UnreadableSource(f"{self._source.address}: there is nothing at this address. Correct it.")

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


def _after(before_first: Callable[[], object], work: Iterator[SyncStep | Task]) -> Iterator[SyncStep | Task]:
    """The same work, after a call if there is a task in it."""
    is_first = True
    for one in work:
        if is_first and not isinstance(one, SyncStep):
            is_first = False
            before_first()
        yield one


def _remember(file: IO[str], vanished: Vanished) -> None:
    json.dump(vanished, file)
    file.write("\n")


def _remembered(file: IO[str]) -> Iterator[Vanished]:
    file.seek(0)
    return (Vanished(*json.loads(line)) for line in file)


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
