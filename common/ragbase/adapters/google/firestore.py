"""Document records in Firestore.

A document holds the record and, beside it, the columns that are asked for:

    record              the whole record as JSON text (20 of them are read in 11 ms, in 18 ms as nested values, since
                        the client is slow at these); no index has it
    bucket, name, status, tombstone, created_at, updated_at, active_md5, active_fingerprint, lease_worker
                        copies of what the queries below compare; null where the record has none
    expires_at          when Firestore's time-to-live policy may remove a tombstone; null for any other record
    write               names the last write, so that a writer whose answer was lost finds out whether it was written

A record is changed by a write that is bound to the update time it was read at. Transactions lock what they read, and
crawl where several want one document. The emulator wants no indexes; the service answers no listing without them.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase.adapters.google.faults import PATIENCE, contention_retry, passing_faults, patient_retry
from ragbase.domain.document import Change, Document, Status, Transition
from ragbase.ports import DocumentPage

if TYPE_CHECKING:
    from google.cloud.firestore import Client, CollectionReference, DocumentReference, DocumentSnapshot, Query

RECORD = "record"
"""The field to exempt from indexes: nothing is asked of it, and each write would pay for its entry."""

COMPOSITE_INDEXES = (
    (("tombstone", "ASCENDING"), ("created_at", "DESCENDING"), ("__name__", "ASCENDING")),
    (("status", "ASCENDING"), ("tombstone", "ASCENDING"), ("created_at", "DESCENDING"), ("__name__", "ASCENDING")),
    (("bucket", "ASCENDING"), ("name", "ASCENDING")),
    (("status", "ASCENDING"), ("tombstone", "ASCENDING"), ("updated_at", "ASCENDING")),
)
"""The indexes of `page` (two), `scan` and `waiting`, each as fields and their order. The other queries do with those of
single fields."""

TOMBSTONE_LIFE = timedelta(days=180)
"""How long a tombstone is kept at least. It holds off older events, which come late: up to 7 days in each of two
subscriptions and 31 among what nobody took (terraform/database.tf), and a dead letter when a person replays it. One
that comes later still makes a record anew, until its lane finds the bytes gone."""

_LONGEST_KEY = 1_500
"""Bytes of a document's id."""
_RESERVED = re.compile(r"__.*__", re.DOTALL)
"""Ids that Firestore keeps for itself."""

_DOCUMENT = TypeAdapter(Document)


