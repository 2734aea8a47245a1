"""Make documents of objects that were in the bucket before ragbase was, or were never announced to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from ragbase.domain.document import Document
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.object_event import EventKind
from ragbase.pipeline.route import route
from ragbase.ports import Bucket, DocumentStore, Ports, StoredObject

PAGE = 500
"""Objects whose records are read together."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One object. `is_known` says that its record already has its generation; otherwise `record` is the record that
    routing it made, or None in a dry run, or where routing failed by `error`."""

    stored: StoredObject
    is_known: bool
    record: Document | None = None
    error: str | None = None


def backfill(
    prefix: str, ports: Ports, *, rate: float, sleep: Callable[[float], None], dry_run: bool = False
) -> Iterator[Visit]:
    """Route every live object with the prefix whose record does not know its generation, at most `rate` a second.

    The records themselves show what is done, so after an interruption the same call goes on where it stopped. `sleep`
    takes seconds.
    """
    due = ports.clock.now()
    for stored, is_known in _objects(prefix, ports.bucket, ports.documents):
        if is_known or dry_run:
            yield Visit(stored, is_known)
            continue
        now = ports.clock.now()
        if now < due:
            sleep((due - now).total_seconds())
        due = max(due, now) + timedelta(seconds=1 / rate)
        try:
            record = route(stored.event(EventKind.FINALISED), ports)
        except TransientError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad object stops no other; the caller reports it
            yield Visit(stored, is_known, error=f"{type(error).__name__}: {error}")
        else:
            yield Visit(stored, is_known, record)


def _objects(prefix: str, bucket: Bucket, documents: DocumentStore) -> Iterator[tuple[StoredObject, bool]]:
    """The objects, and whether their records know them. Each page is listed when due: a slow rate may take hours."""
    after = ""
    while page := list(islice(bucket.list(prefix, after=after), PAGE)):
        ids = {one.name: document_id(one.bucket, one.name) for one in page}
        records = documents.get_many(list(ids.values()))
        for one in page:
            if one.shows_folder:
                continue
            record = records.get(ids[one.name])
            yield one, record is not None and record.generation == one.generation
        after = page[-1].place
