"""Make documents of objects that were in the bucket before ragbase was, or were never announced to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import islice

from ragbase.domain.document import Document
from ragbase.domain.errors import TransientError
from ragbase.domain.identity import document_id
from ragbase.domain.left_out import LeftOutFile
from ragbase.domain.no_document import no_document
from ragbase.domain.object_event import EventKind
from ragbase.domain.program_files import ProgramFiles
from ragbase.pipeline.route import route
from ragbase.ports import Bucket, DocumentStore, Ports, StoredObject

PAGE = 500
"""Objects whose records are read together."""


@dataclass(frozen=True, slots=True)
class Visit:
    """One object. `is_known` says that its record already has its generation; otherwise `record` is the record that
    routing it made, or None in a dry run, or where routing failed by `error`. With `left_out`, it becomes no
    document."""

    stored: StoredObject
    is_known: bool
    record: Document | None = None
    error: str | None = None
    left_out: LeftOutFile | None = None


def backfill(
    prefix: str, ports: Ports, *, rate: float, sleep: Callable[[float], None], dry_run: bool = False
) -> Iterator[Visit]:
    """Route every live object with the prefix whose record does not know its generation, at most `rate` a second.

    The records themselves show what is done, so after an interruption the same call goes on where it stopped. `sleep`
    takes seconds.
    """
    due = ports.clock.now()
    for visit in _visits(prefix, ports.bucket, ports.documents, ports.program_files):
        if visit.is_known or visit.left_out is not None or dry_run:
            yield visit
            continue
        now = ports.clock.now()
        if now < due:
            sleep((due - now).total_seconds())
        due = max(due, now) + timedelta(seconds=1 / rate)
        try:
            record = route(visit.stored.event(EventKind.FINALISED), ports)
        except TransientError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad object stops no other; the caller reports it
            yield replace(visit, error=f"{type(error).__name__}: {error}")
        else:
            yield replace(visit, record=record)


def _visits(prefix: str, bucket: Bucket, documents: DocumentStore, program_files: ProgramFiles) -> Iterator[Visit]:
    """The objects, before anything is done. Each page is listed when due: a slow rate may take hours."""
    after = ""
    while page := list(islice(bucket.list(prefix, after=after), PAGE)):
        ids = {one.name: document_id(one.bucket, one.name) for one in page}
        records = documents.get_many(list(ids.values()))
        for one in page:
            if one.shows_folder:
                continue
            record = records.get(ids[one.name])
            is_document = record is not None and not record.tombstone
            yield Visit(
                one,
                is_known=record is not None and record.generation == one.generation,
                left_out=None if is_document else no_document(one.name, program_files),
            )
        after = page[-1].place
