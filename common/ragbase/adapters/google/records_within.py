"""The records in some folders, from Firestore.

The names of a folder stand together in the index of names, which every database has. An index for the listings of each
folder would be one more entry for each folder of each record. So a listing reads all records of the folders: as many as
its reader may see, and none of any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragbase.adapters.google.temporary_errors import PATIENCE, passing_faults, patient_retry
from ragbase.adapters.record_json import read_record
from ragbase.domain.name_forms import stored_forms
from ragbase.domain.tenant import first_folder

if TYPE_CHECKING:
    from google.cloud.firestore import CollectionReference, DocumentReference, DocumentSnapshot

    from ragbase.domain.document import Document, Status
    from ragbase.domain.reach import Reach

_AFTER_SLASH = chr(ord("/") + 1)
"""Names in a folder stand between the folder with a slash and the folder with this character."""


def records_within(
    collection: CollectionReference, reach: Reach, *, tenant: str | None, field: str
) -> Sequence[Document]:
    """All records within reach (of this tenant). `field` has their text."""
    found = [read_record(snapshot.get(field)) for snapshot in snapshots_within(collection, reach)]
    return [record for record in found if tenant in (None, first_folder(record.name))]


def snapshots_within(
    collection: CollectionReference, reach: Reach, fields: Sequence[str] = ()
) -> Iterator[DocumentSnapshot[DocumentReference]]:
    """All within reach, with these fields, or with all."""
    from google.cloud.firestore import FieldFilter, Query

    for folder in stored_forms(reach.folders):
        named = Query(collection).where(filter=FieldFilter("name", "==", folder))
        from_slash = Query(collection).where(filter=FieldFilter("name", ">=", f"{folder}/"))
        below = from_slash.where(filter=FieldFilter("name", "<", f"{folder}{_AFTER_SLASH}"))
        for query in (named, below):
            with passing_faults("Firestore"):
                wanted = query.select(fields) if fields else query
                found = wanted.get(retry=patient_retry(), timeout=PATIENCE)
            yield from found


def newest_first(records: Sequence[Document], status: Status | None) -> list[Document]:
    """Those of a listing of this state, or of all."""
    listed = [record for record in records if not record.tombstone and status in (None, record.status)]
    listed.sort(key=lambda record: record.id)
    listed.sort(key=lambda record: record.created_at, reverse=True)
    return listed
