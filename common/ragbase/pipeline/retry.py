"""Give a FAILED document another round of attempts."""

from __future__ import annotations

from ragbase.domain.document import Document, Status
from ragbase.domain.errors import DocumentNotFound
from ragbase.domain.transitions import retried
from ragbase.pipeline.route import topic_of
from ragbase.ports import Clock, DeadLetters, DocumentStore, Publisher


def retry(
    document_id: str, *, documents: DocumentStore, letters: DeadLetters, publisher: Publisher, clock: Clock
) -> Document:
    """Open the document again, publish its job, and forget its dead letters, which ask for no more than that.

    One that has not failed is left as it is and published all the same where it is open, so that asking twice does no
    harm. Raises DocumentNotFound.
    """
    if documents.get(document_id) is None:
        raise DocumentNotFound(f"There is no document {document_id}.")
    # Read before the job goes out: should it be given up again at once, that is a letter to keep.
    known = letters.about(document_id)
    record = documents.update(document_id, retried(now=clock.now())).after
    if record is None or record.tombstone:
        raise DocumentNotFound(f"There is no document {document_id}.")
    if record.is_open:
        publisher.publish(topic_of(record), record.job)
    if record.status is not Status.FAILED:
        for letter in known:
            if letter.generation is not None and letter.generation <= record.generation:
                letters.remove(letter)
    return record
