"""Terraform's warnings and errors, out of what `terraform plan -json` prints."""

from __future__ import annotations

import json

from scripts.deployment.commands import diagnostics


def line(severity: str, summary: str, detail: str = "", **more: object) -> str:
    return json.dumps(
        {"type": "diagnostic", "diagnostic": {"severity": severity, "summary": summary, "detail": detail, **more}}
    )


def test_each_is_shown_once_with_its_place() -> None:
    at = {"filename": "limits.tf", "start": {"line": 7}}
    warning = line("warning", "Check block assertion failed", "Lower it.\nOr raise it.", range=at)
    output = "\n".join(
        ['{"type": "version"}', warning, warning, line("error", "Invalid value", range=None), "not JSON"]
    )
    assert [str(one) for one in diagnostics(output)] == [
        "Warning: Check block assertion failed\n  Lower it.\n  Or raise it.\n  (limits.tf, line 7)",
        "Error: Invalid value",
    ]
