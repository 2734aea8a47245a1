"""Give a FAILED document another round of attempts."""

from __future__ import annotations

from ragbase.domain.document import Document
from ragbase.domain.errors import DocumentNotFound
from ragbase.domain.transitions import retried
from ragbase.pipeline.route import topic_of
from ragbase.ports import Clock, DocumentStore, Publisher


def retry(document_id: str, *, documents: DocumentStore, publisher: Publisher, clock: Clock) -> Document:
    """Open the document again and publish its job; one that has not failed is left as it is and published all the same
    where it is open, so that asking twice does no harm. Raises DocumentNotFound."""
    if documents.get(document_id) is None:
        raise DocumentNotFound(f"There is no document {document_id}.")
    record = documents.update(document_id, retried(now=clock.now())).after
    if record is None or record.tombstone:
        raise DocumentNotFound(f"There is no document {document_id}.")
    if record.is_open:
        publisher.publish(topic_of(record), record.job)
    return record
