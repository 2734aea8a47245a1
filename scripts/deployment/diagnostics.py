"""What Terraform says beside its result: warnings and errors, as `terraform plan -json` prints them
(developer.hashicorp.com/terraform/internals/machine-readable-ui#diagnostic)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

TARGETED = "Resource targeting is in effect"
"""Terraform's warning that a plan with -target is not the whole one. scripts/deploy says so itself, in fewer words."""


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """`place` is a file and a line, or empty."""

    is_error: bool
    summary: str
    detail: str
    place: str

    def __str__(self) -> str:
        kind = "Error" if self.is_error else "Warning"
        lines = [f"{kind}: {self.summary}", *self.detail.splitlines(), *([f"({self.place})"] if self.place else [])]
        return "\n  ".join(line for line in lines if line)


def diagnostics(output: str) -> Sequence[Diagnostic]:
    """Those in the output of a command with -json, each once. A line that is no JSON says nothing of this kind."""
    return list(dict.fromkeys(_read(output)))


def _read(output: str) -> Iterator[Diagnostic]:
    for line in output.splitlines():
        if not line.startswith("{"):
            continue
        found = json.loads(line).get("diagnostic")
        if found:
            at = found.get("range")
            place = f"{at['filename']}, line {at['start']['line']}" if at else ""
            yield Diagnostic(found["severity"] == "error", found["summary"], found.get("detail", ""), place)
