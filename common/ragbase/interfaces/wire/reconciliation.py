"""The result of comparing bucket, records and vector store, as JSON (docs/operate.md)."""

from __future__ import annotations

from ragbase.messages.json_model import JsonModel
from ragbase.upkeep.reconcile.compare import DifferenceKind
from ragbase.upkeep.reconcile.report import Report


class Example(JsonModel):
    """A difference that was found. `filename` is the document's name in the bucket. Chunks without a record have
    none."""

    kind: str
    document_id: str
    filename: str | None
    found: str
    repaired: bool


class FailedDocument(JsonModel):
    """A document that could not be compared or repaired, with its name in the bucket."""

    document_id: str
    filename: str
    reason: str


class Reconciliation(JsonModel):
    """Counts of documents, except `orphaned` and `unlabelled`, which count chunks. `left` counts what was found but not
    repaired. `complete` is false if a later call goes on with the comparison."""

    in_step: int
    in_motion: int
    missing: int
    stale: int
    orphaned: int
    stuck: int
    unlabelled: int
    left: int
    complete: bool
    examples: tuple[Example, ...]
    errors: tuple[FailedDocument, ...]


def reconciliation(report: Report) -> Reconciliation:
    return Reconciliation(
        in_step=report.in_step,
        in_motion=report.moving,
        missing=report.found[DifferenceKind.MISSING],
        stale=report.found[DifferenceKind.STALE],
        orphaned=report.found[DifferenceKind.ORPHANED],
        stuck=report.found[DifferenceKind.STUCK],
        unlabelled=report.found[DifferenceKind.UNLABELLED],
        left=report.left.total(),
        complete=report.is_complete,
        errors=tuple(
            FailedDocument(document_id=error.document_id, filename=error.name, reason=error.reason)
            for error in report.errors
        ),
        examples=tuple(
            Example(
                kind=kind.value,
                document_id=finding.document_id,
                filename=finding.name,
                found=finding.difference.found,
                repaired=finding.repaired,
            )
            for kind, findings in report.examples.items()
            for finding in findings
        ),
    )
