"""Compare the bucket, the records and the vector store, a page at a time, and repair what differs.

There are four walks. The first goes over objects and records together: both are sorted by name, so each name comes
once, and only two pages are in memory. The second goes over the chunks. It finds chunks whose document has no record,
and those without the labels that their record gives, which an older version may have written. The third goes over the
given texts, and the fourth over the texts of parts. They find those that no record needs.

Everything else goes on in the meantime, so a page shows only what may differ. Each such document is read again, alone,
right before it is counted or repaired, in an order in which what was seen stays true:

1. the record; 2. the chunks; 3. the object; 4. the record again, which has to be the same.

A generation that the bucket or the record has left never comes back. So if the record names a generation and the bucket
lacks it later, it is gone for good. So is one that has chunks, and that the record does not need later. If the bucket
has an object, and the record that is read after that does not know it, its event has not arrived. In the second walk: a
record exists before its first chunk. So if a chunk is read first, and no record is found after that, it has none; if
there is no object either, nobody needs the chunk. And if it lacks the labels of the generation that such a record
shows, no lane is about to write them. In the third walk: a text is written right before its record names it, and its
number comes only once. So if it is older than GRACE, and the record that is read after it does not need it, nobody
needs it. The same is true of the fourth walk, but that a generation may be read in parts once more: if its texts go
at that moment, its parts are read again (pipeline/stored_pages.py).

A document that may be in motion is left alone for the length of GRACE (see compare.py). A deletion has no date: if its
event is still on the way, the document counts as stale, and the repair does what the event will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from itertools import islice, zip_longest

from ragbase.domain.document import Document
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id
from ragbase.ports import HeldChunk, OpenIndex, Ports, StoredObject, StoredText, VectorStore
from ragbase.upkeep.reconcile.compare import (
    GRACE,
    ActiveLabels,
    Difference,
    DifferenceKind,
    Remedy,
    Sight,
    active_labels,
    compare,
)
from ragbase.upkeep.reconcile.leftover_texts import LeftoverTexts, given_texts, part_texts
from ragbase.upkeep.reconcile.repair import repair, write_labels

PAGE = 500
"""Objects and records that are read together: about 1 MB, and one request each on Google Cloud."""
STEP = 100
"""Documents of a page that are compared together. Between two steps, a caller can stop and keep the place: each of them
may need a repair of about six requests."""
STEP_CHUNKS = 10_000
"""Chunks of the documents of a step, if it has more than one: Weaviate counts so many by one request."""
MOST_FAILURES_IN_A_ROW = 3
"""Documents that may fail by a TransientError one after another. More than that means that a service is away."""
CHUNKS = 2_000
"""Chunks whose ids are read together."""
TEXTS = 500
"""Given texts, or texts of parts, that are listed together."""


class Walk(StrEnum):
    WAITING = "waiting"
    """The records that need work and have not changed for long. No other walk follows."""
    NAMES = "names"
    CHUNKS = "chunks"
    TEXTS = "texts"
    PARTS = "parts"


@dataclass(frozen=True, slots=True)
class Place:
    """How far a comparison is: everything up to `after`, a name or the id of a chunk or a document, is done. The chunks
    are those of `tenant`: each tenant of an index that is split has a walk of its own, by name."""

    walk: Walk = Walk.NAMES
    after: str = ""
    tenant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A difference of a document. The `name` is None for chunks and texts without a record. `repaired` says that
    something was done about it; the lanes may have to finish it."""

    document_id: str
    name: str | None
    difference: Difference
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentError:
    """A document that could not be compared or repaired, and why. The others are not affected."""

    document_id: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileProgress:
    """What was found on a page. `place` is where to go on after it; None after the last page."""

    place: Place | None
    in_step: int = 0
    moving: int = 0
    findings: Sequence[Finding] = ()
    errors: Sequence[DocumentError] = ()


def reconcile(
    ports: Ports, index: OpenIndex, *, place: Place | None = None, repairs: bool = False, grace: timedelta = GRACE
) -> Iterator[ReconcileProgress]:
    """Compare everything from `place` on, page by page, and repair what differs if `repairs` is set.

    A caller that stops after a page loses nothing. Several comparisons at once do no harm: two may count the same
    difference, but it is repaired once. A document that cannot be compared or repaired is reported, and the comparison
    goes on. Raises TransientError where one document after another fails by one: then a service is away.
    """
    yield from _Comparison(ports, index, repairs, grace).run(place or Place())


