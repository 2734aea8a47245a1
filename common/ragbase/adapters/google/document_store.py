"""Document records in Firestore.

A Firestore document has these fields:

    record              the whole record as JSON text; no index has it. Text is faster, because the client is slow with
                        nested values
    bucket, name, status, tombstone, created_at, updated_at, active_md5, active_fingerprint, lease_worker
                        copies of what the queries below compare; null if the record has no value
    tenant              the first folder of the name. Records that were written before this field existed have it from
                        their next write on. The setting `tenancy` wants a reindex anyway, and that writes all of them
    handed_out_at       since when an extractor elsewhere is to read the file; null if none is
    shard               one of eight numbers, by the id. Firestore writes at most 500 records a second whose entries go
                        to one end of an index, as those of a time do
                        (https://firebase.google.com/docs/firestore/quotas#writes_and_transactions). So every index with
                        a time begins with this number, and listings ask for all eight. Records that were written before
                        this field existed are missing in listings until `scan` has read them: the janitor does within a
                        day, `ragbase reconcile` at once
    changed_at          when the last write was committed, by Firestore's clock (changes.py). A record that only an
                        older version has written has none
    expires_at          when Firestore's time-to-live policy may remove a tombstone; null for any other record
    write               names the last write, so that a writer whose answer was lost finds out whether it succeeded

A write changes a record only if it still has the update time that was read. Transactions would lock what they read, and
are very slow when several want one document. The emulator needs no indexes; the service answers no listing without
them.
"""

from __future__ import annotations

import re
import uuid
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.adapters.google.temporary_errors import PATIENCE, contention_retry, passing_faults, patient_retry
from ragbase.adapters.record_json import read_record, record_json
from ragbase.domain.document import Change, Document, Status, Transition
from ragbase.domain.limits import DEFAULT_PAGE_SIZE
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.domain.tenant import first_folder

if TYPE_CHECKING:
    from google.cloud.firestore import Client, CollectionReference, DocumentReference, DocumentSnapshot, Query

    from ragbase.adapters.google.record_reader import RecordReader
    from ragbase.ports import ListingPlace

RECORD = "record"
"""No query uses this field, and each write would pay for its entry in an index."""

_SHARD = ("shard", "ASCENDING")
_OF_SHARD = (_SHARD, ("tombstone", "ASCENDING"))
_STATUS, _TENANT = ("status", "ASCENDING"), ("tenant", "ASCENDING")
_NEWEST_FIRST = (("created_at", "DESCENDING"), ("__name__", "ASCENDING"))
COMPOSITE_INDEXES = (
    (*_OF_SHARD, *_NEWEST_FIRST),
    (*_OF_SHARD, _STATUS, *_NEWEST_FIRST),
    (*_OF_SHARD, _TENANT, *_NEWEST_FIRST),
    (*_OF_SHARD, _STATUS, _TENANT, *_NEWEST_FIRST),
    (("bucket", "ASCENDING"), ("name", "ASCENDING")),
    (*_OF_SHARD, _STATUS, ("updated_at", "ASCENDING")),
    (_TENANT, ("handed_out_at", "ASCENDING")),
    (_SHARD, ("changed_at", "DESCENDING")),
    (_SHARD, _TENANT, ("changed_at", "DESCENDING")),
)
"""The indexes of `page` (four), `scan`, `waiting`, `handed_out` and changes.py (two), each as fields with their order.
The other queries need only single-field indexes."""
UNINDEXED = (RECORD, "write", "created_at", "updated_at", "changed_at")
"""The fields without an index of their own, beside that of the time-to-live policy."""

SHARDS = 8
"""A query may have 30 combinations of the values that it compares with, and `waiting` asks for two states."""

TOMBSTONE_LIFE = timedelta(days=180)
"""How long a tombstone is kept at least. It stops older events, which may come late: after up to 7 days in each of two
subscriptions and 31 days among messages that nothing has taken (terraform/database.tf), and a dead letter when a person
replays it. An event that comes even later makes a new record, until its lane finds that the bytes are gone."""

_EARLIEST = datetime(1970, 1, 1, tzinfo=UTC)
_LONGEST_KEY = 1_500
"""The most bytes of a document's id."""
_RESERVED = re.compile(r"__.*__", re.DOTALL)
"""Ids that Firestore reserves for itself."""


