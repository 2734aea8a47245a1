"""The workflows of examples/ci, and the linters that check them. actionlint is built once with Go, as its go.mod
locks it; the user's cache folder keeps it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from scripts.locked import NotInstalled, locked_environment, locked_go_tool

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "examples" / "ci" / "github"
FILES = sorted(FOLDER.parent.glob("*/*.yml"))
_LOCK = Path(__file__).with_name("actionlint")


def read(file: Path) -> Mapping[str, Any]:
    workflow: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    workflow["on"] = workflow.pop(True)  # YAML 1.1 takes `on` for true
    return workflow


def steps(file: Path) -> Iterator[Mapping[str, Any]]:
    for job in read(file)["jobs"].values():
        yield from job["steps"]


def actionlint(*files: Path) -> subprocess.CompletedProcess[str]:
    """Without shellcheck and pyflakes, which it uses if this machine has them."""
    try:
        program = locked_go_tool(_LOCK)
    except NotInstalled as error:
        pytest.skip(str(error))
    command = [str(program), "-shellcheck=", "-pyflakes=", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def zizmor(folder: Path) -> subprocess.CompletedProcess[str]:
    try:
        program = locked_environment("zizmor", "workflows") / "zizmor"
    except NotInstalled as error:
        pytest.skip(str(error))
    command = [str(program), "--offline", "--no-progress", "--persona", "pedantic", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
