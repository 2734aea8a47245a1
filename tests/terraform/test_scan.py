"""checkov finds no problem in terraform/, apart from those that a comment in place explains."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.local_cloud.process import cache_folder, exclusive
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ROOT, copy_sources

pytestmark = pytest.mark.slow

REQUIREMENTS = ROOT / "requirements" / "scan.txt"


def checkov() -> Path:
    """The scanner. It needs other versions than we do, so it has its own environment (290 MB, a minute to install)."""
    found = re.search(r"^checkov==(\S+)", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    folder = cache_folder(f"checkov-{found[1]}")
    python, command = folder / "bin" / "python", folder / "bin" / "checkov"
    done = folder / "installed"
    with exclusive(folder):
        if not done.exists():
            venv.EnvBuilder(with_pip=True, clear=True).create(folder)
            options = ["--quiet", "--require-hashes", "--requirement", str(REQUIREMENTS)]
            ended = subprocess.run(
                [python, "-m", "pip", "install", *options], capture_output=True, text=True, check=False
            )
            if ended.returncode:
                pytest.skip(f"checkov cannot be installed: {ended.stderr.strip()[-500:]}")
            done.touch()
    return command


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