class FirestoreDocumentStore:
    """Implements the DocumentStore port. The client is made when it is first used, and talks to FIRESTORE_EMULATOR_HOST
    if that is set."""

    def __init__(self, project: str, *, database: str = "(default)", collection: str = "documents") -> None:
        self._project = project
        self._database = database
        self._name = collection

    def get(self, document_id: str, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Document | None:
        if not is_key(document_id):
            return None
        reference = self._collection.document(document_id)
        with passing_faults("Firestore"):
            if tenant is not None or not reach.is_everything:
                # First the name alone: of a record that is not seen, no more is sent than of one that is not there.
                named = reference.get(["name"], retry=patient_retry(), timeout=PATIENCE)
                if not (
                    named.exists and tenant in (None, first_folder(named.get("name"))) and reach.has(named.get("name"))
                ):
                    return None
            snapshot = reference.get(retry=patient_retry(), timeout=PATIENCE)
        return _record(snapshot)

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        ids = [id for id in dict.fromkeys(document_ids) if is_key(id)]
        if not ids:
            return {}
        with passing_faults("Firestore"):
            texts = self._reader.read(ids, retry=patient_retry(), timeout=PATIENCE)
        return {record.id: record for record in map(read_record, texts)}

    def update(self, document_id: str, transition: Transition) -> Change:
        from google.cloud.firestore import SERVER_TIMESTAMP

        reference = self._collection.document(document_id)
        write = uuid.uuid4().hex
        intended: Change | None = None

        def attempt() -> Change:
            nonlocal intended
            snapshot = reference.get(retry=None, timeout=PATIENCE)
            if intended is not None and snapshot.exists and snapshot.get("write") == write:
                return intended  # the last write succeeded, and only its answer was lost
            before = _record(snapshot)
            after = transition(before)
            intended = Change(before, after)
            if after is not None and after is not before:
                fields = {**_fields(after), "write": write, "changed_at": SERVER_TIMESTAMP}
                if snapshot.exists:
                    unchanged = self._client.write_option(last_update_time=snapshot.update_time)
                    reference.update(fields, option=unchanged, retry=None, timeout=PATIENCE)
                else:
                    reference.create(fields, retry=None, timeout=PATIENCE)
            return intended

        with passing_faults("Firestore"):
            return contention_retry()(attempt)()

    def find_active(self, md5: str, fingerprint: str, *, tenant: str | None = None) -> Document | None:
        duplicates = self._where(active_md5=md5, active_fingerprint=fingerprint, tenant=tenant).limit(1)
        return next(iter(_records(duplicates)), None)

    def leased_to(self, worker: str) -> Sequence[Document]:
        from google.cloud.firestore import FieldFilter

        of_parts = self._where().where(filter=FieldFilter("part_workers", "array_contains", worker))
        found = [*_records(self._where(lease_worker=worker)), *_records(of_parts)]
        return list({record.id: record for record in found}.values())

    def handed_out(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> Sequence[Document]:
        from google.cloud.firestore import FieldFilter

        if not reach.is_everything:
            waits = [
                (record.handed_out.since, record.id, record)
                for record in self._within(reach, tenant)
                if record.handed_out is not None
            ]
            return [record for _, _, record in sorted(waits, key=lambda wait: wait[:2])[:limit]]
        waiting = self._where(tenant=tenant).where(filter=FieldFilter("handed_out_at", ">", _EARLIEST))
        return _records(waiting.order_by("handed_out_at").order_by("__name__").limit(limit))

    def page(
        self,
        *,
        status: Status | None = None,
        tenant: str | None = None,
        reach: Reach = EVERYWHERE,
        limit: int = DEFAULT_PAGE_SIZE,
        offset: int = 0,
        after: ListingPlace | None = None,
    ) -> Sequence[Document]:
        if not reach.is_everything:
            later = [one for one in self._listed_within(reach, status, tenant) if after is None or after.precedes(one)]
            return later[offset : offset + limit]
        listed = self._in_shards(self._listed(status, tenant))
        newest = listed.order_by("created_at", direction="DESCENDING").order_by("__name__")
        if after is not None:
            place = {"created_at": after.created_at, "__name__": self._collection.document(after.id)}
            newest = newest.start_after(place)
        return _records(newest.offset(offset).limit(limit)) if limit else []

    def count(self, *, status: Status | None = None, tenant: str | None = None, reach: Reach = EVERYWHERE) -> int:
        if not reach.is_everything:
            return len(self._listed_within(reach, status, tenant))
        return _count(self._listed(status, tenant))

    def counts(self, *, tenant: str | None = None, reach: Reach = EVERYWHERE) -> Mapping[Status, int]:
        if reach.is_everything:  # each aggregation costs one read for every 1,000 records, and at least one
            return {status: _count(self._listed(status, tenant)) for status in Status}
        found = Counter(record.status for record in self._listed_within(reach, None, tenant))
        return {status: found[status] for status in Status}

    def scan(self, bucket: str, *, after: str = "", limit: int) -> Sequence[Document]:
        from google.cloud.firestore import FieldFilter

        later = self._where(bucket=bucket).where(filter=FieldFilter("name", ">", after))
        snapshots = _snapshots(later.order_by("name").limit(limit))
        for snapshot in snapshots:
            if "shard" not in (snapshot.to_dict() or {}):  # an older version has written it
                self._add_shard(snapshot)
        return [read_record(snapshot.get(RECORD)) for snapshot in snapshots]

    def waiting(self, *, before: datetime, after: Document | None = None, limit: int) -> Sequence[Document]:
        from google.cloud.firestore import FieldFilter

        needing_work = self._in_shards(self._where(tombstone=False)).where(
            filter=FieldFilter("status", "in", [Status.PENDING.value, Status.PROCESSING.value])
        )
        earlier = needing_work.where(filter=FieldFilter("updated_at", "<", before))
        ordered = earlier.order_by("updated_at").order_by("__name__")
        if after is not None:
            place = {"updated_at": after.updated_at, "__name__": self._collection.document(after.id)}
            ordered = ordered.start_after(place)
        return _records(ordered.limit(limit))

    def _within(self, reach: Reach, tenant: str | None) -> Sequence[Document]:
        from ragbase.adapters.google.records_within import records_within

        return records_within(self._collection, reach, tenant=tenant, field=RECORD)

    def _listed_within(self, reach: Reach, status: Status | None, tenant: str | None) -> list[Document]:
        from ragbase.adapters.google.records_within import newest_first

        return newest_first(self._within(reach, tenant), status)

    def _listed(self, status: Status | None, tenant: str | None) -> Query:
        return self._where(tombstone=False, status=status.value if status is not None else None, tenant=tenant)

    def _in_shards(self, query: Query) -> Query:
        """The same records, found by an index that begins with their shards."""
        from google.cloud.firestore import FieldFilter

        return query.where(filter=FieldFilter("shard", "in", list(range(SHARDS))))

    def _add_shard(self, snapshot: DocumentSnapshot[DocumentReference]) -> None:
        from google.api_core.exceptions import FailedPrecondition

        unchanged = self._client.write_option(last_update_time=snapshot.update_time)
        with passing_faults("Firestore"), suppress(FailedPrecondition):  # a newer record has its shard
            snapshot.reference.update({"shard": _shard(snapshot.id)}, option=unchanged, retry=None, timeout=PATIENCE)

    def _where(self, **equal: object) -> Query:
        """The records whose fields have these values. A field that is None may have any."""
        from google.cloud.firestore import FieldFilter, Query

        query = Query(self._collection)
        for field, value in equal.items():
            if value is not None:
                query = query.where(filter=FieldFilter(field, "==", value))
        return query

    @cached_property
    def _client(self) -> Client:
        from google.cloud.firestore import Client

        return Client(self._project, database=self._database)

    @cached_property
    def _reader(self) -> RecordReader:
        from ragbase.adapters.google.record_reader import RecordReader

        return RecordReader(self._project, database=self._database, collection=self._name, field=RECORD)

    @cached_property
    def _collection(self) -> CollectionReference:
        return self._client.collection(self._name)


def is_key(id: str) -> bool:
    """Whether Firestore can have a document with this id. A request for any other is answered with an error."""
    try:
        length = len(id.encode())
    except UnicodeEncodeError:
        return False
    return 0 < length <= _LONGEST_KEY and id not in (".", "..") and "/" not in id and not _RESERVED.fullmatch(id)


def _records(query: Query) -> Sequence[Document]:
    return [read_record(snapshot.get(RECORD)) for snapshot in _snapshots(query)]


def _snapshots(query: Query) -> Sequence[DocumentSnapshot[DocumentReference]]:
    with passing_faults("Firestore"):
        return list(query.get(retry=patient_retry(), timeout=PATIENCE))


def _shard(id: str) -> int:
    return zlib.crc32(id.encode()) % SHARDS


def _count(query: Query) -> int:
    from google.cloud.firestore_v1.aggregation import AggregationQuery

    with passing_faults("Firestore"):
        results = list(AggregationQuery(query).count().stream(retry=patient_retry(), timeout=PATIENCE))
    return int(results[0][0].value)


def _record(snapshot: DocumentSnapshot[DocumentReference]) -> Document | None:
    return read_record(snapshot.get(RECORD)) if snapshot.exists else None


def _fields(record: Document) -> dict[str, object]:
    return {
        RECORD: record_json(record),
        "bucket": record.bucket,
        "name": record.name,
        "tenant": first_folder(record.name),
        "shard": _shard(record.id),
        "status": record.status.value,
        "tombstone": record.tombstone,
        "created_at": record.created_at,
        "updated_at": record.updated_at,
        "active_md5": record.active.md5 if record.active else None,
        "active_fingerprint": record.active.fingerprint if record.active else None,
        "lease_worker": record.lease.worker if record.lease else None,
        "part_workers": sorted(record.part_workers),
        "handed_out_at": record.handed_out.since if record.handed_out else None,
        "expires_at": record.updated_at + TOMBSTONE_LIFE if record.tombstone else None,
    }
