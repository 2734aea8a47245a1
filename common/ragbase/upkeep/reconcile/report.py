"""The result of a comparison."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ragbase.sources.left_out_kinds import LeftOutKinds
from ragbase.upkeep.reconcile.compare import DifferenceKind
from ragbase.upkeep.reconcile.progress import DocumentError, Finding, ReconcileProgress


@dataclass(slots=True)
class Report:
    """Counts over all pages, and the first `most_examples` findings of each kind.

    `in_step` and `moving` count documents. `found` and `left` count what their DifferenceKind says; `left` counts those
    of `found` that were not repaired, but for SHADOWED, which no repair changes. `errors` has the documents that could
    not be compared or repaired, `left_out` the kinds of objects that become no documents.
    `is_complete` is set by the last page.
    """

    most_examples: int = 5
    in_step: int = 0
    moving: int = 0
    found: Counter[DifferenceKind] = field(default_factory=Counter)
    left: Counter[DifferenceKind] = field(default_factory=Counter)
    examples: dict[DifferenceKind, list[Finding]] = field(default_factory=lambda: {kind: [] for kind in DifferenceKind})
    errors: list[DocumentError] = field(default_factory=list)
    left_out: LeftOutKinds = field(default_factory=LeftOutKinds)
    is_complete: bool = False

    def add(self, progress: ReconcileProgress) -> None:
        self.in_step += progress.in_step
        self.moving += progress.moving
        self.is_complete = progress.place is None
        self.errors += progress.errors
        for file in progress.left_out:
            self.left_out.add(file)
        for finding in progress.findings:
            difference = finding.difference
            self.found[difference.kind] += difference.count
            if not finding.repaired and difference.kind is not DifferenceKind.SHADOWED:
                self.left[difference.kind] += difference.count
            examples = self.examples[difference.kind]
            if len(examples) < self.most_examples:
                examples.append(finding)
