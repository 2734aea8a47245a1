"""Reconcile without end, a little at each call, as a scheduled function may."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from ragbase import telemetry
from ragbase.pipeline.compare import Kind
from ragbase.pipeline.reconcile import Place, Progress, Walk, reconcile
from ragbase.pipeline.repair import Stores
from ragbase.pipeline.report import Report
from ragbase.ports import Checkpoints

CHECKPOINT = "janitor"

WORK = timedelta(minutes=6)
"""Until then a call begins another page. The function is stopped after 9 minutes: 3 are left for the last page, whose
500 documents may each need a repair of half a dozen requests."""

ROUND = timedelta(days=1)
"""From the beginning of one comparison of everything to that of the next, at least. It reads each record once, and once
more for each chunk: 10,000 documents of 8 chunks are 90,000 reads, some 3 cents of Firestore. What is merely stuck is
looked for at every call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    """A comparison of everything: when it began and where it goes on, None once it is through."""

    begun: datetime
    place: Place | None


_ROUND = TypeAdapter(_Round)


def janitor(stores: Stores, checkpoints: Checkpoints) -> Report:
    """Repair what is stuck, and go on with the comparison of everything where the last call stopped.

    Each page is noted when it is done, so that a call that is cut off loses no more than one. Calls at the same time do
    no harm (see reconcile.py).
    """
    report, end = Report(), stores.clock.now() + WORK
    for progress in reconcile(stores, place=Place(Walk.WAITING), repairs=True):
        _take(progress, report)
    for progress in _go_on(stores, checkpoints):
        _take(progress, report)
        if stores.clock.now() >= end:
            break
    telemetry.log(
        "janitor.findings",
        in_step=report.in_step,
        moving=report.moving,
        complete=report.is_complete,
        findings=report.found.total(),
        left=report.left.total(),
        **{kind.value: report.found[kind] for kind in Kind},
    )
    return report


def _go_on(stores: Stores, checkpoints: Checkpoints) -> Iterator[Progress]:
    now = stores.clock.now()
    round = _load(checkpoints)
    if round is None or (round.place is None and round.begun + ROUND <= now):
        round = _Round(begun=now, place=Place())
    if round.place is None:
        return
    for progress in reconcile(stores, place=round.place, repairs=True):
        checkpoints.save(CHECKPOINT, _ROUND.dump_json(replace(round, place=progress.place)).decode())
        yield progress


def _load(checkpoints: Checkpoints) -> _Round | None:
    """None where there is none, or none that this version reads: then a round begins anew, which harms nothing."""
    text = checkpoints.load(CHECKPOINT)
    try:
        return _ROUND.validate_json(text) if text is not None else None
    except ValidationError:
        return None


def _take(progress: Progress, report: Report) -> None:
    report.add(progress)
    for finding in progress.findings:
        telemetry.log(
            "janitor.finding",
            level=logging.WARNING,
            document_id=finding.document_id,
            name=finding.name,
            kind=finding.difference.kind.value,
            found=finding.difference.found,
            repaired=finding.repaired,
        )
