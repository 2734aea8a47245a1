"""checkov finds nothing in terraform/ but what is reasoned about where it is."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
import venv
from pathlib import Path

import pytest

from tests.servers.process import cache_folder
from tests.terraform.configured import ROOT, configuration

pytestmark = pytest.mark.slow

REQUIREMENTS = ROOT / "requirements" / "scan.txt"


def checkov() -> Path:
    """The scanner in an environment of its own (a minute to install, 290 MB), as it needs other versions than we do."""
    found = re.search(r"^checkov==(\S+)", REQUIREMENTS.read_text(encoding="utf-8"), re.MULTILINE)
    assert found
    folder = cache_folder(f"checkov-{found[1]}")
    python, command = folder / "bin" / "python", folder / "bin" / "checkov"
    done = folder / "installed"
    if not done.exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.EnvBuilder(with_pip=True).create(folder)
        options = ["--quiet", "--require-hashes", "--requirement", str(REQUIREMENTS)]
        ended = subprocess.run([python, "-m", "pip", "install", *options], capture_output=True, text=True, check=False)
        if ended.returncode:
            pytest.skip(f"checkov cannot be installed: {ended.stderr.strip()[-500:]}")
        done.touch()
    return command


def test_the_policy_scan_passes() -> None:
    # Away from the cache of modules that a developer's own `terraform init` leaves.
    with configuration() as copy, tempfile.TemporaryDirectory() as home:
        options = ["--framework", "terraform", "--compact", "--output", "json", "--skip-download"]
        ended = subprocess.run(
            [checkov(), "--directory", copy, *options],
            env=os.environ | {"HOME": home},
            capture_output=True,
            text=True,
            check=False,
        )
        report = json.loads(ended.stdout)
    failed = [f"{one['check_id']} {one['resource']}" for one in report["results"]["failed_checks"]]
    assert failed == []
    assert report["summary"]["passed"] >= 80
    assert all(one["check_result"]["suppress_comment"] for one in report["results"]["skipped_checks"])
