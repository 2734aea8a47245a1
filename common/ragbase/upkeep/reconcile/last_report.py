"""The report of the last comparison, for those who ask later."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ragbase.messages.api.reconciliation import Reconciliation, ReconciliationResponse
from ragbase.messages.api.sources import LeftOutFiles

if TYPE_CHECKING:
    from datetime import datetime

    from ragbase.ports import Checkpoints

CHECKPOINT = "reconcile-report"
MOST_ERRORS, MOST_EXAMPLES, MOST_NAMES = 20, 5, 20
"""Documents that are named, differences of each kind, and names of each kind of object that is left out."""
_COUNTS = ("in_step", "in_motion", "missing", "stale", "orphaned", "stuck", "unlabelled", "shadowed", "left")


def last_report(checkpoints: Checkpoints) -> ReconciliationResponse:
    text = checkpoints.load(CHECKPOINT)
    try:
        return ReconciliationResponse.model_validate_json(text) if text is not None else ReconciliationResponse()
    except ValidationError:  # another version has written it: the next comparison writes it again
        return ReconciliationResponse()


def keep_report(report: Reconciliation, checkpoints: Checkpoints, *, now: datetime, goes_on: bool = False) -> None:
    """Keep it in place of the last one. With `goes_on`, it is what one call of several did: it is added to a last one
    that is not complete, and one that has compared nothing is not kept."""
    before = last_report(checkpoints).report if goes_on else None
    is_empty = not (any(getattr(report, count) for count in _COUNTS) or report.errors or report.left_out)
    if before is not None and is_empty:
        return
    if before is not None and not before.complete:
        report = _joined(before, report)
    else:
        report = report.model_copy(update={"errors": report.errors[:MOST_ERRORS]})
    checkpoints.save(CHECKPOINT, ReconciliationResponse(at=now, report=report).to_json().decode())


def _joined(before: Reconciliation, after: Reconciliation) -> Reconciliation:
    seen: Counter[str] = Counter()
    examples = []
    for example in (*before.examples, *after.examples):
        seen[example.kind] += 1
        if seen[example.kind] <= MOST_EXAMPLES:
            examples.append(example)
    counts = {count: getattr(before, count) + getattr(after, count) for count in _COUNTS}
    errors = (*before.errors, *after.errors)[:MOST_ERRORS]
    left_out = _left_out(before, after)
    return after.model_copy(update={**counts, "examples": tuple(examples), "errors": errors, "left_out": left_out})


def _left_out(before: Reconciliation, after: Reconciliation) -> tuple[LeftOutFiles, ...] | None:
    kinds: dict[tuple[str, str], LeftOutFiles] = {}
    for one in (*(before.left_out or ()), *(after.left_out or ())):
        known = kinds.get((one.kind, one.reason))
        endings = tuple(sorted({*known.endings, *one.endings}))[:MOST_NAMES] if known is not None else one.endings
        count = one.count + (known.count if known is not None else 0)
        kinds[one.kind, one.reason] = one.model_copy(update={"count": count, "endings": endings})
    return tuple(kinds.values()) or None
