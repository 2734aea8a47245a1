"""Remove a document's object from the bucket, and route that at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.pipeline.route import follow_bucket

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import Ports


def delete_document(record: Document, ports: Ports) -> Document:
    """Remove the object and return the record, which is a tombstone: no search shows the document any more. A lane
    removes its chunks. If somebody puts a new generation into its place meanwhile, that one stays.
    """
    ports.bucket.delete(record.name)
    return follow_bucket(record, ports.bucket.stat(record.name), ports)