class FirestoreDocumentStore:
    """Implements the DocumentStore port. The client is made at its first use, and talks to FIRESTORE_EMULATOR_HOST if
    that is set."""

    def __init__(self, project: str, *, database: str = "(default)", collection: str = "documents") -> None:
        self._project = project
        self._database = database
        self._name = collection

    def get(self, document_id: str) -> Document | None:
        if not is_key(document_id):
            return None
        with passing_faults("Firestore"):
            snapshot = self._collection.document(document_id).get(retry=patient_retry(), timeout=PATIENCE)
        return _record(snapshot)

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        references = [self._collection.document(id) for id in dict.fromkeys(document_ids) if is_key(id)]
        if not references:
            return {}
        with passing_faults("Firestore"):
            found = self._client.get_all(references, [RECORD], retry=patient_retry(), timeout=PATIENCE)
            snapshots = list(found)
        records = map(_record, snapshots)
        return {record.id: record for record in records if record is not None}

    def update(self, document_id: str, transition: Transition) -> Change:
        reference = self._collection.document(document_id)
        write = uuid.uuid4().hex
        intended: Change | None = None

        def attempt() -> Change:
            nonlocal intended
            snapshot = reference.get(retry=None, timeout=PATIENCE)
            if intended is not None and snapshot.exists and snapshot.get("write") == write:
                return intended  # the last attempt was written, and only its answer got lost
            before = _record(snapshot)
            after = transition(before)
            intended = Change(before, after)
            if after is not None and after is not before:
                fields = {**_fields(after), "write": write}
                if snapshot.exists:
                    unchanged = self._client.write_option(last_update_time=snapshot.update_time)
                    reference.update(fields, option=unchanged, retry=None, timeout=PATIENCE)
                else:
                    reference.create(fields, retry=None, timeout=PATIENCE)
            return intended

        with passing_faults("Firestore"):
            return contention_retry()(attempt)()

    def find_active(self, md5: str, fingerprint: str) -> Document | None:
        twins = self._where(active_md5=md5, active_fingerprint=fingerprint).limit(1)
        return next(iter(_records(twins)), None)

    def leased_to(self, worker: str) -> Sequence[Document]:
        return _records(self._where(lease_worker=worker))

    def page(self, *, status: Status | None = None, limit: int = 20, offset: int = 0) -> DocumentPage:
        live = self._where(tombstone=False) if status is None else self._where(tombstone=False, status=status.value)
        newest = live.order_by("created_at", direction="DESCENDING").order_by("__name__")
        documents = _records(newest.offset(offset).limit(limit)) if limit else ()
        return DocumentPage(tuple(documents), _count(live))

    def scan(self, bucket: str, *, after: str = "", limit: int) -> Sequence[Document]:
        from google.cloud.firestore import FieldFilter

        later = self._where(bucket=bucket).where(filter=FieldFilter("name", ">", after))
        return _records(later.order_by("name").limit(limit))

    def waiting(self, *, before: datetime, limit: int) -> Sequence[Document]:
        from google.cloud.firestore import FieldFilter

        open_ones = self._where(tombstone=False).where(
            filter=FieldFilter("status", "in", [Status.PENDING.value, Status.PROCESSING.value])
        )
        earlier = open_ones.where(filter=FieldFilter("updated_at", "<", before))
        return _records(earlier.order_by("updated_at").limit(limit))

    def _where(self, **equal: object) -> Query:
        from google.cloud.firestore import FieldFilter, Query

        query = Query(self._collection)
        for field, value in equal.items():
            query = query.where(filter=FieldFilter(field, "==", value))
        return query

    @cached_property
    def _client(self) -> Client:
        from google.cloud.firestore import Client

        return Client(self._project, database=self._database)

    @cached_property
    def _collection(self) -> CollectionReference:
        return self._client.collection(self._name)


def is_key(id: str) -> bool:
    """Whether Firestore could have a document under this id: asked for another, it answers with an error."""
    try:
        length = len(id.encode())
    except UnicodeEncodeError:
        return False
    return 0 < length <= _LONGEST_KEY and id not in (".", "..") and "/" not in id and not _RESERVED.fullmatch(id)


def _records(query: Query) -> Sequence[Document]:
    with passing_faults("Firestore"):
        snapshots = query.get(retry=patient_retry(), timeout=PATIENCE)
    return [_DOCUMENT.validate_json(snapshot.get(RECORD)) for snapshot in snapshots]


def _count(query: Query) -> int:
    from google.cloud.firestore_v1.aggregation import AggregationQuery

    with passing_faults("Firestore"):
        results = list(AggregationQuery(query).count().stream(retry=patient_retry(), timeout=PATIENCE))
    return int(results[0][0].value)


def _record(snapshot: DocumentSnapshot[DocumentReference]) -> Document | None:
    return _DOCUMENT.validate_json(snapshot.get(RECORD)) if snapshot.exists else None


def _fields(record: Document) -> dict[str, object]:
    return {
        RECORD: _DOCUMENT.dump_json(record).decode(),
        "bucket": record.bucket,
        "name": record.name,
        "status": record.status.value,
        "tombstone": record.tombstone,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "active_md5": record.active.md5 if record.active else None,
        "active_fingerprint": record.active.fingerprint if record.active else None,
        "lease_worker": record.lease.worker if record.lease else None,
        "expires_at": record.updated_at + TOMBSTONE_LIFE if record.tombstone else None,
    }
