"""Records of a version that told the forms of a name apart (domain/name_forms.py).

Such a record has its name in another form than NFC, and an id made from that. It goes on as it is: search shows it, and
each form of the name finds it. When something happens to the document, the document gets the record that it has by
today's rule, which takes over the chunks as those of a duplicate. As soon as that one shows the file, or
is deleted, the older record goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.identity import older_ids
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.transitions import deleted
from ragbase.pipeline.publish_job import publish_job

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import Ports


def remove_older(record: Document, ports: Ports, form: str = "") -> None:
    """Let the older records of the same document go, unless this is one itself. `form` is one that the bucket had its
    name in."""
    ids = older_ids(record.bucket, form or record.name) if not record.is_older else ()
    for older in ports.documents.get_many(ids).values() if ids else ():
        if not older.tombstone:
            retire(older, ports)


def retire(record: Document, ports: Ports) -> Document:
    """Make a tombstone of an older record, and return it. A lane removes its chunks."""
    event = ObjectEvent(
        kind=EventKind.DELETED, bucket=record.bucket, name=record.name, generation=record.generation, size=record.size
    )
    while not record.tombstone:
        change = ports.documents.update(record.id, deleted(event, seen=record, now=ports.clock.now()))
        record = change.record
    telemetry.log("route.older_form", document_id=record.id, name=record.name, generation=record.generation)
    return publish_job(record, ports)
