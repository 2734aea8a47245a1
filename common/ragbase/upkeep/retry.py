"""Give a document whose last round of attempts has failed another one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.dead_letter import MessageKind
from ragbase.domain.errors import DocumentNotFound
from ragbase.domain.transitions import retried
from ragbase.pipeline.publish_job import publish_job

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import Ports


def retry(document_id: str, ports: Ports) -> Document:
    """Make the document PENDING again, publish its job, and remove the dead letters of its jobs and of its upload: to
    replay them would do no more.

    A document that has not failed stays as it is. If it needs work, its job is published again, so that a second call
    does no harm. If its job cannot be published, it has failed again, and has a new dead letter. Raises
    DocumentNotFound.
    """
    if ports.documents.get(document_id) is None:
        raise DocumentNotFound(f"There is no document {document_id}.")
    # Read before the job is published: if the job fails at once, its new dead letter has to stay.
    known = ports.dead_letters.about(document_id)
    record = ports.documents.update(document_id, retried(now=ports.clock.now())).after
    if record is None or record.tombstone:
        raise DocumentNotFound(f"There is no document {document_id}.")
    if record.needs_work:
        record = publish_job(record, ports)
    if not record.has_failed:
        for dead_letter in known:
            # Each job was of this generation or of one before it. An event may be of one that the record does not know.
            if dead_letter.kind is MessageKind.JOB or dead_letter.generation == record.generation:
                ports.dead_letters.remove(dead_letter)
    return record
