"""Compare the bucket, the records and the vector store, a page at a time, and repair what differs.

Two walks. The first goes by name over the objects and the records at once, since both come in that order: each name is
met once, and no more than two pages are held. The second goes over the chunks, for those whose document has no record.

Everything goes on meanwhile, so what a page shows is a suspicion only. It is looked at again alone, right before it is
counted or repaired, in an order in which what is seen stays true:

1. the record; 2. the chunks; 3. the object; 4. the record again, which has to be the same.

Generations only grow, in the bucket and in the record. A generation that the record names, and that the bucket lacks
later, is gone for good; so is one whose chunks are there, and that the bucket lacks later. And of an object that was
seen before the record was read again, that record had not heard. In the second walk: a record is there before its first
chunk is, so that a chunk whose record is asked for later, in vain, has none.

What cannot be told apart from a document in motion is left to it for the length of a grace (see compare.py). A deletion
has no date: one whose event is still on its way counts as stale, and its repair does what the event will do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import islice

from ragbase.domain.document import Document
from ragbase.domain.generation import generation_at
from ragbase.domain.identity import document_id
from ragbase.pipeline.compare import GRACE, Difference, Kind, Remedy, Sight, compare
from ragbase.pipeline.repair import Stores, repair
from ragbase.ports import StoredObject

PAGE = 500
"""Objects and records that are compared at once: some 1 MB, and one request each on Google Cloud."""
CHUNKS = 2_000
"""Chunks that are read at once: their ids alone."""


class Walk(StrEnum):
    WAITING = "waiting"
    """Stands alone: the open records that nobody has been at for long, as many as a page has."""
    NAMES = "names"
    CHUNKS = "chunks"


@dataclass(frozen=True, slots=True)
class Place:
    """How far a comparison has come: everything up to the name, or the chunk's id, `after`."""

    walk: Walk = Walk.NAMES
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A difference of a document. The `name` of chunks without a record is not known. `repaired` where something was
    done about it, which the lanes may have to finish."""

    document_id: str
    name: str | None
    difference: Difference
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """What a page has shown. `place` is where to go on after it, None after the last."""

    place: Place | None
    in_step: int = 0
    moving: int = 0
    findings: Sequence[Finding] = ()


def reconcile(
    stores: Stores, *, place: Place | None = None, repairs: bool = False, grace: timedelta = GRACE
) -> Iterator[Progress]:
    """Compare everything from `place` on, page by page, and repair what differs if asked to.

    Whoever stops after a page loses nothing. Several at once do no harm: they may count the same difference, and what
    they repair is repaired once.
    """
    yield from _Comparison(stores, repairs, grace).run(place or Place())


@dataclass(frozen=True, slots=True)
class _Comparison:
    stores: Stores
    repairs: bool
    grace: timedelta

    def run(self, place: Place) -> Iterator[Progress]:
        if place.walk is Walk.WAITING:
            yield self._look_at_waiting()
            return
        if place.walk is Walk.NAMES:
            yield from self._walk_names(place.after)
            place = Place(Walk.CHUNKS)
        yield from self._walk_chunks(place.after)

    def _look_at_waiting(self) -> Progress:
        before = self.stores.clock.now() - self.grace
        waiting = self.stores.documents.waiting(before=before, limit=PAGE)
        # Nothing is known of their objects and chunks: they are looked at again in any case.
        suspects = [Sight(stored=None, record=one, held={}) for one in waiting if one.bucket == self.stores.bucket.name]
        looks = [self._examine(document_id(self.stores.bucket.name, _name(sight)), sight) for sight in suspects]
        return Progress(
            place=None,
            moving=sum(findings is None for findings in looks),
            findings=[finding for findings in looks for finding in findings or ()],
        )

    def _walk_names(self, after: str) -> Iterator[Progress]:
        bucket, documents = self.stores.bucket, self.stores.documents
        while True:
            records = documents.scan(bucket.name, after=after, limit=PAGE)
            objects = list(islice(bucket.list(after=after), PAGE))
            # A full page says nothing of the names behind its last one.
            ends = [page[-1].name for page in (records, objects) if len(page) == PAGE]
            end = min(ends, default=None)
            in_step, moving, findings = 0, 0, list[Finding]()
            for id, sight in self._sights(records, objects, end):
                differences = self._examine(id, sight)
                if differences is None:
                    moving += 1
                else:
                    in_step += sight.is_document and not differences
                    findings += differences
            after = end or ""
            place = Place(Walk.NAMES, after) if end is not None else Place(Walk.CHUNKS)
            yield Progress(place=place, in_step=in_step, moving=moving, findings=findings)
            if end is None:
                return

    def _sights(
        self, records: Sequence[Document], objects: Sequence[StoredObject], end: str | None
    ) -> Iterator[tuple[str, Sight]]:
        """Each name of the page with what is there of it."""
        by_name = {record.name: record for record in records if end is None or record.name <= end}
        stored = {one.name: one for one in objects if end is None or one.name <= end}
        ids = {name: document_id(self.stores.bucket.name, name) for name in sorted(by_name.keys() | stored.keys())}
        held = self.stores.vectors.held(list(ids.values()))
        for name, id in ids.items():
            yield id, Sight(stored=stored.get(name), record=by_name.get(name), held=held.get(id, {}))

    def _examine(self, id: str, sight: Sight) -> list[Finding] | None:
        """What is wrong with a document, and repaired now if asked for; None where it is in motion."""
        now = self.stores.clock.now()
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
                repaired=self.repairs and repair(id, difference, fresh, self.stores),
            )
            for difference in differences
        ]

    def _differences(self, sight: Sight, now: datetime) -> list[Difference]:
        return list(compare(sight, index=self.stores.index, now=now))

    def _look_again(self, id: str, sight: Sight) -> Sight | None:
        """The same document as it is now; None where its record has changed during the look."""
        documents = self.stores.documents
        record = documents.get(id)
        held = self.stores.vectors.held([id]).get(id, {})
        stored = self.stores.bucket.stat(_name(sight))
        if documents.get(id) != record:
            return None
        return Sight(stored=stored, record=record, held=held)

    def _walk_chunks(self, after: str) -> Iterator[Progress]:
        documents, vectors = self.stores.documents, self.stores.vectors
        while True:
            chunks = vectors.scan(after=after, limit=CHUNKS)
            records = documents.get_many(list({chunk.document_id for chunk in chunks}))
            settled = generation_at(self.stores.clock.now() - self.grace)
            lost = Counter(
                (chunk.document_id, chunk.generation)
                for chunk in chunks
                if chunk.document_id not in records and chunk.generation <= settled
            )
            findings = [self._without_record(id, generation, count) for (id, generation), count in lost.items()]
            is_last = len(chunks) < CHUNKS
            after = chunks[-1].id if chunks else after
            yield Progress(place=None if is_last else Place(Walk.CHUNKS, after), findings=findings)
            if is_last:
                return

    def _without_record(self, id: str, generation: int, count: int) -> Finding:
        """`count` chunks on this page. Removing takes those of later pages, too, so that these are counted here."""
        if self.repairs:
            count = max(count, self.stores.vectors.held([id]).get(id, {}).get(generation, 0))
            self.stores.vectors.delete(id, generation=generation)
        difference = Difference(
            kind=Kind.ORPHANED,
            found=f"{count} chunks of generation {generation}, and no record",
            remedy=Remedy.REMOVE_CHUNKS,
            generation=generation,
            count=count,
        )
        return Finding(document_id=id, name=None, difference=difference, repaired=self.repairs)


def _name(sight: Sight) -> str:
    if sight.record is not None:
        return sight.record.name
    if sight.stored is not None:
        return sight.stored.name
    raise AssertionError("what was seen has an object or a record")
