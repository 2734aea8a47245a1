"""What a way back has to know of an environment. Terraform's output `restore` has it (terraform/outputs.tf)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
