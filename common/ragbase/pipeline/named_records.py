"""Which record a name or an id means, also where an older version has made it (older_records.py)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.domain.identity import document_id, older_ids

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ragbase.domain.document import Document
    from ragbase.ports import DocumentStore


def records_of(names: Iterable[str], documents: DocumentStore, bucket: str) -> Mapping[str, Document]:
    """The record of each of these names, in whatever form, that has one; an older one if there is no other."""
    ids = {name: (document_id(bucket, name), *older_ids(bucket, name)) for name in names}
    known = documents.get_many(list(dict.fromkeys(of[0] for of in ids.values())))
    missing = [id for of in ids.values() if of[0] not in known for id in of[1:]]
    older = documents.get_many(missing) if missing else {}
    found: dict[str, Document] = {}
    for name, of in ids.items():
        records = [known.get(of[0]), *(older.get(id) for id in of[1:])]
        first = next((one for one in records if one is not None), None)
        if first is not None:
            found[name] = first
    return found


def current_records(ids: Iterable[str], documents: DocumentStore) -> Mapping[str, Document]:
    """The records with these ids. Of an older one that has made way, it is the one that its document has now."""
    found = dict(documents.get_many(list(dict.fromkeys(ids))))
    gone = {id: one for id, one in found.items() if one.tombstone and one.is_older}
    now = documents.get_many([document_id(one.bucket, one.name) for one in gone.values()]) if gone else {}
    return found | {id: now.get(document_id(one.bucket, one.name), one) for id, one in gone.items()}
