"""What must hold when all is quiet: everything matches a dictionary of the bucket's content."""

from __future__ import annotations

import numpy as np

from ragbase.domain.dead_letter import MessageKind
from ragbase.domain.document import Document, Status
from tests.simulated_world.contents import Expected, vector_of
from tests.simulated_world.extractor_promises import has_no_answer
from tests.simulated_world.faults import Kind
from tests.simulated_world.promises import given_up
from tests.simulated_world.use_cases import UNREADABLE
from tests.simulated_world.violation import Violation
from tests.simulated_world.world import World

_ALL = 1000


def check_settled(world: World) -> None:
    """Every document is settled, and each that was given up has a dead letter. Faults may have made some FAILED."""
    kept = {(dead_letter.document_id, dead_letter.generation) for dead_letter in world.dead_letters.page(limit=_ALL)}
    events = {
        (dead_letter.document_id, dead_letter.generation)
        for dead_letter in world.dead_letters.page(limit=_ALL)
        if dead_letter.kind is MessageKind.EVENT
    }
    for record in world.promises.records.values():
        # A backfill in an outage may write a record without a job, while the event of the upload is a dead letter. A
        # repair that fails in the middle is left to the janitor's next call, and so is a document whose last worker has
        # died after that.
        waits = (record.id, record.generation) in events or record.id in world.promises.unsent
        if (record.needs_work or record.lease is not None) and (world.faults.stopped or not waits):
            raise Violation("stuck", f"{record.name}: stays {record.status} for ever")
        if not given_up(record):
            continue
        if not any(id == record.id and generation is not None for id, generation in kept):
            raise Violation("dead letters", f"{record.name}: given up, but there is no dead letter")


def check_stale_chunks(world: World) -> None:
    """The lanes leave no stale chunks and no texts of parts, with three exceptions. The queue may have given up a job
    while its lane removed them. A write or a deletion may take effect late, when nobody works on the document any more.
    And the janitor may have stopped before it published the job of a document that an extractor elsewhere has not
    answered. The janitor repairs this, or the replay of a dead letter does."""
    kept = {dead_letter.document_id for dead_letter in world.dead_letters.page(limit=_ALL)}
    for record in world.promises.records.values():
        made = record.indexed_in(world.use_cases.current.name)
        is_halfway = record.active is not None and made is None  # a reindex was given up after its switch
        was_given_up = record.published_again_at is not None
        excused = kept | world.promises.late_writes | world.promises.damaged
        if has_no_answer(record):
            excused |= world.promises.unsent
        if record.id in excused or was_given_up or is_halfway:
            continue
        _check_chunks(world, record, made.chunk_count if made else 0)
        if record.id not in world.promises.parts.left:
            _check_part_texts(world, record)


def check_report(world: World) -> None:
    """A comparison of everything finds no difference."""
    report = world.compare()
    documents = world.documents.count()
    if report.found.total() or report.moving or report.in_step != documents:
        differences = [f"{kind} {count}" for kind, count in report.found.items() if count]
        what = ", ".join([*differences, f"{report.moving} moving, {report.in_step} of {documents} in step"])
        raise Violation("reconcile", f"all is quiet and repaired, but a comparison reports {what}")


def check_reference(world: World) -> None:
    """Records, search results, chunks and counters match the bucket."""
    statuses = [_check_document(world, id, name) for id, name in world.promises.names.items()]
    for status in (None, *Status):
        counted = sum(one is not None and status in (None, one) for one in statuses)
        if world.documents.count(status=status) != counted:
            raise Violation("counters", f"the list does not have {counted} documents, {status or 'all statuses'}")
    if len(world.indexes.all()) != 1:
        raise Violation("leftovers", "there is still an index that is not the current one")
    for dead_letter in world.dead_letters.page(limit=_ALL):
        if dead_letter.document_id is None or not given_up(world.promises.records[dead_letter.document_id]):
            raise Violation("dead letters", f"{dead_letter.name}: replayed, but not removed")
    world.ask(everything=True)


