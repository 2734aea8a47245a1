"""Export the audit log day by day into a bucket that keeps what it gets."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, date, timedelta
from itertools import groupby
from typing import TYPE_CHECKING

from ragbase import telemetry
from ragbase.access.read_audit import newest_first
from ragbase.domain.errors import GenerationChanged, MalformedMessage

if TYPE_CHECKING:
    from ragbase.domain.audit import AuditEntry
    from ragbase.ports import AuditLog, Bucket, Checkpoints, Clock

CHECKPOINT = "audit-exported"
"""The checkpoint with the last day that is exported."""
GRACE = timedelta(hours=1)
"""How long after its end a day is exported. An entry has the time at which it was made; it is written seconds later."""
TOGETHER = 10_000
"""Entries of a file, at most: some 5 MB."""


def export_audit(log: AuditLog, bucket: Bucket, checkpoints: Checkpoints, clock: Clock) -> int:
    """Write every day that is over and was not exported yet, and return how many files that made.

    DAY/NUMBER.jsonl has entries as `ragbase audit export` prints them, newest first; the files of a day count from its
    end. What is there already stays: after an interruption, the next call writes the same files and goes on.
    """
    last = (clock.now().astimezone(UTC) - GRACE).date() - timedelta(days=1)
    known = checkpoints.load(CHECKPOINT)
    first = date.fromisoformat(known) + timedelta(days=1) if known is not None else date.min
    if first > last:
        return 0
    files = 0
    for day, entries in groupby(_entries(log, first, last), key=_day):
        for number, lines in enumerate(_files(entries), 1):
            files += _write(bucket, f"{day}/{number:05d}.jsonl", lines)
    checkpoints.save(CHECKPOINT, last.isoformat())
    telemetry.log("audit.exported", until=last.isoformat(), files=files)
    return files


def _entries(log: AuditLog, first: date, last: date) -> Iterator[AuditEntry]:
    """Those of these days, newest first."""
    for entry in newest_first(log):
        try:
            day = _day(entry)
        except ValueError:
            _say_damaged(entry)
            continue
        if day < first:
            return
        if day <= last:
            yield entry


def _day(entry: AuditEntry) -> date:
    return date.fromisoformat(entry.at[:10])


def _files(entries: Iterator[AuditEntry]) -> Iterator[list[str]]:
    lines: list[str] = []
    for entry in entries:
        try:
            lines.append(entry.line())
        except MalformedMessage:
            _say_damaged(entry)
        if len(lines) == TOGETHER:
            yield lines
            lines = []
    if lines:
        yield lines


def _say_damaged(entry: AuditEntry) -> None:
    """`ragbase audit verify` says more."""
    telemetry.log("audit.damaged", level=logging.ERROR, chain=entry.chain, number=entry.number)


def _write(bucket: Bucket, name: str, lines: list[str]) -> bool:
    data = "".join(f"{line}\n" for line in lines).encode()
    try:
        bucket.put(name, data, content_type="application/jsonl", replaces=0)
    except GenerationChanged:  # a call before has written it
        return False
    return True
