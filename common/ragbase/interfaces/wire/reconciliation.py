"""The result of comparing bucket, records and vector store, as JSON (docs/operate.md)."""

from __future__ import annotations

from ragbase.interfaces.wire.left_out import left_out_files
from ragbase.messages.api.reconciliation import Example, FailedDocument, Reconciliation
from ragbase.upkeep.reconcile.compare import DifferenceKind
from ragbase.upkeep.reconcile.report import Report


def reconciliation(report: Report) -> Reconciliation:
    return Reconciliation(
        in_step=report.in_step,
        in_motion=report.moving,
        missing=report.found[DifferenceKind.MISSING],
        stale=report.found[DifferenceKind.STALE],
        orphaned=report.found[DifferenceKind.ORPHANED],
        stuck=report.found[DifferenceKind.STUCK],
        unlabelled=report.found[DifferenceKind.UNLABELLED],
        shadowed=report.found[DifferenceKind.SHADOWED],
        left=report.left.total(),
        complete=report.is_complete,
        left_out=left_out_files(report.left_out.all()),
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
