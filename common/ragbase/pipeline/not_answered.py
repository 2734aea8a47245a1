"""An extractor elsewhere has not answered in time: its document is FAILED."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.domain.document import Document
from ragbase.domain.errors import ErrorCode
from ragbase.domain.extractor_transitions import not_answered, waits_from_now
from ragbase.domain.work import Failure
from ragbase.pipeline.publish_job import publish_job

if TYPE_CHECKING:
    from ragbase.ports import Ports

PAGE = 500
"""Records that are read together."""


def end_all_overdue(ports: Ports) -> None:
    """Every document whose time is over. Those that were handed out first are looked at first."""
    while True:
        page = ports.documents.handed_out(limit=PAGE)
        waiting = [record for record in page if end_overdue(record, ports).handed_out is not None]
        if waiting or len(page) < PAGE:
            return


def end_overdue(record: Document, ports: Ports) -> Document:
    """The record as it is then. One that still has time stays as it is."""
    wait, now = record.handed_out, ports.clock.now()
    if wait is not None and wait.as_of(now) is not wait:
        return ports.documents.update(record.id, waits_from_now(now=now)).after or record
    if wait is None or not wait.is_over(now):
        return record
    seconds = (wait.until - wait.since) / timedelta(seconds=1)
    reason = (
        f"The extractor elsewhere did not answer within {seconds:g} seconds (the setting extractor_timeout). Look "
        "whether it works, and retry the document."
    )
    failure = Failure(ErrorCode.TIMEOUT, reason)
    change = ports.documents.update(record.id, not_answered(record.generation, failure, now=now))
    if change.after is None or change.after is change.before:
        return change.after or record
    telemetry.log(
        "extractor.silent",
        level=logging.WARNING,
        document_id=record.id,
        name=record.name,
        generation=record.generation,
        since=wait.since,
    )
    return publish_job(change.after, ports)  # a lane removes the text of the generation before
