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
from ragbase.upkeep.reconcile.compare import Difference, DifferenceKind, Remedy, Sight, compare
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
                # A record whose object the bucket keeps in another form is counted where the object stands.
                in_step += sight.is_document and not differences and (sight.stored is not None or place is None)
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
            objects = list(islice(bucket.list_all(after=after), PAGE))
            # A full page says nothing about the names after its last one.
            ends = [records[-1].name] if len(records) == PAGE else []
            ends += [objects[-1].place] if len(objects) == PAGE else []
            end = min(ends, default=None)
            after = end or ""
            known = {record.name: record for record in records if end is None or record.name <= end}
            stored, left_out = dict[str, StoredObject](), list[LeftOutFile]()
            for one in objects:
                if end is None or one.place <= end:
                    why = self._left_out(one, known.get(one.place))
                    if why is None:
                        stored[one.place] = one
                    else:
                        left_out.append(why)
            *steps, last = _steps(sorted(known.keys() | stored.keys()), known)
            for names in steps:
                yield self._named(names, known, stored, Place(Walk.NAMES, names[-1]))
            place = Place(Walk.NAMES, after) if end is not None else Place(Walk.CHUNKS)
            progress = self._named(last, known, stored, place)
            yield replace(progress, left_out=left_out)
            if end is None:
                return

    def _left_out(self, stored: StoredObject, record: Document | None) -> LeftOutFile | None:
        """Why the router makes no document of the object; None if it does, or it has one."""
        if stored.shows_folder or _is_live(record):
            return None
        left_out = no_document(stored.name, self.ports.program_files)
        if left_out is not None and stored.spelling:  # its record stands elsewhere
            return left_out if not _is_live(self.ports.documents.get(document_id(stored.bucket, stored.name))) else None
        return left_out

    def _named(
        self,
        names: Sequence[str],
        records: Mapping[str, Document],
        stored: Mapping[str, StoredObject],
        place: Place | None,
    ) -> ReconcileProgress:
        progress = self._page(self._sights(names, records, stored), place)
        shadowed = [_shadowed(stored[name]) for name in names if name in stored and stored[name].is_shadowed]
        return replace(progress, findings=[*progress.findings, *shadowed]) if shadowed else progress

    def _sights(
        self, names: Sequence[str], records: Mapping[str, Document], stored: Mapping[str, StoredObject]
    ) -> Iterator[tuple[str, Sight]]:
        """Each of these names, with what is there for it. Where the bucket keeps a name in another form than NFC, the
        record of its document stands elsewhere; one that stands there is of an older version."""
        objects = {name: one for name, one in stored.items() if not one.is_shadowed}
        elsewhere = {name: document_id(one.bucket, one.name) for name, one in objects.items() if one.spelling}
        asked = [elsewhere[name] for name in names if name in elsewhere]
        theirs = self.ports.documents.get_many(asked) if asked else {}
        sights: list[tuple[str, str, StoredObject | None, Document | None]] = []
        for name in names:
            record, one = records.get(name), objects.get(name)
            if one is not None and name in elsewhere:
                sights.append((one.name, elsewhere[name], one, theirs.get(elsewhere[name])))
            if record is not None:
                sights.append((name, record.id, None if _is_gone(record) else one, record))
            elif one is not None and name not in elsewhere:
                sights.append((name, document_id(one.bucket, name), one, None))
        held = self.index.held([(name, id) for name, id, _, _ in sights])
        for _, id, one, record in sights:
            yield id, Sight(stored=one, record=record, held=held.get(id, {}))

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
        if self._has_made_way(sight):
            found = "the document has another record now, under its name in NFC"
            return [_stale(found, sight.record.generation if sight.record is not None else 0)]
        return list(compare(sight, index=self.index.index.name, now=now))

    def _has_made_way(self, sight: Sight) -> bool:
        """Whether the record is of an older version, and the document has one that is in step with the bucket."""
        record = sight.record
        if record is None or record.tombstone or not record.is_older:
            return False
        now = self.ports.documents.get(document_id(record.bucket, record.name))
        return now is not None and not now.tombstone and not now.needs_work

    def _look_again(self, id: str, sight: Sight) -> Sight | None:
        """Read the document again; None if its record changes during that."""
        documents = self.ports.documents
        record = documents.get(id)
        held = self.index.vectors_of(_name(sight)).held([id]).get(id, {})
        is_gone = record is not None and _is_gone(record)
        stored = self.ports.bucket.stat(_name(sight)) if not is_gone else None
        if documents.get(id) != record:
            return None
        if stored is not None and self._left_out(stored, record) is not None:
            stored = None
        return Sight(stored=stored, record=record, held=held)


def _is_live(record: Document | None) -> bool:
    return record is not None and not record.tombstone


def _is_gone(record: Document) -> bool:
    """Whether it has made way for another record, which is the one that the object belongs to."""
    return record.tombstone and record.is_older


def _shadowed(one: StoredObject) -> Finding:
    difference = Difference(
        kind=DifferenceKind.SHADOWED,
        found=f"it is kept as {one.place!a}, and another object has a form of the same name",
        remedy=Remedy.RENAME,
        generation=one.generation,
    )
    return Finding(document_id=document_id(one.bucket, one.name), name=one.name, difference=difference, repaired=False)


def _stale(found: str, generation: int) -> Difference:
    return Difference(kind=DifferenceKind.STALE, found=found, remedy=Remedy.ROUTE_DELETION, generation=generation)


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