def _check_document(world: World, id: str, name: str) -> Status | None:
    """Check a document, and return its status. None if it is deleted."""
    live, record = world.bucket.stat(name), world.documents.get(id)
    if record is None:
        if live is None and world.faults.counts[Kind.LOST]:
            return None  # the events of its upload and of its deletion were lost
        raise Violation("lost", f"{name}: there is no record")
    if live is None:
        if not record.tombstone:
            raise Violation("stale", f"{name}: deleted from the bucket, but its record is {record.status}")
        _check_given(world, record)
        _check_chunks(world, record, 0)
        return None
    if record.tombstone or record.generation != live.generation:
        raise Violation("lost", f"{name}: the record has another generation than the bucket")
    _check_given(world, record)
    if record.handed_out is not None:
        raise Violation("stuck", f"{name}: waits for an extractor elsewhere for ever")
    if record.status is Status.FAILED and (record.failure == UNREADABLE or has_no_answer(record)):
        _check_chunks(world, record, 0)
        return Status.FAILED
    wanted = _expected(world, record)
    if wanted.code is not None:
        if record.status is not Status.FAILED or record.failure is None or record.failure.code is not wanted.code:
            raise Violation("records", f"{name}: {record.status} instead of FAILED, {wanted.code}")
        _check_chunks(world, record, 0)
        return Status.FAILED
    if record.status is not Status.COMPLETED or not record.shows_its_file:
        raise Violation("lost", f"{name}: {record.status} instead of COMPLETED ({record.failure})")
    if record.active is None or record.active.text_length != wanted.text_length or record.active.md5 != live.md5:
        raise Violation("records", f"{name}: the record does not match the bytes")
    world.promises.is_whole(id)
    if id in world.promises.damaged:
        raise Violation("half shown", f"{name}: the index was damaged, and is not repaired")
    _check_usage(world, record)
    _check_chunks(world, record, len(wanted.passages))
    return Status.COMPLETED


def _expected(world: World, record: Document) -> Expected:
    """How the document has to end. If its given text is a bad one, search shows what it showed before."""
    active = record.active
    if active is None or record.shows(record.wanted):
        return world.promises.expected(record.id, record.wanted, active)
    code = world.promises.expected(record.id, record.wanted).code
    if code is None or record.failure is None or record.failure.code is not code:
        raise Violation("records", f"{record.name}: a given text has failed with {record.failure}, not {code}")
    return world.promises.expected(record.id, active.generation, active)


def _check_given(world: World, record: Document) -> None:
    """The document has the text that was given last for what the bucket holds, unless it is a bad one: a repair ends
    that. No text is left that no record names."""
    last = world.promises.given.get((record.id, record.generation))
    if last is not None and record.wanted != last and world.promises.expected(record.id, last).code is None:
        raise Violation("lost", f"{record.name}: a given text is gone")
    for text in world.texts.scan(limit=_ALL):
        if text.document_id == record.id and not record.needs(text.generation):
            raise Violation("leftovers", f"{record.name}: a given text that nobody needs is still there")
    _check_part_texts(world, record)
    for boxes in world.word_boxes.scan(limit=_ALL):
        if boxes.document_id == record.id and not record.needs(boxes.generation):
            raise Violation("leftovers", f"{record.name}: word boxes that nobody needs are still there")


def _check_part_texts(world: World, record: Document) -> None:
    texts = (text for text in world.part_texts.scan(limit=_ALL) if text.document_id == record.id)
    if not all(record.is_reading(text.generation) for text in texts):
        raise Violation("leftovers", f"{record.name}: the texts of parts are still there")


def _check_usage(world: World, record: Document) -> None:
    paid = sum(count for (id, _), count in world.promises.payments.items() if id == record.id)
    recorded = record.usage.embedded_texts
    generations = sum(id == record.id for id, _ in world.promises.written)
    # A worker whose work was for nothing does not record the rest of its cost.
    may_be_lower = generations > 1 or world.promises.last_switch > 0 or world.faults.happened
    if recorded > paid + world.promises.rebuilt or (recorded < paid and not may_be_lower):
        raise Violation("counters", f"{record.name}: {recorded} embedded texts recorded instead of {paid}")


def _check_chunks(world: World, record: Document, count: int) -> None:
    """The store holds this many chunks of the document, over all its generations, each with the vector of its text."""
    # What was written before an extractor elsewhere has given the document up stays, as after any failure.
    stays = record.wanted if record.failure == UNREADABLE and not record.shows(record.wanted) else None
    written = [generation for id, generation in world.promises.written if id == record.id]
    generations = [generation for generation in written if generation != stays]
    vectors = world.promises.vectors_of(record.id)
    held = [one for generation in generations for one in vectors.read(record.id, generation)]
    if len(held) != count:
        raise Violation("leftovers", f"{record.name}: the store holds {len(held)} chunks instead of {count}")
    if not all(np.array_equal(one.vector, vector_of(one.chunk.text_hash)) for one in held):
        raise Violation("vectors", f"{record.name}: a chunk has the vector of another text")
