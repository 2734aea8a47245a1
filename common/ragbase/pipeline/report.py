"""What a comparison has come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from ragbase.pipeline.compare import Kind
from ragbase.pipeline.reconcile import Finding, Progress


@dataclass(slots=True)
class Report:
    """Counts over all pages, and the first `most_examples` findings of each kind.

    `in_step` and `moving` count documents, `found` and `left` what their Kind says; `left` are those of `found` for
    which nothing was done. `is_complete` once the last page is in.
    """

    most_examples: int = 5
    in_step: int = 0
    moving: int = 0
    found: Counter[Kind] = field(default_factory=Counter)
    left: Counter[Kind] = field(default_factory=Counter)
    examples: dict[Kind, list[Finding]] = field(default_factory=lambda: {kind: [] for kind in Kind})
    is_complete: bool = False

    def add(self, progress: Progress) -> None:
        self.in_step += progress.in_step
        self.moving += progress.moving
        self.is_complete = progress.place is None
        for finding in progress.findings:
            difference = finding.difference
            self.found[difference.kind] += difference.count
            if not finding.repaired:
                self.left[difference.kind] += difference.count
            examples = self.examples[difference.kind]
            if len(examples) < self.most_examples:
                examples.append(finding)
