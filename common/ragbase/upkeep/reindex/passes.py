"""Pass after pass over all documents, until an index holds the active generation of each."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property, partial

from ragbase import telemetry
from ragbase.domain.document import Document, IndexedGeneration, Usage
from ragbase.domain.errors import GenerationGone, PermanentError, TransientError
from ragbase.domain.index import Index
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.transitions import promoted, reopened, republished
from ragbase.leases.stopwatch import Stopwatch
from ragbase.pipeline.hold import Hold
from ragbase.pipeline.publish_job import ask_lanes
from ragbase.pipeline.remove_stale_chunks import may_be_read
from ragbase.pipeline.route import follow_bucket
from ragbase.ports import OpenPartitions
from ragbase.upkeep.reconcile.compare import GRACE
from ragbase.upkeep.reindex.plan import ReindexPlan
from ragbase.upkeep.reindex.progress import Phase, ReindexProgress
from ragbase.upkeep.reindex.rebuild_document import Rebuilder

_STEADY = 3
"""How many passes in a row may find no less to do than one before them: then uploads come as fast as passes end."""
_PAUSE = 1.0
"""Seconds between two passes that can only wait for the lanes."""
PATIENCE = timedelta(minutes=15)
"""How long nothing may move: longer than a lease of the heavy lane, after which a stuck document is processed again."""
HELD_PATIENCE = timedelta(minutes=1)
"""The same while flips are held: only a service that is away can be in the way then."""

_Held = Mapping[str, Mapping[int, int]]
"""How many chunks of each generation the index has, by document id."""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What one pass did with one document. `chunks` is the number made, None if none were."""

    worked: bool = False
    waits: bool = False
    chunks: int | None = None
    usage: Usage = field(default_factory=Usage)


_NOTHING, _WORKED, _WAITS = _Outcome(), _Outcome(worked=True), _Outcome(waits=True)


