"""checkov finds no problem in terraform/, apart from those that a comment in place explains."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.locked import NotInstalled, locked_environment
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import copy_sources

pytestmark = pytest.mark.prove


def checkov() -> Path:
    """The scanner (290 MB, a minute to install)."""
    try:
        return locked_environment("checkov", "scan") / "checkov"
    except NotInstalled as error:
        pytest.skip(str(error))


def scanned(_prepared: Path) -> Mapping[str, Any]:
    """checkov's report. It scans a copy of the sources, without the modules that `terraform init` would add."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--framework", "terraform", "--compact", "--output", "json", "--skip-download"]
        ended = subprocess.run(
            [checkov(), "--directory", copy_sources(Path(folder)), *options],
            env=os.environ | {"HOME": folder},
            capture_output=True,
            text=True,
            check=False,
        )
    report: Mapping[str, Any] = json.loads(ended.stdout)
    return report


@looks_at(Job(scanned, seconds=12))
def test_the_policy_scan_passes(result: Mapping[str, Any]) -> None:
    failed = [f"{one['check_id']} {one['resource']}" for one in result["results"]["failed_checks"]]
    assert failed == []
    assert result["summary"]["passed"] >= 80
    assert all(one["check_result"]["suppress_comment"] for one in result["results"]["skipped_checks"])
