"""An object event becomes a record and, if there is work to do, a job on a lane.

Events come twice, late and out of order, and the numbers of generations have no order: Cloud Storage promises only that
each is unique (https://cloud.google.com/storage/docs/object-versioning). So an event that is not plainly the record's
next is a hint to ask the bucket, and the record takes over what the bucket says:

1. read the record; 2. ask the bucket; 3. change the record, if its revision is still the one of step 1; else again.

So each revision is from a later look at the bucket than the one before: who writes revision n + 1 has asked the bucket
after revision n was written. Of two routers that ask at different moments, the one that asked first cannot write last.
A record never goes back, and a generation that it has left never comes back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.document import Document, Status, Transition
from ragbase.domain.errors import MalformedMessage, PermanentError
from ragbase.domain.identity import document_id
from ragbase.domain.job import SOURCE_KEY, ProcessingConfig
from ragbase.domain.name_forms import nfc
from ragbase.domain.no_document import no_document
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import deleted, failed, finalised, is_as_seen
from ragbase.domain.work import Failure
from ragbase.formats.table import check_size, format_of, lane_of
from ragbase.pipeline.older_records import remove_older, retire
from ragbase.pipeline.publish_job import publish_job

if TYPE_CHECKING:
    from datetime import datetime

    from ragbase.domain.program_files import ProgramFiles
    from ragbase.ports import Bucket, DocumentStore, Ports, StoredObject


def route(event: ObjectEvent, ports: Ports) -> Document | None:
    """Bring the record in step with the bucket, publish the record's job, and return the record.

    A second delivery publishes again: it replaces a job that was lost between the two steps, and a second job does no
    harm. An object that may not be processed is FAILED at once. Deleted and refused documents take a lane, too: they
    may have chunks in the index, and only the lanes know the vector store. Returns None for the deletion of a
    generation that another one has replaced, if the event says so, since that one has an event of its own, and for what
    becomes no document (domain/no_document.py), unless there is a document of that name already. Nothing is logged of
    the empty objects that consoles use to show folders. Raises MalformedMessage for an event of another bucket. All
    forms of a name are one document: the bucket says which of them counts.
    """
    bucket = ports.bucket
    if event.bucket != bucket.name:
        raise MalformedMessage(
            f"The event is about bucket {event.bucket}, but this function serves {bucket.name}. Correct the bucket's "
            "notification, or the function's setting RAGBASE_BUCKET."
        )
    if event.name.endswith("/") and event.size == 0:
        return None
    form, event = event.name, replace(event, name=nfc(event.name))
    id = document_id(event.bucket, event.name)
    if event.overwritten:
        telemetry.log("route.overwritten", document_id=id, name=event.name, generation=event.generation)
        return None
    if _is_left_out(id, event, ports.documents, ports.program_files):
        return None
    record, is_changed = _follow(id, event, ports)
    is_announced = is_changed or record.generation == event.generation
    if is_announced and record.status is not Status.PROCESSING:
        record = publish_job(record, ports)
    if record.tombstone:
        remove_older(record, ports, form)
    telemetry.log(
        "route",
        document_id=id,
        name=event.name,
        generation=event.generation,
        event=event.kind.value,
        status="DELETED" if record.tombstone else record.status.value,
    )
    return record


def _is_left_out(id: str, event: ObjectEvent, documents: DocumentStore, program_files: ProgramFiles) -> bool:
    """Whether the object becomes no document. If it had one, its deletion goes on, also if that comes twice."""
    left_out = no_document(event.name, program_files)
    if left_out is None:
        return False
    record = documents.get(id)
    if record is not None and (not record.tombstone or event.kind is EventKind.DELETED):
        return False
    telemetry.log("route.left_out", document_id=id, name=event.name, kind=left_out.one)
    return True


def follow_bucket(record: Document, live: StoredObject | None, ports: Ports) -> Document:
    """Route what the bucket holds under the record's name, without an event. `live` is what it said just now; None if
    it holds nothing. A record of an older version, whose name is not in NFC, makes way for that of the document."""
    if record.is_older:
        if live is not None and not live.shows_folder:
            route(live.event(EventKind.FINALISED), ports)
        return retire(record, ports)
    event = (
        live.event(EventKind.FINALISED)
        if live is not None and not live.shows_folder
        else ObjectEvent(
            kind=EventKind.DELETED,
            bucket=record.bucket,
            name=record.name,
            generation=record.generation,
            size=record.size,
        )
    )
    return route(event, ports) or record


def delete_document(record: Document, ports: Ports) -> Document:
    """Remove the object and return the record, which is a tombstone: no search shows the document any more. A lane
    removes its chunks. If somebody puts a new generation into its place meanwhile, that one stays.
    """
    ports.bucket.delete(record.name)
    return follow_bucket(record, ports.bucket.stat(record.name), ports)


def _follow(id: str, event: ObjectEvent, ports: Ports) -> tuple[Document, bool]:
    """Let the record take over what the bucket holds. Returns the record, and whether that has changed it."""
    while True:
        seen = ports.documents.get(id)
        latest = event if _is_plain(event, seen) else _ask(event, ports.bucket)
        change = ports.documents.update(id, _transition(latest, seen, ports.defaults, ports.clock.now()))
        if is_as_seen(change.before, seen):
            return change.record, change.after is not change.before
        telemetry.log("route.overtaken", document_id=id, name=event.name, generation=event.generation)


def _is_plain(event: ObjectEvent, record: Document | None) -> bool:
    """Whether the bucket could say nothing that matters now: it is the first that is heard of the document, or heard
    again. If the first upload is gone already, the events that say so are still to come, and ask the bucket."""
    if event.kind is EventKind.FINALISED:
        return record is None or record.is_of(event.generation)
    return record is not None and record.tombstone and record.generation == event.generation


def _ask(event: ObjectEvent, bucket: Bucket) -> ObjectEvent:
    """What the bucket holds under the event's name, as an event."""
    live = bucket.stat(event.name)
    if live is None or live.shows_folder:
        return ObjectEvent(kind=EventKind.DELETED, bucket=event.bucket, name=event.name, generation=event.generation)
    return live.event(EventKind.FINALISED)


def _transition(event: ObjectEvent, seen: Document | None, defaults: ProcessingConfig, now: datetime) -> Transition:
    if event.kind is EventKind.DELETED:
        return deleted(event, seen=seen, now=now)
    source = event.metadata.get(SOURCE_KEY) or event.name
    format = format_of(event.name, event.content_type)
    lane = lane_of(format, event.size)
    try:
        check_size(event.size)
        config = ProcessingConfig.from_metadata(event.metadata, defaults)
    except PermanentError as error:
        arrive = finalised(event, seen=seen, format=None, lane=None, config=ProcessingConfig(), source=source, now=now)
        refuse = failed(event.generation, Failure(error.code, error.reason), now=now)
        return lambda record: refuse(arrive(record))
    name = format.name if format is not None else None
    return finalised(event, seen=seen, format=name, lane=lane, config=config, source=source, now=now)
