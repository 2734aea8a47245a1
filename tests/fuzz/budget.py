"""How much a run of a fuzzer may do, and what it has seen."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

MOST_FINDINGS = 30
"""A run ends after so many: they are all of one kind then."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with an input: the number that draws it again, or the input itself, and a file that shows it."""

    case: int
    what: str
    input: str = ""
    file: str = ""


@dataclass(slots=True)
class Report:
    """What a run has seen. `figures` are those that only this kind has."""

    inputs: int = 0
    findings: list[Finding] = field(default_factory=list)
    figures: dict[str, object] = field(default_factory=dict)

    def add(self, finding: Finding) -> None:
        print(f"{finding.what}: case {finding.case} {finding.file or finding.input}", file=sys.stderr, flush=True)
        self.findings.append(finding)


@dataclass(frozen=True, slots=True)
class Budget:
    """From which number on inputs are drawn, how many at most, and for how many seconds."""

    seed: int
    inputs: int | None = None
    seconds: float = float("inf")

    def cases(self, report: Report, step: int = 1) -> Iterator[int]:
        """The numbers of the inputs, `step` of them at a time, until nothing is left or too much is wrong. The report
        counts them."""
        ends, first = time.monotonic() + self.seconds, report.inputs
        while len(report.findings) < MOST_FINDINGS and time.monotonic() < ends:
            done = report.inputs - first
            if self.inputs is not None and done >= self.inputs:
                return
            report.inputs += step
            yield self.seed + done


def kept(case: int, format: str, data: bytes, folder: Path | None = None) -> str:
    """The path of a file with this input."""
    file = (folder or Path(tempfile.gettempdir())) / f"fuzz-{case}.{format}"
    file.write_bytes(data)
    return str(file)
