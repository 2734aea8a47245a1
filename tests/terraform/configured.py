"""Runs Terraform on copies of terraform/: initialised without the remote state, planned, applied, and read as JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from tests.terraform.provider import shared_provider

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = ("dev", "prod")
FUNCTIONS = tuple(sorted(main.parent.name for main in ROOT.glob("functions/*/main.py")))
LOCAL_STATE = 'terraform {\n  backend "local" {}\n}\n'


@dataclass(frozen=True, slots=True)
class Resource:
    """A resource as Terraform planned or applied it. `address` leaves out the environment's module."""

    address: str
    type: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Environment:
    """What Terraform says of an environment that it applied from nothing."""

    valid: CompletedProcess[str]
    resources: Sequence[Resource]
    second_plan: CompletedProcess[str]


@contextmanager
def prepared_copy() -> Iterator[Path]:
    """A copy of terraform/ in which the module and each environment are initialised. All share one provider process."""
    with tempfile.TemporaryDirectory(prefix="terraform-") as folder:
        copy = copy_sources(Path(folder))
        _initialise(copy)
        with shared_provider(copy):
            for name in ENVIRONMENTS:
                place = copy / "envs" / name
                archives = {name: {"path": f"{name}.zip", "sha256": "0" * 64} for name in FUNCTIONS}
                (place / "backend_override.tf").write_text(LOCAL_STATE, encoding="utf-8")
                shutil.copyfile(place / "example.tfvars", place / "terraform.tfvars")
                (place / "archives.auto.tfvars.json").write_text(json.dumps({"archives": archives}), encoding="utf-8")
                _initialise(place)
            yield copy


def copy_sources(folder: Path) -> Path:
    """Copy terraform/ into the folder, without the files of a developer's own Terraform."""
    ignored = shutil.ignore_patterns(".terraform*", "terraform.tfvars")
    return shutil.copytree(ROOT / "terraform", folder / "terraform", ignore=ignored)


@contextmanager
def copied(prepared: Path) -> Iterator[Path]:
    """A copy of the prepared copy. It can be changed, and needs no initialisation."""
    with tempfile.TemporaryDirectory(prefix="terraform-") as folder:
        yield shutil.copytree(prepared, Path(folder) / "terraform", symlinks=True)


def environment(prepared: Path, name: str, variables: str = "{}") -> Environment:
    """Validate an environment whose terraform.tfvars has these variables, too; apply it, and plan it again."""
    with copied(prepared) as copy:
        place = with_variables(copy / "envs" / name, variables)
        valid = run("validate", folder=place)
        resources = _applied(place)
        second_plan = run("plan", "-input=false", "-detailed-exitcode", folder=place)
        return Environment(valid, resources, second_plan)


def applied(prepared: Path, name: str, variables: str) -> Sequence[Resource]:
    """Every resource of an environment that was applied from nothing with these variables, too."""
    with copied(prepared) as copy:
        return _applied(with_variables(copy / "envs" / name, variables))


def _applied(place: Path) -> Sequence[Resource]:
    _succeed("apply", "-auto-approve", "-input=false", folder=place)
    state = json.loads(_succeed("show", "-json", folder=place))
    return _resources(state["values"]["root_module"])


def with_variables(place: Path, variables: str) -> Path:
    """The folder, with these variables (JSON) beside those of its terraform.tfvars."""
    (place / "more.auto.tfvars.json").write_text(variables, encoding="utf-8")
    return place


def planned(place: Path) -> Sequence[Resource]:
    """Every resource that an environment would have."""
    _succeed("plan", "-input=false", "-out=plan", folder=place)
    plan = json.loads(_succeed("show", "-json", "plan", folder=place))
    return _resources(plan["planned_values"]["root_module"])


def _resources(module: Mapping[str, Any]) -> list[Resource]:
    own = [
        Resource(one["address"].removeprefix("module.ragbase."), one["type"], one["values"])
        for one in module.get("resources", [])
        if one["mode"] == "managed"
    ]
    return own + [resource for child in module.get("child_modules", []) for resource in _resources(child)]


def of_type(resources: Sequence[Resource], type: str) -> list[Mapping[str, Any]]:
    return [one.values for one in resources if one.type == type]


def services(resources: Sequence[Resource]) -> dict[str, Mapping[str, Any]]:
    """The Cloud Run service of each function, by the function's folder."""
    functions = of_type(resources, "google_cloudfunctions2_function")
    return {one["build_config"][0]["entry_point"]: one["service_config"][0] for one in functions}


def _initialise(folder: Path) -> None:
    ended = run("init", "-input=false", folder=folder)
    if ended.returncode:
        pytest.skip(f"Terraform cannot get its provider: {ended.stderr.strip()[-500:]}")


def run(*arguments: str, folder: Path) -> CompletedProcess[str]:
    command = [terraform(), f"-chdir={folder}", *arguments[:1], "-no-color", *arguments[1:]]
    return subprocess.run(command, env=settings(), capture_output=True, text=True, check=False)


def _succeed(*arguments: str, folder: Path) -> str:
    """Raises AssertionError with Terraform's message if the command fails."""
    ended = run(*arguments, folder=folder)
    assert not ended.returncode, ended.stderr
    return ended.stdout


def terraform() -> str:
    """The path of the CLI. Skips the test if there is none."""
    found = shutil.which("terraform")
    if found is None:
        pytest.skip("There is no terraform on PATH. See https://developer.hashicorp.com/terraform/install.")
    return found


def settings() -> Mapping[str, str]:
    """The environment variables for Terraform. TF_CLI_CONFIG_FILE, if it is set, says where to get the provider.

    Several Terraforms run at the same time, so each takes one processor (GOMAXPROCS). They are short, so they collect
    garbage late (GOGC). The provider does not log its calls (TF_LOG_SDK_PROTO). Together this saves 40 % of the time.
    """
    speed = {"GOMAXPROCS": "1", "GOGC": "400", "TF_LOG_SDK_PROTO": "off"}
    return os.environ | {"CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"} | speed
