"""The workflows of examples/ci, and the linters that check them. actionlint is built once with Go, as its go.mod
locks it; the user's cache folder keeps it."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.local_cloud.process import cache_folder, exclusive
from scripts.locked_environment import NotInstalled, locked_environment

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "ci" / "github"
FILES = sorted(FOLDER.parent.glob("*/*.yml"))
_LOCK = Path(__file__).with_name("actionlint")
_TOOL = "github.com/rhysd/actionlint/cmd/actionlint"


def read(file: Path) -> Mapping[str, Any]:
    workflow: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    workflow["on"] = workflow.pop(True)  # YAML 1.1 takes `on` for true
    return workflow


def steps(file: Path) -> Iterator[Mapping[str, Any]]:
    for job in read(file)["jobs"].values():
        yield from job["steps"]


def actionlint(*files: Path) -> subprocess.CompletedProcess[str]:
    """Without shellcheck and pyflakes, which it uses if this machine has them."""
    command = [str(_actionlint()), "-shellcheck=", "-pyflakes=", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def zizmor(folder: Path) -> subprocess.CompletedProcess[str]:
    try:
        program = locked_environment("zizmor", "workflows") / "zizmor"
    except NotInstalled as error:
        pytest.skip(str(error))
    command = [str(program), "--offline", "--no-progress", "--persona", "pedantic", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _actionlint() -> Path:
    if not shutil.which("go"):
        pytest.skip("There is no go on PATH, so actionlint cannot be built. See https://go.dev/doc/install.")
    folder = cache_folder(f"actionlint-{hashlib.sha256((_LOCK / 'go.sum').read_bytes()).hexdigest()[:12]}")
    with exclusive(folder):
        if not (folder / "actionlint").exists():
            command = ["go", "build", "-mod=readonly", "-o", str(folder / "building"), _TOOL]
            built = subprocess.run(command, cwd=_LOCK, capture_output=True, text=True, check=False)
            if built.returncode:
                pytest.skip(f"actionlint cannot be built: {built.stderr.strip()[-500:]}")
            (folder / "building").replace(folder / "actionlint")
    return folder / "actionlint"
