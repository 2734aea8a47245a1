"""What a way back has to know of an environment: Terraform's output `restore` (terraform/outputs.tf), and its state."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Gcloud = Callable[..., str]
"""Runs gcloud with these arguments, and gives what it prints. Does not return if gcloud fails."""


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk with Weaviate's data, and the VM that it is attached to. `gib` is the size that the settings ask for."""

    name: str
    instance: str
    zone: str
    gib: int


@dataclass(frozen=True, slots=True)
class Deployed:
    project: str
    bucket: str
    database: str
    kms_key: str | None = None
    disk: Disk | None = None
    indexes: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """The composite indexes that Terraform makes, by their name there: fields such as "created_at DESCENDING"."""
    backups: bool = False
    """Whether Firestore makes a backup of each day."""

    @classmethod
    def read(cls, output: str) -> Deployed:
        """From the JSON that `terraform output -json restore` prints."""
        given: Mapping[str, Any] = json.loads(output)
        vm = given["weaviate"]
        disk = Disk(vm["disk"], vm["name"], vm["zone"], vm["disk_gib"]) if vm else None
        return cls(
            project=given["project"],
            bucket=given["bucket"],
            database=given["database"],
            kms_key=given["kms_key"],
            disk=disk,
            indexes=dict(given["indexes"]),
            backups=given["backups"],
        )


IMPORTS = "restored.tf"
"""The file beside the settings with what the next deploy imports. `terraform import` would not do: it stops where a
count depends on what the state does not have."""


class TerraformState:
    """The state of the environment in this folder of terraform/envs, which `./scripts/deploy ENV --plan` prepares."""

    def __init__(self, place: Path) -> None:
        self._place = place
        if not (place / ".terraform").exists():
            sys.exit(f"Terraform is not prepared. Run ./scripts/deploy {place.name} --plan first, then this again.")

    def output(self, name: str) -> str:
        return self._run("output", "-json", name)

    def resources(self) -> Mapping[str, str]:
        state = json.loads(self._run("show", "-json"))
        return dict(_ids(state.get("values", {}).get("root_module", {})))

    def learn(self, ids: Mapping[str, str]) -> None:
        blocks = (f"import {{\n  to = {address}\n  id = {json.dumps(id)}\n}}\n" for address, id in ids.items())
        head = "# scripts/restore wrote this. Remove it after the next deploy.\n"
        (self._place / IMPORTS).write_text("\n".join((head, *blocks)), encoding="utf-8")

    def forget(self, addresses: Sequence[str]) -> None:
        self._run("state", "rm", *addresses)

    def _run(self, *arguments: str) -> str:
        command = ["terraform", f"-chdir={self._place}", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}terraform {arguments[0]} failed. Run the same command again.")
        return done.stdout


def _ids(module: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for one in module.get("resources", []):
        if one["mode"] == "managed":
            yield one["address"], str(one["values"].get("id", ""))
    for child in module.get("child_modules", []):
        yield from _ids(child)
