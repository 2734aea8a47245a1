"""The two programs that a deployment calls, gcloud and Terraform, and what Terraform says beside its result."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scripts.deployment.plan import Plan

HELP = {
    "terraform": "See https://developer.hashicorp.com/terraform/install.",
    "gcloud": "See https://cloud.google.com/sdk/docs/install, then `gcloud auth application-default login`.",
}

LOCK_FILE = ".terraform.lock.hcl"
"""Where Terraform keeps the provider's version and its hashes (developer.hashicorp.com/terraform/language/files)."""


def need_programs() -> None:
    """Exit if one of them is missing."""
    for program, remedy in HELP.items():
        if shutil.which(program) is None:
            sys.exit(f"{program} is not on PATH. {remedy}")


def gcloud(*arguments: str) -> str:
    """What gcloud prints. Exits if it fails."""
    done = try_gcloud(*arguments)
    if done.returncode:
        sys.exit(f"{done.stderr}gcloud {' '.join(arguments[:3])} failed. Are you signed in, with the right account?")
    return done.stdout.strip()


def try_gcloud(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["gcloud", *arguments, "--quiet"], capture_output=True, text=True, check=False)


class Terraform:
    """Terraform in the folder of one environment. Every plan is written to `plan_file`, and applied from there."""

    def __init__(self, place: Path, plan_file: Path) -> None:
        self._place = place
        self._plan_file = plan_file

    def initialise(self, state_bucket: str) -> None:
        """The first time, Terraform chooses the provider and writes its hashes; then it takes no other."""
        lock = self._place / LOCK_FILE
        was_locked = lock.exists()
        only_this = ("-lockfile=readonly",) if was_locked else ()
        self._tell_warnings("init", "-input=false", f"-backend-config=bucket={state_bucket}", *only_this)
        if lock.exists() and not was_locked:
            print(
                f"Wrote terraform/envs/{self._place.name}/{LOCK_FILE}: commit it, so that everybody has this provider."
            )

    def plan(self, options: Sequence[str]) -> Plan:
        self._tell_warnings("plan", "-input=false", f"-out={self._plan_file}", *options)
        return Plan.read(json.loads(self._succeed("show", "-json", str(self._plan_file))))

    def apply(self) -> str:
        """Apply the last plan. Terraform's errors; empty if everything was applied."""
        done = self._run("apply", "-input=false", str(self._plan_file), shows_progress=True)
        return (done.stderr or "Terraform failed and did not say why.") if done.returncode else ""

    def state(self) -> dict[str, Any]:
        """What is applied now, as `terraform show -json` has it."""
        state: dict[str, Any] = json.loads(self._succeed("show", "-json"))
        return state

    def output(self, name: str) -> str:
        return self._succeed("output", "-raw", name)

    def _tell_warnings(self, command: str, *arguments: str) -> None:
        """Succeed, and show Terraform's warnings. What it prints for a person is hard to take apart, so it is told
        -json."""
        done = self._run(command, "-json", *arguments)
        said = "".join(f"{one}\n" for one in diagnostics(done.stdout) if one.summary != TARGETED)
        if done.returncode:
            sys.exit(f"{said or done.stdout}{done.stderr}terraform {command} failed: nothing was changed.")
        print(said, end="")

    def _succeed(self, *arguments: str) -> str:
        done = self._run(*arguments)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}terraform {arguments[0]} failed: nothing was changed.")
        return done.stdout

    def _run(self, *arguments: str, shows_progress: bool = False) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["terraform", f"-chdir={self._place}", arguments[0], "-no-color", *arguments[1:]],
            stdout=None if shows_progress else subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )


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
    """Those in the output of a command with -json, each once. A line that is no JSON says nothing of this kind
    (developer.hashicorp.com/terraform/internals/machine-readable-ui#diagnostic)."""
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