@dataclass(frozen=True, slots=True)
class _Comparison:
    ports: Ports
    index: OpenIndex
    repairs: bool
    grace: timedelta
    errors: list[DocumentError] = field(default_factory=list)
    """Those of the page in work."""
    _away: list[TransientError] = field(default_factory=list)
    """What one document after another has failed by."""
    _live: list[frozenset[str]] = field(default_factory=list)
    """The ids of the documents that have an object, once they are known."""

    def run(self, place: Place) -> Iterator[ReconcileProgress]:
        if place.walk is Walk.WAITING:
            yield from self._walk_waiting()
            return
        if place.walk is Walk.NAMES:
            yield from self._walk_names(place.after)
            place = Place(Walk.CHUNKS)
        if place.walk is Walk.CHUNKS:
            yield from self._walk_tenants(place)
            place = Place(Walk.TEXTS)
        if place.walk is Walk.TEXTS:
            yield from self._walk_texts(place, given_texts(self.ports), Place(Walk.PARTS))
            place = Place(Walk.PARTS)
        yield from self._walk_texts(place, part_texts(self.ports), None)

    def _walk_waiting(self) -> Iterator[ReconcileProgress]:
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
        in_step, moving, findings = 0, 0, list[Finding]()
        self.errors.clear()
        for id, sight in sights:
            errors = len(self.errors)
            differences = self._examine(id, sight)
            if differences is not None:
                in_step += sight.is_document and not differences
                findings += differences
            elif len(self.errors) == errors:
                moving += 1
        return ReconcileProgress(
            place=place, in_step=in_step, moving=moving, findings=findings, errors=tuple(self.errors)
        )

    def _walk_names(self, after: str) -> Iterator[ReconcileProgress]:
        bucket, documents = self.ports.bucket, self.ports.documents
        while True:
            records = documents.scan(bucket.name, after=after, limit=PAGE)
            objects = list(islice(bucket.list(after=after), PAGE))
            # A full page says nothing about the names after its last one.
            ends = [page[-1].name for page in (records, objects) if len(page) == PAGE]
            end = min(ends, default=None)
            after = end or ""
            known = {record.name: record for record in records if end is None or record.name <= end}
            stored = {one.name: one for one in objects if end is None or one.name <= end}
            *steps, last = _steps(sorted(known.keys() | stored.keys()), known)
            for names in steps:
                yield self._page(self._sights(names, known, stored), Place(Walk.NAMES, names[-1]))
            place = Place(Walk.NAMES, after) if end is not None else Place(Walk.CHUNKS)
            yield self._page(self._sights(last, known, stored), place)
            if end is None:
                return

    def _sights(
        self, names: Sequence[str], records: Mapping[str, Document], stored: Mapping[str, StoredObject]
    ) -> Iterator[tuple[str, Sight]]:
        """Each of these names, with what is there for it."""
        ids = {name: document_id(self.ports.bucket.name, name) for name in names}
        held = self.index.held(ids.items())
        for name, id in ids.items():
            yield id, Sight(stored=stored.get(name), record=records.get(name), held=held.get(id, {}))

    def _examine(self, id: str, sight: Sight) -> list[Finding] | None:
        return self._tried(id, _name(sight), lambda: self._compared(id, sight))

    def _tried(self, id: str, name: str, work: Callable[[], list[Finding] | None]) -> list[Finding] | None:
        """What `work` returns; None, and an error of this document, if it fails."""
        try:
            findings = work()
        except Exception as error:
            self._away.extend([error] if isinstance(error, TransientError) else [])
            if len(self._away) > MOST_FAILURES_IN_A_ROW:
                raise
            self.errors.append(DocumentError(document_id=id, name=name, reason=f"{type(error).__name__}: {error}"))
            return None
        self._away.clear()
        return findings

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
        return Sight(stored=stored, record=record, held=held)

    def _walk_tenants(self, place: Place) -> Iterator[ReconcileProgress]:
        """The chunks of each tenant from `place` on. What comes to a new tenant meanwhile has its record."""
        tenants = [tenant for tenant in self.index.tenants() if tenant >= place.tenant]
        for tenant, following in zip_longest(tenants, tenants[1:]):
            end = Place(Walk.CHUNKS, tenant=following) if following is not None else Place(Walk.TEXTS)
            yield from self._walk_chunks(tenant, place.after if tenant == place.tenant else "", end)

    def _walk_chunks(self, tenant: str, after: str, end: Place) -> Iterator[ReconcileProgress]:
        """The chunks of one tenant after the id `after`. `end` is where to go on after them."""
        documents, vectors = self.ports.documents, self.index.vectors(tenant)
        while True:
            self.errors.clear()
            chunks = vectors.scan(after=after, limit=CHUNKS)
            records = documents.get_many(list({chunk.document_id for chunk in chunks}))
            lost = Counter(
                (chunk.document_id, chunk.generation) for chunk in chunks if chunk.document_id not in records
            )
            findings = [
                self._without_record(id, generation, count, vectors)
                for (id, generation), count in lost.items()
                if not self._gets_record(id)
            ]
            if vectors.keeps_labels:
                findings += self._unlabelled(chunks, records, vectors)
            is_last = len(chunks) < CHUNKS
            after = chunks[-1].id if chunks else after
            place = end if is_last else Place(Walk.CHUNKS, after, tenant)
            yield ReconcileProgress(place=place, findings=findings, errors=tuple(self.errors))
            if is_last:
                return

    def _unlabelled(
        self, chunks: Sequence[HeldChunk], records: Mapping[str, Document], vectors: VectorStore
    ) -> Iterator[Finding]:
        """Of the chunks of a page, those without the labels that their records give."""
        settled = self.ports.clock.now() - self.grace
        wanted = {
            id: labels
            for id, record in records.items()
            if record.updated_at <= settled
            and (labels := active_labels(record, index=self.index.index.name)) is not None
        }
        lacking = Counter(
            chunk.document_id
            for chunk in chunks
            if chunk.document_id in wanted and wanted[chunk.document_id].are_lacking(chunk)
        )
        for id, count in lacking.items():
            work = partial(self._labelled, records[id], wanted[id], count, vectors)
            yield from self._tried(id, records[id].name, work) or ()

    def _labelled(self, record: Document, wanted: ActiveLabels, count: int, vectors: VectorStore) -> list[Finding]:
        """`count` chunks are on this page. A repair labels those on later pages, too, so it counts them here."""
        if self.repairs:
            if self.ports.documents.get(record.id) != record:
                return []  # in motion by now
            count = write_labels(record, wanted, self.ports, vectors)
        difference = Difference(
            kind=DifferenceKind.UNLABELLED,
            found=f"{count} chunks lack the labels for filters",
            remedy=Remedy.LABEL,
            generation=wanted.generation,
            count=count,
        )
        return [Finding(document_id=record.id, name=record.name, difference=difference, repaired=self.repairs)]

    def _walk_texts(self, place: Place, leftovers: LeftoverTexts, end: Place | None) -> Iterator[ReconcileProgress]:
        """The texts of one store from `place` on. `end` is where to go on after them."""
        after = place.after
        while True:
            texts = leftovers.store.scan(after=after, limit=TEXTS)
            records = self.ports.documents.get_many(list({text.document_id for text in texts}))
            settled = self.ports.clock.now() - self.grace
            findings = [
                self._leftover_text(text, record, leftovers)
                for text, record in ((text, records.get(text.document_id)) for text in texts)
                if text.written_at <= settled and not (record and leftovers.is_needed(record, text.generation))
            ]
            after = texts[-1].document_id if texts else after
            is_last = len(texts) < TEXTS
            yield ReconcileProgress(place=end if is_last else Place(place.walk, after), findings=findings)
            if is_last:
                return

    def _leftover_text(self, text: StoredText, record: Document | None, leftovers: LeftoverTexts) -> Finding:
        if self.repairs:
            leftovers.store.delete(text.document_id, text.generation)
        return Finding(
            document_id=text.document_id,
            name=record.name if record is not None else None,
            difference=leftovers.difference(text),
            repaired=self.repairs,
        )

    def _gets_record(self, id: str) -> bool:
        """Whether the document has a record again, or an object, which gets its record by the first walk. The objects
        are listed once, and only if there are such chunks: an object that is put later has a record before a chunk."""
        if not self._live:
            bucket = self.ports.bucket
            self._live.append(frozenset(document_id(bucket.name, one.name) for one in bucket.list()))
        return id in self._live[0] or self.ports.documents.get(id) is not None

    def _without_record(self, id: str, generation: int, count: int, vectors: VectorStore) -> Finding:
        """`count` chunks are on this page. A repair removes those on later pages, too, so it counts them here."""
        if self.repairs:
            count = max(count, vectors.held([id]).get(id, {}).get(generation, 0))
            vectors.delete(id, generation=generation)
        difference = Difference(
            kind=DifferenceKind.ORPHANED,
            found=f"{count} chunks of generation {generation}, and no record",
            remedy=Remedy.REMOVE_CHUNKS,
            generation=generation,
            count=count,
        )
        return Finding(document_id=id, name=None, difference=difference, repaired=self.repairs)


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
