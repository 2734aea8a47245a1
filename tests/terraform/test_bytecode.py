"""The bytecode that a build makes of a function's sources. The build is imitated: pip's packages are left out."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from scripts.local_cloud.stage import stage
from tests.terraform.configured import Resource, of_type

pytestmark = pytest.mark.prove

SAME_TIME = 315_532_801
"""Cloud Native Buildpacks give every file of an image this time, so that equal files give equal images
(https://buildpacks.io/docs/for-app-developers/concepts/reproducibility)."""


def test_a_cold_start_compiles_none_of_our_modules_again(resources: Sequence[Resource], tmp_path: Path) -> None:
    stage(tmp_path, ["router"])
    staged = tmp_path / "router"
    (function,) = (
        one for one in of_type(resources, "google_cloudfunctions2_function") if one["name"].endswith("router")
    )
    build = function["build_config"][0]["environment_variables"]
    # As in the buildpack for functions (GoogleCloudPlatform/buildpacks, cmd/python/functions_framework)
    compiling = [sys.executable, "-m", "compileall", "-f", "-q", "."]
    subprocess.run(compiling, cwd=staged, env={**os.environ, **build}, check=True)
    for file in staged.rglob("*.py"):
        os.utime(file, (SAME_TIME, SAME_TIME))
    loading = [sys.executable, "-v", "-B", "-c", "import ragbase.domain.document"]
    loaded = subprocess.run(
        loading, cwd=staged, env={**os.environ, "PYTHONPATH": str(staged)}, capture_output=True, text=True, check=True
    )
    lines = loaded.stderr.splitlines()
    assert [line for line in lines if "bytecode is stale" in line] == []
    assert any("document.cpython" in line and "matches" in line for line in lines)
