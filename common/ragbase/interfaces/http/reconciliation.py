"""What a comparison of bucket, records and vector store has come to, as JSON (docs/operate.md)."""

from __future__ import annotations

from ragbase.pipeline.compare import Kind
from ragbase.pipeline.report import Report
from ragbase.wire import Wire


class Example(Wire):
    """A difference that was found. The `filename` of chunks without a record is not known."""

    kind: str
    document_id: str
    filename: str | None
    found: str
    repaired: bool


class Reconciliation(Wire):
    """Documents, but for `orphaned`, which counts chunks. `left` are the findings for which nothing was done;
    `complete` is false where the comparison goes on another time."""

    in_step: int
    in_motion: int
    missing: int
    stale: int
    orphaned: int
    stuck: int
    left: int
    complete: bool
    examples: tuple[Example, ...]


def reconciliation(report: Report) -> Reconciliation:
    return Reconciliation(
        in_step=report.in_step,
        in_motion=report.moving,
        missing=report.found[Kind.MISSING],
        stale=report.found[Kind.STALE],
        orphaned=report.found[Kind.ORPHANED],
        stuck=report.found[Kind.STUCK],
        left=report.left.total(),
        complete=report.is_complete,
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
