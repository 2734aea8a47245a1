"""Objects that were in the bucket before ragbase was, or that it was never told of, become documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice

from ragbase.domain.document import Document
from ragbase.domain.identity import document_id
from ragbase.domain.object_event import EventKind
from ragbase.pipeline.repair import Stores
from ragbase.pipeline.route import route
from ragbase.ports import StoredObject

PAGE = 500
"""Objects whose records are read at once."""


@dataclass(frozen=True, slots=True)
class Visit:
    """An object that was come by. `is_known` where its record has its generation already; otherwise `record` is what
    routing it has made, None in a dry run."""

    stored: StoredObject
    is_known: bool
    record: Document | None = None


def backfill(
    prefix: str, stores: Stores, *, rate: float, sleep: Callable[[float], None], dry_run: bool = False
) -> Iterator[Visit]:
    """Route every live object with the prefix whose record does not know its generation, at most `rate` a second.

    The records themselves tell what is done, so that after an interruption the same call goes on where it stopped.
    `sleep` waits that many seconds.
    """
    due = stores.clock.now()
    for stored, is_known in _objects(prefix, stores):
        if is_known or dry_run:
            yield Visit(stored, is_known)
            continue
        now = stores.clock.now()
        if now < due:
            sleep((due - now).total_seconds())
        due = max(due, now) + timedelta(seconds=1 / rate)
        record = route(
            stored.event(EventKind.FINALISED),
            bucket=stores.bucket,
            documents=stores.documents,
            publisher=stores.publisher,
            clock=stores.clock,
        )
        yield Visit(stored, is_known, record)


def _objects(prefix: str, stores: Stores) -> Iterator[tuple[StoredObject, bool]]:
    """The objects, and whether their records know them. Each page is listed anew, since a slow rate may take hours."""
    after = ""
    while page := list(islice(stores.bucket.list(prefix, after=after), PAGE)):
        ids = {one.name: document_id(one.bucket, one.name) for one in page}
        records = stores.documents.get_many(list(ids.values()))
        for one in page:
            if one.shows_folder:
                continue
            record = records.get(ids[one.name])
            yield one, record is not None and record.generation >= one.generation
        after = page[-1].name