class Passes:
    """The passes for one index, and what they have made so far. `refused` has the generations that cannot be made."""

    def __init__(
        self, plan: ReindexPlan, index: Index, source: Index | None, on_progress: Callable[[ReindexProgress], None]
    ) -> None:
        """`source` is the current index if `index` will replace it; None if `index` is the current one."""
        self.documents = 0
        self.chunks = 0
        self.usage = Usage()
        self.refused: set[tuple[str, int]] = set()
        self._plan = plan
        self._ports = plan.ports
        self._index = index
        self._source = source
        self._on_progress = on_progress
        self._chunks = OpenPartitions(index, plan.ports.indexes)
        self._chunks.create()  # it has to exist even if no document is in it
        self._postpones_duplicates = True
        self._hold: Hold | None = None
        self._hold_lasts = False
        self._error: TransientError | None = None
        self._faults: Counter[tuple[str, int]] = Counter()
        self._waiting_for = ""

    @cached_property
    def _rebuilder(self) -> Rebuilder:
        return self._plan.rebuilder(self._index, self._source)

    def build(self) -> None:
        """Repeat until a pass finds nothing to do and nothing to wait for, or the passes find no less any more, because
        the lanes complete other documents meanwhile. Raises TransientError, as `switch`."""
        least, steady = math.inf, 0
        for left in self._until_nothing_is_left(Phase.BUILDING):
            steady = steady + 1 if left >= least else 0
            if steady == _STEADY:
                return
            least = min(least, left)

    def build_the_rest(self) -> None:
        """Make what is left while no document flips. The hold goes on until `end_hold`, and the index has all that
        search shows. One kind of document may be missing: what search shows of it is no longer in the bucket, and its
        newest generation is not active yet. Raises TransientError, as `switch`."""
        while True:
            self.end_hold()
            hold = Hold(self._ports.checkpoints, self._ports.clock)
            while not hold.begin():
                self._plan.sleep(_PAUSE)
            self._hold = hold
            self._hold_lasts = True
            self._plan.sleep(self._plan.grace)  # lanes that have seen no hold flip in this time
            for _ in self._until_nothing_is_left(Phase.BUILDING):
                if not self._hold_lasts:
                    break  # documents flip again, so that these passes may find work for ever
            if self._hold_lasts and self._hold.extend() and self._hold.lasts():
                return

    def end_hold(self) -> None:
        """Documents may flip again."""
        if self._hold is not None:
            self._hold.end()
            self._hold = None

    def switch(self) -> None:
        """Repeat until all records name the index, which is the current one. Raises TransientError if nothing moves, or
        another reindex has made another index the current one."""
        for _ in self._until_nothing_is_left(Phase.SWITCHING):
            pass

    def _until_nothing_is_left(self, phase: Phase) -> Iterator[int]:
        """Yield after each pass that found work to do how many documents it worked on or has to wait for."""
        current = self._source if phase is Phase.BUILDING else self._index
        stopwatch = Stopwatch(self._ports.clock)
        while True:
            if self._ports.indexes.current() != current:
                raise TransientError("Another reindex has switched to another index. Run it again to go on.")
            worked, waiting = self._pass(phase)
            self._postpones_duplicates = False
            if worked:
                stopwatch.restart()
                yield worked + waiting
            elif waiting:
                self._wait(stopwatch.read(), waiting)
            else:
                return

    def _pass(self, phase: Phase) -> tuple[int, int]:
        """How many documents needed work, and how many have to be waited for."""
        step = self._build if phase is Phase.BUILDING else self._switch
        worked = waiting = seen = 0
        total = self._ports.documents.count()
        for page in self._plan.records():
            if self._hold is not None:
                self._hold_lasts = self._hold_lasts and self._hold.extend()
            held = self._chunks.held((record.name, record.id) for record in page)
            waiting += self._remove_stale(page, held, is_searched=phase is Phase.SWITCHING)
            for record, outcome in zip(page, self._plan.each(partial(step, held=held), page), strict=True):
                worked += outcome.worked
                waiting += outcome.waits
                seen += not record.tombstone and not outcome.waits
                if outcome.chunks is not None:
                    self.documents += 1
                    self.chunks += outcome.chunks
                self.usage += outcome.usage
                if outcome.worked:
                    self._on_progress(ReindexProgress(phase, min(seen, total), total, waiting))
        if worked or waiting:
            self._on_progress(ReindexProgress(phase, min(seen, total), total, waiting))
        return worked, waiting

    def _wait(self, waited: timedelta, waiting: int) -> None:
        if waited > (PATIENCE if self._hold is None else HELD_PATIENCE):
            raise self._error or TransientError(
                f"{waiting} documents are in work and do not move, such as {self._waiting_for}. `ragbase reconcile` "
                "says more; the same command goes on with the reindex."
            )
        self._plan.sleep(_PAUSE)

    def _remove_stale(self, page: Sequence[Document], held: _Held, *, is_searched: bool) -> int:
        """Remove the stale chunks from the index. Returns how many documents have some that can only be removed later.
        The records are read again after the index: what they do not need then is no work that a lane is doing
        (pipeline/remove_stale_chunks.py)."""
        waits = 0
        doubtful = [record.id for record in page if not all(map(record.needs, held.get(record.id, {})))]
        for record in self._ports.documents.get_many(doubtful).values() if doubtful else ():
            vectors = self._chunks.vectors_of(record.name)
            stale = [generation for generation in held[record.id] if not record.needs(generation)]
            if stale and is_searched and may_be_read(record, vectors, self._ports.clock.now()):
                self._waiting_for = record.name
                waits += 1
                continue
            for generation in stale:
                vectors.delete(record.id, generation=generation)
        return waits

    def _build(self, record: Document, held: _Held) -> _Outcome:
        """Make the document's active generation in this index, too.

        A record may say that this index has it, although the chunks are gone: somebody dropped what was half built, and
        the index was made again under the same name. `held` was read after the record, so what it lacks is lost.
        """
        active, noted = record.active, record.indexed_in(self._index.name)
        has_all = noted is not None and held.get(record.id, {}).get(noted.generation, 0) >= noted.chunk_count
        if active is None or has_all or self._is_refused(record):
            return _NOTHING
        if self._postpones_duplicates and self._awaits_duplicate(record, active):
            return _WORKED  # in the next pass
        try:
            after, usage = self._rebuilder.rebuild(record, active)
        except GenerationGone:
            if self._catch_up(record, active) and self._hold is not None:
                return _NOTHING  # no pass can make it, and the lanes make what the bucket has now
        except PermanentError as error:
            self.refused.add((record.id, active.generation))
            telemetry.log("reindex.refused", document_id=record.id, name=record.name, code=error.code.value)
        except TransientError as error:
            self._error, self._waiting_for = error, record.name
        except Exception as error:  # noqa: BLE001 - one bad document stops no other; it is tried again, then refused
            self._note_fault(record, active, error)
        else:
            indexed = after.indexed_in(self._index.name) if after is not None else None
            return _Outcome(worked=True, chunks=indexed.chunk_count if indexed is not None else None, usage=usage)
        return _NOTHING if self._is_refused(record) else _WAITS

    def _note_fault(self, record: Document, active: IndexedGeneration, error: Exception) -> None:
        key = (record.id, active.generation)
        self._faults[key] += 1
        self._waiting_for = record.name
        if self._faults[key] > MAX_RETRIES:
            self.refused.add(key)
        reason = f"{type(error).__name__}: {error}"
        telemetry.log("reindex.fault", level=logging.ERROR, document_id=record.id, name=record.name, reason=reason)

    def _switch(self, record: Document, held: _Held) -> _Outcome:
        """Let the record name this index, which is the current one, and make what it lacks."""
        active = record.active
        if active is None or active.index_name == self._index.name:
            return _NOTHING
        if record.indexed_in(self._index.name) is not None:
            self._ports.documents.update(record.id, promoted(self._index.name, now=self._ports.clock.now()))
            return _WORKED
        if record.needs_work:
            self._ask_lanes_again(record)
            return _WAITS
        outcome = self._build(record, held)
        if self._is_refused(record):  # the lanes find that out, too, and record why
            ask_lanes(record.id, reopened(active.generation, now=self._ports.clock.now()), self._ports)
            return _WORKED
        return outcome

    def _is_refused(self, record: Document) -> bool:
        return record.active is not None and (record.id, record.active.generation) in self.refused

    def _awaits_duplicate(self, record: Document, active: IndexedGeneration) -> bool:
        """Whether equal bytes are still to be embedded under another name: then these vectors will cost nothing."""
        duplicate = self._rebuilder.duplicate(record, active)
        return (
            duplicate is not None
            and duplicate.active is not None
            and duplicate.active.same_content(active)
            and duplicate.indexed_in(self._index.name) is None
        )

    def _catch_up(self, record: Document, active: IndexedGeneration) -> bool:
        """The bucket has other bytes, or none: the lanes are working on that, or missed the event and get it now. False
        if the bucket still lists the active generation."""
        stored = self._ports.bucket.stat(record.name)
        if stored is not None and record.is_of(stored.generation):
            self._ask_lanes_again(record)
            return stored.generation != active.of_file
        self._waiting_for = record.name
        follow_bucket(record, stored, self._ports)
        return True

    def _ask_lanes_again(self, record: Document) -> None:
        """Wait for the lanes. If the record has not changed for long, its job may be lost, and is published again."""
        self._waiting_for = record.name
        now = self._ports.clock.now()
        if not record.needs_work or record.is_leased(now) or record.updated_at > now - GRACE:
            return
        ask_lanes(record.id, republished(record.wanted, now=now), self._ports)
