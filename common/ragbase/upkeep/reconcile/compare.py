"""Do the bucket, the record and the vector store agree about a document?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from ragbase.domain.document import Document, Status
from ragbase.domain.labels import Labels, labels_of
from ragbase.domain.passed import is_ahead
from ragbase.ports import HeldChunk, StoredObject

GRACE = timedelta(minutes=10)
"""A document that changed less than this ago is in motion: its event may be on the way, its job in the queue (this is
the longest backoff on Google Cloud), or its worker about to remove the stale chunks."""


class DifferenceKind(StrEnum):
    """What a difference is. `ORPHANED` is counted in chunks, and in what is stored of texts, `UNLABELLED` in chunks,
    `SHADOWED` in objects, all others
    in documents."""

    MISSING = "missing"
    """The bucket has an object, but search does not show it, or not all of it."""
    STALE = "stale"
    """The record has another generation than the bucket, or the object is gone."""
    ORPHANED = "orphaned"
    """Chunks, given texts, texts of parts and word boxes that no record needs."""
    STUCK = "stuck"
    """The document needs work, and nobody has worked on it for the length of GRACE."""
    UNLABELLED = "unlabelled"
    """Chunks that search shows, without the labels that their record gives. If they have none, a search with a filter
    has to ask the records; if they have others, it may miss them."""
    SHADOWED = "shadowed"
    """Objects without a document, because another one has a form of the same name (ports/canonical_bucket.py)."""


class Remedy(StrEnum):
    """What makes the three agree again. Each remedy is an ordinary step of the pipeline."""

    ROUTE = "route"
    """Route the object's event again."""
    ROUTE_DELETION = "route deletion"
    REPROCESS = "reprocess"
    """Make the chunks of the generation again, and reuse those that are there."""
    PUBLISH = "publish"
    """Publish the record's job again."""
    END = "end"
    """Let the document be FAILED, because the extractor elsewhere has not answered in time."""
    REMOVE_CHUNKS = "remove chunks"
    LABEL = "label"
    """Write the chunks again, with the labels."""
    REMOVE_TEXT = "remove text"
    RENAME = "rename"
    """The owner of the bucket renames the object, or deletes it. A repair touches no object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """`found` says what was seen, `generation` in which generation, and `count` how many (see DifferenceKind)."""

    kind: DifferenceKind
    found: str
    remedy: Remedy
    generation: int
    count: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What the bucket, the records and the vector store hold for one name; `held` counts chunks by generation."""

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
        return self.record is not None and self.record.needs_work

    def is_in_motion(self, now: datetime, grace: timedelta) -> bool:
        """What has changed in a time that is still to come was changed before the clock was put back."""
        changed = [
            *([self.record.updated_at] if self.record is not None else ()),
            *([self.stored.written_at] if self.stored is not None else ()),
        ]
        return any(now - grace < moment and not is_ahead(moment, now) for moment in changed)


@dataclass(frozen=True, slots=True)
class ActiveLabels:
    """The generation of a document that search shows, and the labels that its chunks should carry."""

    generation: int
    labels: Labels

    def are_lacking(self, chunk: HeldChunk) -> bool:
        return chunk.generation == self.generation and chunk.labels != self.labels


def compare(sight: Sight, *, index: str, now: datetime) -> Iterator[Difference]:
    """Every difference, even if the document is in motion. Chunks to remove come first. `index` is the name of the
    index that holds the chunks."""
    yield from _orphans(sight)
    stored, record = sight.stored, sight.record
    if not sight.is_document:
        return
    if stored is None:
        if record is not None:
            found = f"the object is gone, the record is {record.status} at generation {record.generation}"
            yield _document(DifferenceKind.STALE, found, Remedy.ROUTE_DELETION, record.generation)
    elif record is None:
        found = "the object has no record" + (" under its name in NFC yet" if stored.spelling else "")
        yield _document(DifferenceKind.MISSING, found, Remedy.ROUTE, stored.generation)
    elif record.tombstone:
        found = f"the record is of a deleted generation, the object of generation {stored.generation}"
        yield _document(DifferenceKind.MISSING, found, Remedy.ROUTE, stored.generation)
    elif record.generation != stored.generation:
        found = f"the record is of generation {record.generation}, the object of generation {stored.generation}"
        yield _document(DifferenceKind.STALE, found, Remedy.ROUTE, stored.generation)
    else:
        yield from _of_one_generation(record, sight.held, index, now)


def _of_one_generation(record: Document, held: Mapping[int, int], index: str, now: datetime) -> Iterator[Difference]:
    if record.handed_out is not None:
        if record.handed_out.is_over(now):
            found = f"{record.status}, and the extractor elsewhere has not answered in time"
            yield _document(DifferenceKind.STUCK, found, Remedy.END, record.wanted)
    elif record.needs_work:
        if not record.is_leased(now):
            found = f"{record.status} after {record.attempts} attempts, and nobody is working on it"
            yield _document(DifferenceKind.STUCK, found, Remedy.PUBLISH, record.wanted)
    elif record.status is Status.COMPLETED:
        # This is what search shows. If a text was given for the file and has failed, the record wants another one.
        generation = record.active.generation if record.active is not None else record.generation
        made = record.indexed_in(index)
        there, wanted = held.get(generation, 0), made.chunk_count if made is not None else 0
        if made is None:
            yield _document(
                DifferenceKind.MISSING, "it is not made for the current index yet", Remedy.REPROCESS, generation
            )
        elif there < wanted:
            found = f"{there} of {wanted} chunks are there"
            yield _document(DifferenceKind.MISSING, found, Remedy.REPROCESS, generation)
        elif there > wanted:
            # It is not known here which ones are too many: an attempt with other settings may have left them.
            yield Difference(
                kind=DifferenceKind.ORPHANED,
                found=f"{there} chunks, but only {wanted} were made",
                remedy=Remedy.REPROCESS,
                generation=generation,
                count=there - wanted,
            )


def _orphans(sight: Sight) -> Iterator[Difference]:
    """Chunks of generations that can never be wanted again (see remove_stale_chunks.py). Those of the live generation
    stay even if the record does not know it yet: restored records may be behind. Chunks without any record are left to
    the walk over the chunks: if their object exists, it gets its record first, and can then reuse what is already paid
    for."""
    record, stored = sight.record, sight.stored
    if record is None:
        return
    for generation, count in sorted(sight.held.items()):
        is_live = stored is not None and stored.generation == generation and record.generation != generation
        if not record.needs(generation) and not is_live:
            yield Difference(
                kind=DifferenceKind.ORPHANED,
                found=f"{count} chunks of generation {generation}, which search does not show",
                remedy=Remedy.REMOVE_CHUNKS,
                generation=generation,
                count=count,
            )


def active_labels(record: Document, *, index: str) -> ActiveLabels | None:
    """None if search shows nothing of the document from this index, or it needs work: a lane writes its chunks."""
    made = record.indexed_in(index)
    if made is None or record.needs_work:
        return None
    return ActiveLabels(made.generation, labels_of(record.name, made.format, made.metadata.at(record.source)))


def _document(kind: DifferenceKind, found: str, remedy: Remedy, generation: int) -> Difference:
    return Difference(kind=kind, found=found, remedy=remedy, generation=generation)
