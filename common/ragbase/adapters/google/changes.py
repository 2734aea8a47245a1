"""The order of changes in Firestore: the time of the commit, which Firestore writes into `changed_at` itself.

A query sees every commit up to its own time, and none after it: a change that it does not see gets a later time. So no
change is missed, however many processes write.

Firestore is asked again and again. Its listener (`on_snapshot`, google-cloud-firestore 2.x, watch.py) would tell
sooner, but
- it has two threads and a stream of its own for each query, of which there is one for each tenant,
- it keeps every document that it ever told of, and copies the table of all of them for each new one,
- it ends silently after an error that does not pass: that error is raised in a thread that nobody waits for,
- the place where it goes on is known to it alone, and a request ends before the function does.
A subscription would need a queue for each instance of the function.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from ragbase.adapters.google.document_store import SHARDS
from ragbase.adapters.google.records_within import snapshots_within
from ragbase.adapters.google.temporary_errors import PATIENCE, passing_faults, patient_retry
from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.domain.tenant import first_folder
from ragbase.ports.changes import ChangedIds

if TYPE_CHECKING:
    from typing import TypeAlias

    from google.cloud.firestore import Client, CollectionReference, DocumentReference, DocumentSnapshot, Query

    _Snapshot: TypeAlias = DocumentSnapshot[DocumentReference]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_LOOK_AGAIN = 0.4
"""Seconds for which an answer to `latest` holds. All threads of a process share it: each question costs a read."""

_FIELDS = ("name", "changed_at")

_MOST_READ = 2_000
"""Changes that are read for a reach, in which others' may be: no index has them by folder. If there are more, the
folders are read instead, as for a listing: whether others changed many documents is not told."""


class FirestoreChanges:
    """Implements the Changes port. The client is made when it is first used, and talks to FIRESTORE_EMULATOR_HOST if
    that is set."""

    def __init__(
        self,
        project: str,
        *,
        database: str = "(default)",
        collection: str = "documents",
        look_again: float = _LOOK_AGAIN,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """`look_again` is in seconds, and so is `now`."""
        self._project = project
        self._database = database
        self._name = collection
        self._look_again = look_again
        self._now = now
        self._looking = threading.Lock()
        self._looked_at: float | None = None
        self._latest = 0

    def latest(self) -> int:
        with self._looking:
            asked = self._now()
            if self._looked_at is None or asked - self._looked_at >= self._look_again:
                self._latest = self._read_latest()
                self._looked_at = asked
            return self._latest

    def after(self, number: int, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> ChangedIds:
        latest = self._read_latest()  # first: what is changed after this has a later time
        most = limit + 1 if reach.is_everything else max(limit + 1, _MOST_READ)
        found = _snapshots(self._newest(after=number, tenant=tenant).select(_FIELDS).limit(most))
        newest = max((latest, *map(_number, found[:1])))
        if reach.is_everything:
            return _told(found, limit, newest)
        if len(found) < most:
            return _told([snapshot for snapshot in found if reach.has(snapshot.get("name"))], limit, newest)
        # These queries come later, so they see all up to `newest`. What is changed after it is told again.
        return _told(self._within(reach, after=number, tenant=tenant), limit, newest)

    def _within(self, reach: Reach, *, after: int, tenant: str | None) -> list[_Snapshot]:
        """All changes within reach, the last one first."""
        found = snapshots_within(self._collection, reach, _FIELDS)
        own = (one for one in found if tenant in (None, first_folder(one.get("name"))))
        later = [one for one in own if "changed_at" in (one.to_dict() or {}) and _number(one) > after]
        return sorted(later, key=_number, reverse=True)

    def _read_latest(self) -> int:
        return max(map(_number, _snapshots(self._newest().select(["changed_at"]).limit(1))), default=0)

    def _newest(self, *, after: int = 0, tenant: str | None = None) -> Query:
        from google.cloud.firestore import FieldFilter, Query

        query = Query(self._collection).where(filter=FieldFilter("shard", "in", list(range(SHARDS))))
        if tenant is not None:
            query = query.where(filter=FieldFilter("tenant", "==", tenant))
        later = query.where(filter=FieldFilter("changed_at", ">", _EPOCH + after * _MICROSECOND))
        return later.order_by("changed_at", direction="DESCENDING")

    @cached_property
    def _collection(self) -> CollectionReference:
        from google.cloud.firestore import Client

        client: Client = Client(self._project, database=self._database)
        return client.collection(self._name)


def _told(newest_first: Sequence[_Snapshot], limit: int, number: int) -> ChangedIds:
    ids = [snapshot.id for snapshot in newest_first[:limit]]
    return ChangedIds(ids[::-1], number, len(newest_first) > limit)


def _snapshots(query: Query) -> list[_Snapshot]:
    with passing_faults("Firestore"):
        return list(query.get(retry=patient_retry(), timeout=PATIENCE))


def _number(snapshot: _Snapshot) -> int:
    """Microseconds since 1970: Firestore keeps no shorter ones."""
    changed: datetime = snapshot.get("changed_at")
    return (changed - _EPOCH) // _MICROSECOND
