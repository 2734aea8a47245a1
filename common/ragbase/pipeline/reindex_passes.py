"""Pass after pass over all documents, until an index holds what search shows of each of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property

from ragbase import telemetry
from ragbase.domain.document import Active, Document, Usage
from ragbase.domain.errors import GenerationGone, PermanentError, TransientError
from ragbase.domain.index import Index
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import promoted, reopened
from ragbase.pipeline.rebuild import Rebuilder
from ragbase.pipeline.reindexing import Phase, Progress, Reindexing
from ragbase.pipeline.route import route, topic_of

_PAUSE = 1.0
"""Seconds between two passes that can only wait for documents that the lanes have in work."""
PATIENCE = timedelta(minutes=15)
"""How long nothing may get on: longer than a lease of the heavy lane, after which what is stuck is taken up again."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What came of one document in one pass."""

    worked: bool = False
    waits: bool = False
    chunks: int | None = None
    usage: Usage = field(default_factory=Usage)


_NOTHING, _WORKED, _WAITS = _Step(), _Step(worked=True), _Step(waits=True)


class Passes:
    """The passes for one index, and what they have made so far. `refused` has the generations that cannot be made."""

    def __init__(self, work: Reindexing, index: Index, source: Index | None, told: Callable[[Progress], None]) -> None:
        """`source` is the live index where another is to take its place; None where `index` is the live one."""
        self.documents = 0
        self.chunks = 0
        self.usage = Usage()
        self.refused: set[tuple[str, int]] = set()
        self._work = work
        self._index = index
        self._source = source
        self._told = told
        self._vectors = work.indexes.open(index)
        self._puts_off_twins = True
        self._trouble: TransientError | None = None
        self._waiting_for = ""

    @cached_property
    def _rebuilder(self) -> Rebuilder:
        return self._work.rebuilder(self._index, self._vectors, self._source)

    def over_all(self, phase: Phase) -> None:
        """Until a pass finds nothing to do and nothing to wait for. Raises TransientError where nothing gets on, or
        where another reindex has made another index live."""
        live = self._source if phase is Phase.BUILDING else self._index
        since = self._work.clock.now()
        while True:
            if self._work.indexes.live() != live:
                raise TransientError("Another reindex has made another index the live one. Run it again to go on.")
            worked, waiting = self._pass(phase)
            self._puts_off_twins = False
            if worked:
                since = self._work.clock.now()
            elif waiting:
                self._wait(since, waiting)
            else:
                return

    def _pass(self, phase: Phase) -> tuple[int, int]:
        """How many documents there was work for, and how many are to be waited for."""
        step = self._build if phase is Phase.BUILDING else self._switch
        worked = waiting = seen = 0
        total = self._work.documents.page(limit=1).total
        for page in self._work.records():
            self._sweep(page)
            for record, done in zip(page, self._work.each(step, page), strict=True):
                worked += done.worked
                waiting += done.waits
                seen += not record.tombstone and not done.waits
                if done.chunks is not None:
                    self.documents += 1
                    self.chunks += done.chunks
                self.usage += done.usage
                if done.worked:
                    self._told(Progress(phase, min(seen, total), total, waiting))
        if worked or waiting:
            self._told(Progress(phase, min(seen, total), total, waiting))
        return worked, waiting

    def _wait(self, since: datetime, waiting: int) -> None:
        if self._work.clock.now() - since > PATIENCE:
            raise self._trouble or TransientError(
                f"{waiting} documents are in work and do not get on, such as {self._waiting_for}. `ragbase reconcile` "
                "tells more; the same command goes on with the reindex."
            )
        self._work.sleep(_PAUSE)

    def _sweep(self, page: Sequence[Document]) -> None:
        """Take out what the index holds of generations that are over. The records were read before, so what belongs to
        a generation above the record's is somebody's work."""
        held = self._vectors.held([record.id for record in page])
        for record in page:
            last = record.generation if record.tombstone else record.generation - 1
            for generation in held.get(record.id, {}):
                if generation <= last and not record.shows(generation):
                    self._vectors.delete(record.id, generation=generation)

    def _build(self, record: Document) -> _Step:
        """Make what search shows of the document in this index, too."""
        active = record.active
        if active is None or record.made_in(self._index.name) is not None or self._is_refused(record):
            return _NOTHING
        if self._puts_off_twins and self._awaits_twin(active):
            return _WORKED  # in the next pass
        try:
            after, usage = self._rebuilder.rebuild(record, active)
        except GenerationGone:
            self._catch_up(record)
        except PermanentError as error:
            self.refused.add((record.id, active.generation))
            telemetry.log("reindex.refused", document_id=record.id, name=record.name, code=error.code.value)
        except TransientError as error:
            self._trouble, self._waiting_for = error, record.name
        else:
            made = after.made_in(self._index.name) if after is not None else None
            return _Step(worked=True, chunks=made.chunk_count if made is not None else None, usage=usage)
        return _NOTHING if self._is_refused(record) else _WAITS

    def _switch(self, record: Document) -> _Step:
        """Let the record name this index, which is the live one, and make what it lacks."""
        active = record.active
        if active is None or active.index == self._index.name:
            return _NOTHING
        if record.made_in(self._index.name) is not None:
            self._work.documents.update(record.id, promoted(self._index.name, now=self._work.clock.now()))
            return _WORKED
        if record.is_open:
            self._waiting_for = record.name
            return _WAITS
        done = self._build(record)
        if self._is_refused(record):
            self._reopen(record, active)
            return _WORKED
        return done

    def _reopen(self, record: Document, active: Active) -> None:
        """The lanes find out for themselves that it cannot be made, and record why."""
        after = self._work.documents.update(record.id, reopened(active.generation, now=self._work.clock.now())).after
        if after is not None and after.is_open:
            self._work.publisher.publish(topic_of(after), after.job)

    def _is_refused(self, record: Document) -> bool:
        return record.active is not None and (record.id, record.active.generation) in self.refused

    def _awaits_twin(self, active: Active) -> bool:
        """Whether equal bytes are still to be embedded under another name: their vectors are then had for nothing."""
        twin = self._work.documents.get(active.duplicate_of) if active.duplicate_of else None
        return (
            twin is not None
            and twin.active is not None
            and twin.active.md5 == active.md5
            and twin.made_in(self._index.name) is None
        )

    def _catch_up(self, record: Document) -> None:
        """The bucket has other bytes, or none: the lanes have that in work, or never heard of it and are told now."""
        work = self._work
        self._waiting_for = record.name
        stored = work.bucket.stat(record.name)
        if stored is not None and stored.generation <= record.generation:
            return
        event = (
            stored.event(EventKind.FINALISED)
            if stored is not None
            else ObjectEvent(
                kind=EventKind.DELETED, bucket=record.bucket, name=record.name, generation=record.generation
            )
        )
        route(event, bucket=work.bucket, documents=work.documents, publisher=work.publisher, clock=work.clock)
