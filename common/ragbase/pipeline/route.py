"""An object event becomes a record and, if there is work to do, a job on a lane."""

from __future__ import annotations

from ragbase import telemetry
from ragbase.domain.document import Document, Failure, Status, Transition
from ragbase.domain.errors import MalformedMessage, PermanentError
from ragbase.domain.identity import document_id
from ragbase.domain.job import SOURCE_KEY, ProcessingConfig
from ragbase.domain.lane import Lane
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import deleted, failed, finalised
from ragbase.formats.table import admit
from ragbase.ports import Bucket, Clock, Ports, Topic


def topic_of(record: Document) -> Topic:
    """Where the record's job goes. A document that was refused before it had a lane takes the fast one."""
    return Topic.HEAVY if record.lane is Lane.HEAVY else Topic.FAST


def route(event: ObjectEvent, ports: Ports) -> Document | None:
    """Bring the record in step with the event, publish the record's job, and return the record.

    A second delivery publishes again: it replaces a job that was lost between the two steps, and a second job does no
    harm. An object that may not be processed is FAILED at once. Deleted and refused documents take a lane, too: they
    may have chunks in the index, and only the lanes know the vector store. Returns None for the deletion of a
    generation that a newer one has replaced, since that one has an event of its own, and for the empty objects that
    consoles use to show folders: their names end in a slash. Raises MalformedMessage for an event of another bucket.
    """
    bucket = ports.bucket
    if event.bucket != bucket.name:
        raise MalformedMessage(
            f"The event is about bucket {event.bucket}, but this function serves {bucket.name}. Correct the bucket's "
            "notification, or the function's setting RAGBASE_BUCKET."
        )
    if event.name.endswith("/") and event.size == 0:
        return None
    id = document_id(event.bucket, event.name)
    if event.kind is EventKind.DELETED and _overwritten(event, bucket):
        telemetry.log("route.overwritten", document_id=id, name=event.name, generation=event.generation)
        return None
    record = ports.documents.update(id, _transition(event, ports.clock)).after
    if record is None:
        raise AssertionError("every transition of an event leaves a record")
    if record.generation == event.generation and record.status is not Status.PROCESSING:
        ports.publisher.publish(topic_of(record), record.job)
    telemetry.log(
        "route",
        document_id=id,
        name=event.name,
        generation=event.generation,
        event=event.kind.value,
        status="DELETED" if record.tombstone else record.status.value,
    )
    return record


def _overwritten(event: ObjectEvent, bucket: Bucket) -> bool:
    """Whether a newer generation has replaced this one. Not every bucket says so in the event; the live object does."""
    if event.overwritten:
        return True
    live = bucket.stat(event.name)
    return live is not None and live.generation > event.generation


def _transition(event: ObjectEvent, clock: Clock) -> Transition:
    now = clock.now()
    if event.kind is EventKind.DELETED:
        return deleted(event, now=now)
    source = event.metadata.get(SOURCE_KEY) or event.name
    try:
        format = admit(event.name, event.content_type, event.size)
        config = ProcessingConfig.from_metadata(event.metadata)
    except PermanentError as error:
        arrive = finalised(event, format=None, lane=None, config=ProcessingConfig(), source=source, now=now)
        refuse = failed(event.generation, Failure(error.code, error.reason), now=now)
        return lambda record: refuse(arrive(record))
    return finalised(event, format=format.name, lane=format.lane, config=config, source=source, now=now)
