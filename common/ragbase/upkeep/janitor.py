"""Reconcile again and again, a little at each call: a scheduled function calls it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from ragbase import telemetry
from ragbase.domain.passed import is_ahead
from ragbase.ports import Checkpoints, OpenIndex, Ports
from ragbase.upkeep.reconcile.compare import DifferenceKind
from ragbase.upkeep.reconcile.progress import Place, ReconcileProgress, Walk
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report

CHECKPOINT = "janitor"

WORK = timedelta(minutes=6)
"""How long a call begins further steps. The function is stopped after 9 minutes: 3 are left for the last step, whose
100 documents may each need a repair of about six requests."""

ROUND = timedelta(days=1)
"""The shortest time from the start of one comparison of everything to the start of the next. A comparison reads each
record once, and once more for each chunk: 10,000 documents with 8 chunks each are 90,000 reads, about 3 cents in
Firestore. Stuck documents are looked for at every call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Round:
    """A comparison of everything: when it began, and where it goes on (None when it is complete)."""

    begun: datetime
    place: Place | None


_ROUND = TypeAdapter(_Round)


def janitor(ports: Ports, index: OpenIndex) -> Report:
    """Repair what is stuck, and go on with the comparison of everything where the last call stopped.

    The place is saved after each step, so that a call that is stopped loses one step at most. Calls at the same time do
    no harm (see reconcile.py).
    """
    report, end = Report(), ports.clock.now() + WORK
    for progress in reconcile(ports, index, place=Place(Walk.WAITING), repairs=True):
        _take(progress, report)
        if ports.clock.now() >= end:
            break
    for progress in _go_on(ports, index):
        _take(progress, report)
        if ports.clock.now() >= end:
            break
    telemetry.log(
        "janitor.findings",
        in_step=report.in_step,
        moving=report.moving,
        complete=report.is_complete,
        findings=report.found.total(),
        left=report.left.total(),
        errors=len(report.errors),
        **{kind.value: report.found[kind] for kind in DifferenceKind},
    )
    return report


def _go_on(ports: Ports, index: OpenIndex) -> Iterator[ReconcileProgress]:
    now = ports.clock.now()
    round = _load(ports.checkpoints)
    if round is None or (round.place is None and (round.begun + ROUND <= now or is_ahead(round.begun, now))):
        round = _Round(begun=now, place=Place())
    if round.place is None:
        return
    for progress in reconcile(ports, index, place=round.place, repairs=True):
        ports.checkpoints.save(CHECKPOINT, _ROUND.dump_json(replace(round, place=progress.place)).decode())
        yield progress


def _load(checkpoints: Checkpoints) -> _Round | None:
    """None if there is none, or none that this version can read: then a new round begins, which does no harm."""
    text = checkpoints.load(CHECKPOINT)
    try:
        return _ROUND.validate_json(text) if text is not None else None
    except ValidationError:
        return None


def _take(progress: ReconcileProgress, report: Report) -> None:
    report.add(progress)
    for error in progress.errors:
        telemetry.log(
            "janitor.error",
            level=logging.ERROR,
            document_id=error.document_id,
            name=error.name,
            reason=error.reason,
        )
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
