"""The walks over objects and records, and the comparison of each document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import islice

from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.no_document import no_document
from ragbase.ports import OpenIndex, Ports, StoredObject
from ragbase.upkeep.reconcile.compare import Difference, Sight, compare
from ragbase.upkeep.reconcile.failures import Failures
from ragbase.upkeep.reconcile.progress import Finding, Place, ReconcileProgress, Walk
from ragbase.upkeep.reconcile.repair import repair

PAGE = 500
"""Objects and records that are read together: about 1 MB, and one request each on Google Cloud."""
STEP = 100
"""Documents of a page that are compared together. Between two steps, a caller can stop and keep the place: each of them
may need a repair of about six requests."""
STEP_CHUNKS = 10_000
"""Chunks of the documents of a step, if it has more than one: Weaviate counts so many by one request."""


@dataclass(frozen=True, slots=True)
class DocumentWalk:
    """The walks over documents: their objects, records and chunks, compared and repaired."""

    ports: Ports
    index: OpenIndex
    repairs: bool
    grace: timedelta
    failures: Failures

    def waiting(self) -> Iterator[ReconcileProgress]:
        """The records that need work and have not changed for long."""
        before = self.ports.clock.now() - self.grace
        last: Document | None = None
        while True:
            waiting = self.ports.documents.waiting(before=before, after=last, limit=PAGE)
            # Their objects and chunks are not known yet; each document is read again before it counts.
            sights = [
                (one.id, Sight(stored=None, record=one, held={}))
                for one in waiting
                if one.bucket == self.ports.bucket.name
            ]
            for start in range(0, max(len(sights), 1), STEP):
                yield self._page(sights[start : start + STEP], None)
            if len(waiting) < PAGE:
                return
            last = waiting[-1]

    def _page(self, sights: Iterable[tuple[str, Sight]], place: Place | None) -> ReconcileProgress:
        """What differs in these documents, given by their ids."""
        in_step, unclear, findings = 0, 0, list[Finding]()
        for id, sight in sights:
            differences = self._examine(id, sight)
            if differences is None:
                unclear += 1
            else:
                in_step += sight.is_document and not differences
                findings += differences
        errors = self.failures.of_page()
        return ReconcileProgress(
            place=place, in_step=in_step, moving=unclear - len(errors), findings=findings, errors=errors
        )

    def names(self, after: str) -> Iterator[ReconcileProgress]:
        """Objects and records together, by name, after this name."""
        bucket, documents = self.ports.bucket, self.ports.documents
        while True:
            records = documents.scan(bucket.name, after=after, limit=PAGE)
            objects = list(islice(bucket.list(after=after), PAGE))
            # A full page says nothing about the names after its last one.
            ends = [page[-1].name for page in (records, objects) if len(page) == PAGE]
            end = min(ends, default=None)
            after = end or ""
            known = {record.name: record for record in records if end is None or record.name <= end}
            stored, left_out = dict[str, StoredObject](), list[LeftOutFile]()
            for one in objects:
                if end is None or one.name <= end:
                    why = self._left_out(one, known.get(one.name))
                    if why is None:
                        stored[one.name] = one
                    else:
                        left_out.append(why)
            *steps, last = _steps(sorted(known.keys() | stored.keys()), known)
            for names in steps:
                yield self._page(self._sights(names, known, stored), Place(Walk.NAMES, names[-1]))
            place = Place(Walk.NAMES, after) if end is not None else Place(Walk.CHUNKS)
            yield replace(self._page(self._sights(last, known, stored), place), left_out=left_out)
            if end is None:
                return

    def _left_out(self, stored: StoredObject, record: Document | None) -> LeftOutFile | None:
        """Why the router makes no document of the object; None if it does, or it has one."""
        if stored.shows_folder or (record is not None and not record.tombstone):
            return None
        return no_document(stored.name, self.ports.program_files)

    def _sights(
        self, names: Sequence[str], records: Mapping[str, Document], stored: Mapping[str, StoredObject]
    ) -> Iterator[tuple[str, Sight]]:
        """Each of these names, with what is there for it."""
        ids = {name: document_id(self.ports.bucket.name, name) for name in names}
        held = self.index.held(ids.items())
        for name, id in ids.items():
            yield id, Sight(stored=stored.get(name), record=records.get(name), held=held.get(id, {}))

    def _examine(self, id: str, sight: Sight) -> list[Finding] | None:
        return self.failures.tried(id, _name(sight), lambda: self._compared(id, sight))

    def _compared(self, id: str, sight: Sight) -> list[Finding] | None:
        """What differs in a document, repaired if `repairs` is set; None if the document is in motion."""
        now = self.ports.clock.now()
        if not self._differences(sight, now):
            return None if sight.is_in_work else []
        if sight.is_in_motion(now, self.grace):
            return None
        fresh = self._look_again(id, sight)
        if fresh is None or fresh.is_in_motion(now, self.grace):
            return None
        differences = self._differences(fresh, now)
        if not differences and fresh.is_in_work:
            return None
        name = _name(fresh)
        return [
            Finding(
                document_id=id,
                name=name,
                difference=difference,
                repaired=self._repaired(id, difference, fresh),
            )
            for difference in differences
        ]

    def _repaired(self, id: str, difference: Difference, sight: Sight) -> bool:
        if self.repairs:
            repair(id, difference, sight, self.ports, self.index.vectors_of(_name(sight)))
        return self.repairs

    def _differences(self, sight: Sight, now: datetime) -> list[Difference]:
        return list(compare(sight, index=self.index.index.name, now=now))

    def _look_again(self, id: str, sight: Sight) -> Sight | None:
        """Read the document again; None if its record changes during that."""
        documents = self.ports.documents
        record = documents.get(id)
        held = self.index.vectors_of(_name(sight)).held([id]).get(id, {})
        stored = self.ports.bucket.stat(_name(sight))
        if documents.get(id) != record:
            return None
        if stored is not None and self._left_out(stored, record) is not None:
            stored = None
        return Sight(stored=stored, record=record, held=held)


def _steps(names: Sequence[str], records: Mapping[str, Document]) -> Iterator[Sequence[str]]:
    """The names in order, in groups of at most STEP with at most STEP_CHUNKS chunks together; at least one group."""
    step: list[str] = []
    chunks = 0
    for name in names:
        record = records.get(name)
        count = record.active.chunk_count if record is not None and record.active is not None else 0
        if step and (len(step) == STEP or chunks + count > STEP_CHUNKS):
            yield step
            step, chunks = [], 0
        step.append(name)
        chunks += count
    yield step


def _name(sight: Sight) -> str:
    if sight.record is not None:
        return sight.record.name
    if sight.stored is not None:
        return sight.stored.name
    raise AssertionError("every sight has an object or a record")
