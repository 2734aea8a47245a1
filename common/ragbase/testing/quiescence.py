"""What must hold when all is quiet: a dictionary of what the bucket holds says all there is to say."""

from __future__ import annotations

from ragbase.domain.document import MAX_RETRIES, Document, Status
from ragbase.testing.faults import Kind
from ragbase.testing.message_queue import MOST_DELIVERIES
from ragbase.testing.promises import given_up
from ragbase.testing.violation import Violation
from ragbase.testing.world import World

_LETTERS = 1000


def check_accounts(world: World) -> None:
    """Every document is at an end, and each that was given up has a dead letter. Faults may have made some FAILED."""
    buried = {(letter.document_id, letter.generation) for letter in world.letters.page(limit=_LETTERS)}
    for record in world.promises.records.values():
        if record.is_open or record.lease is not None:
            raise Violation("stuck", f"{record.name}: {record.status} for ever")
        if not given_up(record):
            continue
        if (record.id, record.generation) not in buried:
            raise Violation("dead letters", f"{record.name}: given up, but there is no dead letter")
        # A late duplicate of a dead letter may end a later round early: it cannot be told from one of that round.
        early = record.attempts <= MAX_RETRIES and record.id not in world.promises.retried
        if early and world.queue.max_deliveries == MOST_DELIVERIES:
            raise Violation("dead letters", f"{record.name}: given up after {record.attempts} attempts only")


def check_sweep(world: World) -> None:
    """The lanes leave no chunk that is not shown, but of documents of which a message was given up, maybe in the middle
    of that: these are the janitor's, or swept when the message is replayed."""
    buried = {letter.document_id for letter in world.letters.page(limit=_LETTERS)}
    for record in world.promises.records.values():
        made = record.made_in(world.use_cases.live.name)
        is_halfway = record.active is not None and made is None  # a reindex was given up after its flip
        if record.id not in buried and not is_halfway:
            _check_chunks(world, record, made.chunk_count if made else 0)


def check_report(world: World) -> None:
    """A comparison of everything says that all is in step."""
    report = world.compare()
    live = world.documents.page().total
    if report.found.total() or report.moving or report.in_step != live:
        differences = [f"{kind} {count}" for kind, count in report.found.items() if count]
        what = ", ".join([*differences, f"{report.moving} moving, {report.in_step} of {live} in step"])
        raise Violation("reconcile", f"all is quiet and repaired, yet a comparison reports {what}")


def check_reference(world: World) -> None:
    """The records, the text that can be found, the chunks held and the counters are those of the bucket."""
    statuses = [_check_document(world, id, name) for id, name in world.promises.names.items()]
    for status in (None, *Status):
        counted = sum(one is not None and status in (None, one) for one in statuses)
        if world.documents.page(status=status).total != counted:
            raise Violation("counters", f"the list has not {counted} documents that are {status or 'live'}")
    if len(world.indexes.all()) != 1:
        raise Violation("leftovers", "an index that nobody asks is still there")
    for letter in world.letters.page(limit=_LETTERS):
        if letter.document_id is None or not given_up(world.promises.records[letter.document_id]):
            raise Violation("dead letters", f"{letter.name}: replayed, but still there")
    world.ask(everything=True)


def _check_document(world: World, id: str, name: str) -> Status | None:
    """The status that the document has to have, and has; None for a deleted one."""
    live, record = world.bucket.stat(name), world.documents.get(id)
    if record is None:
        if live is None and world.faults.counts[Kind.LOST]:
            return None  # neither its upload nor its deletion was ever heard of
        raise Violation("lost", f"{name}: there is no record")
    if live is None:
        if not record.tombstone:
            raise Violation("stale", f"{name}: deleted from the bucket, but its record is {record.status}")
        _check_chunks(world, record, 0)
        return None
    if record.tombstone or record.generation != live.generation:
        raise Violation("lost", f"{name}: the record is not of the bucket's generation")
    wanted = world.promises.expected(id, live.generation)
    if wanted.code is not None:
        if record.status is not Status.FAILED or record.failure is None or record.failure.code is not wanted.code:
            raise Violation("records", f"{name}: {record.status} instead of FAILED, {wanted.code}")
        _check_chunks(world, record, 0)
        return Status.FAILED
    if record.status is not Status.COMPLETED or not record.shows(live.generation):
        raise Violation("lost", f"{name}: {record.status} instead of COMPLETED ({record.failure})")
    if record.active is None or record.active.text_length != wanted.text_length or record.active.md5 != live.md5:
        raise Violation("records", f"{name}: the record's facts are not those of the bytes")
    _check_usage(world, record)
    _check_chunks(world, record, len(wanted.passages))
    return Status.COMPLETED


def _check_usage(world: World, record: Document) -> None:
    paid = sum(count for (id, _), count in world.promises.payments.items() if id == record.id)
    noted = record.usage.embedded_texts
    generations = sum(id == record.id for id, _ in world.promises.written)
    # A worker that finds its work in vain notes no more of what it has paid.
    in_vain = generations > 1 or world.promises.last_switch > 0 or world.faults.happened
    if noted > paid + world.promises.rebuilt or (noted < paid and not in_vain):
        raise Violation("counters", f"{record.name}: {noted} texts noted as embedded, but {paid} were")


def _check_chunks(world: World, record: Document, count: int) -> None:
    """Of all generations that ever were, the store holds this many chunks."""
    generations = [generation for id, generation in world.promises.written if id == record.id]
    held = sum(len(world.vectors.read(record.id, generation)) for generation in generations)
    if held != count:
        raise Violation("leftovers", f"{record.name}: the store holds {held} chunks instead of {count}")
