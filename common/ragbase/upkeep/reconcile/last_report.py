"""The report of the last comparison, for those who ask later."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ragbase.messages.api.reconciliation import Reconciliation, ReconciliationResponse

if TYPE_CHECKING:
    from datetime import datetime

    from ragbase.ports import Checkpoints

CHECKPOINT = "reconcile-report"
MOST_ERRORS, MOST_EXAMPLES = 20, 5
"""Documents that are named, and differences of each kind."""
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
    if before is not None and not (any(getattr(report, count) for count in _COUNTS) or report.errors):
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
    return after.model_copy(update={**counts, "examples": tuple(examples), "errors": errors})
