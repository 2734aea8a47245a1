"""Do the bucket, the record and the vector store say the same of a document?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from ragbase.domain.document import Document, Status
from ragbase.domain.generation import generation_at
from ragbase.ports import StoredObject

GRACE = timedelta(minutes=10)
"""What has changed since then is in motion: its event may be on the way, its job in the queue (whose longest backoff
this is, on Google Cloud), or its worker about to clear away what it has replaced."""


class Kind(StrEnum):
    """What a difference is. `ORPHANED` is counted in chunks, all others in documents."""

    MISSING = "missing"
    """The bucket has an object of which search shows nothing, or not all."""
    STALE = "stale"
    """The record speaks of another generation than the one in the bucket, or of an object that is gone."""
    ORPHANED = "orphaned"
    """Chunks that no record accounts for."""
    STUCK = "stuck"
    """There is work to do, and nobody has been at it for the length of the grace."""


class Remedy(StrEnum):
    """What brings the three together again. Each is an ordinary step of the pipeline."""

    ROUTE = "route"
    """The object's event, once more."""
    ROUTE_DELETION = "route deletion"
    REPROCESS = "reprocess"
    """Make the chunks of the generation anew, from those that are there."""
    REPROCESS_ALL = "reprocess all"
    """The same after all of them are taken out."""
    PUBLISH = "publish"
    """The record's job, once more."""
    REMOVE_CHUNKS = "remove chunks"
    UPLOAD = "upload"
    """Only whoever has the file can do it: a later generation than the record knows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`found` tells what was seen, `generation` whose chunks or work it is about, `count` how many (see Kind)."""

    kind: Kind
    found: str
    remedy: Remedy
    generation: int
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What the bucket, the record and the vector store hold of one name; `held` counts chunks by generation."""

    stored: StoredObject | None
    record: Document | None
    held: Mapping[int, int]

    @property
    def is_document(self) -> bool:
        """Whether there is anything to search for."""
        if self.stored is not None:
            return not self.stored.shows_folder
        return self.record is not None and not self.record.tombstone

    @property
    def is_in_work(self) -> bool:
        return self.record is not None and self.record.is_open

    def is_in_motion(self, now: datetime, grace: timedelta) -> bool:
        changed_at = 0
        if self.record is not None:
            changed_at = generation_at(self.record.updated_at)
        if self.stored is not None:
            changed_at = max(changed_at, self.stored.generation)  # the time at which it was written
        return changed_at > generation_at(now - grace)


def compare(sight: Sight, *, index: str, now: datetime) -> Iterator[Difference]:
    """Every difference, whether or not the document is in motion; chunks that are to be removed come first. `index` is
    the name of the index that holds the chunks."""
    yield from _orphans(sight)
    stored, record = sight.stored, sight.record
    if not sight.is_document:
        return
    if stored is None:
        if record is not None:
            found = f"the object is gone, the record is {record.status} at generation {record.generation}"
            yield _document(Kind.STALE, found, Remedy.ROUTE_DELETION, record.generation)
    elif record is None:
        yield _document(Kind.MISSING, "the object has no record", Remedy.ROUTE, stored.generation)
    elif record.generation > stored.generation or (record.tombstone and record.generation == stored.generation):
        # No event can bring this about, and none can end it: the record would ignore it as one of the past.
        found = f"the record is past generation {stored.generation}, which the bucket has: upload the file again"
        yield _document(Kind.STALE, found, Remedy.UPLOAD, stored.generation)
    elif record.tombstone:
        found = f"the record is of a deleted generation, the object of generation {stored.generation}"
        yield _document(Kind.MISSING, found, Remedy.ROUTE, stored.generation)
    elif record.generation < stored.generation:
        found = f"the record is of generation {record.generation}, the object of generation {stored.generation}"
        yield _document(Kind.STALE, found, Remedy.ROUTE, stored.generation)
    else:
        yield from _of_one_generation(record, sight.held, index, now)


def _of_one_generation(record: Document, held: Mapping[int, int], index: str, now: datetime) -> Iterator[Difference]:
    generation = record.generation
    if record.is_open:
        if record.lease is None or record.lease.until <= now:
            found = f"{record.status} after {record.attempts} attempts, and nobody is at it"
            yield _document(Kind.STUCK, found, Remedy.PUBLISH, generation)
    elif record.status is Status.COMPLETED:
        made = record.made_in(index)
        there, wanted = held.get(generation, 0), made.chunk_count if made is not None else 0
        if made is None:
            yield _document(Kind.MISSING, "it is not made for the live index yet", Remedy.REPROCESS, generation)
        elif there < wanted:
            found = f"{there} of {wanted} chunks are there"
            yield _document(Kind.MISSING, found, Remedy.REPROCESS, generation)
        elif there > wanted:
            # Which of them they are is not known here: an attempt with other settings may have left them.
            yield Difference(
                kind=Kind.ORPHANED,
                found=f"{there} chunks where {wanted} were made",
                remedy=Remedy.REPROCESS_ALL,
                generation=generation,
                count=there - wanted,
            )


def _orphans(sight: Sight) -> Iterator[Difference]:
    """Chunks of generations that can never be wanted again. Those without any record are found by a walk over the
    chunks: an object of theirs gets its record first, and may find in them what is paid for."""
    record = sight.record
    if record is None:
        return
    accounted = set()
    if sight.stored is not None and sight.stored.generation > record.generation:
        accounted.add(sight.stored.generation)
    if record.active is not None:
        accounted.add(record.active.generation)
    if not record.tombstone:
        # Also where it is FAILED: somebody may ask for another round of attempts (see withdraw.py).
        accounted.add(record.generation)
    for generation, count in sorted(sight.held.items()):
        if generation not in accounted:
            yield Difference(
                kind=Kind.ORPHANED,
                found=f"{count} chunks of generation {generation}, which search does not show",
                remedy=Remedy.REMOVE_CHUNKS,
                generation=generation,
                count=count,
            )


def _document(kind: Kind, found: str, remedy: Remedy, generation: int) -> Difference:
    return Difference(kind=kind, found=found, remedy=remedy, generation=generation)
