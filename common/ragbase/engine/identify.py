"""Which document a user means."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from ragbase.domain.document import Document
from ragbase.domain.identity import document_id, older_ids
from ragbase.domain.object_name import is_unicode
from ragbase.ports import Bucket, DocumentStore
from ragbase.sources.folder import object_name

_PAGE = 500
"""Documents whose records are read together."""


def find_documents(
    identifiers: Iterable[str], documents: DocumentStore, bucket: Bucket, bucket_folder: Path | None
) -> dict[str, Document | None]:
    """For each of them, the document with this id or this name in the bucket, or that was ingested from this path; None
    if there is none, or it is deleted."""
    found: dict[str, Document | None] = {}
    remaining = iter(dict.fromkeys(identifiers))
    while page := list(islice(remaining, _PAGE)):
        ids = {identifier: document_ids(identifier, bucket, bucket_folder) for identifier in page}
        records = documents.get_many([id for group in ids.values() for id in group])
        live = {id: record for id, record in records.items() if not record.tombstone}
        for identifier, candidates in ids.items():
            found[identifier] = next((live[id] for id in candidates if id in live), None)
    return found


def document_ids(identifier: str, bucket: Bucket, bucket_folder: Path | None) -> list[str]:
    """The ids of all documents that it may name: by id, by name in the bucket, or by the path it was ingested from. The
    first are those that documents get today.
    `bucket_folder` holds the bucket's objects as files, if there is one."""
    names = (identifier, object_name(Path(identifier), bucket_folder))
    known = [name for name in names if is_unicode(name)]
    ids = (identifier, *(document_id(bucket.name, name) for name in known))
    older = (id for name in known for id in older_ids(bucket.name, name))
    return list(dict.fromkeys(id for id in (*ids, *older) if is_unicode(id)))
