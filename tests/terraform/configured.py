"""Terraform on a copy of terraform/: initialised without its remote state, planned, applied, and read back as JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ("dev", "prod")
FUNCTIONS = tuple(sorted(main.parent.name for main in ROOT.glob("functions/*/main.py")))
LOCAL_STATE = 'terraform {\n  backend "local" {}\n}\n'


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as it was applied; `address` without the environment's module."""

    address: str
    type: str
    values: Mapping[str, Any]


@contextmanager
def configuration() -> Iterator[Path]:
    """A copy of terraform/ for itself, not initialised."""
    with tempfile.TemporaryDirectory(prefix="terraform-") as folder:
        copy = Path(folder) / "terraform"
        shutil.copytree(ROOT / "terraform", copy, ignore=shutil.ignore_patterns(".terraform*", "terraform.tfvars"))
        yield copy


@contextmanager
def environment(name: str) -> Iterator[Path]:
    """The folder of an environment in a copy, initialised with a state of its own, and with all that it asks for."""
    with configuration() as copy:
        folder = copy / "envs" / name
        (folder / "backend_override.tf").write_text(LOCAL_STATE, encoding="utf-8")
        shutil.copyfile(folder / "example.tfvars", folder / "terraform.tfvars")
        archives = {name: {"path": f"{name}.zip", "sha256": "0" * 64} for name in FUNCTIONS}
        (folder / "archives.auto.tfvars.json").write_text(json.dumps({"archives": archives}), encoding="utf-8")
        initialise(folder)
        yield folder


def initialise(folder: Path) -> None:
    ended = run("init", "-input=false", folder=folder)
    if ended.returncode:
        pytest.skip(f"Terraform cannot get its provider: {ended.stderr.strip()[-500:]}")


@cache
def applied(name: str) -> Sequence[Resource]:
    """Every resource of an environment that was made from nothing."""
    with environment(name) as folder:
        return apply(folder)


def apply(folder: Path) -> Sequence[Resource]:
    """Raises AssertionError, with what Terraform says, where it cannot be applied."""
    ended = run("apply", "-auto-approve", "-input=false", folder=folder)
    assert not ended.returncode, ended.stderr
    return _resources(json.loads(run("show", "-json", folder=folder).stdout)["values"]["root_module"])


def _resources(module: Mapping[str, Any]) -> list[Resource]:
    own = [
        Resource(one["address"].removeprefix("module.ragbase."), one["type"], one["values"])
        for one in module.get("resources", [])
        if one["mode"] == "managed"
    ]
    return own + [resource for child in module.get("child_modules", []) for resource in _resources(child)]


def run(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [terraform(), f"-chdir={folder}", *arguments[:1], "-no-color", *arguments[1:]]
    return subprocess.run(command, env=settings(), capture_output=True, text=True, check=False)


def terraform() -> str:
    """The CLI. Skips the test where there is none."""
    found = shutil.which("terraform")
    if found is None:
        pytest.skip(
            "There is no terraform on PATH. https://developer.hashicorp.com/terraform/install tells how to get it."
        )
    return found


def settings() -> Mapping[str, str]:
    """The environment in which Terraform runs. It gets its provider as TF_CLI_CONFIG_FILE says, if that is set."""
    return os.environ | {"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"}
