"""What the script itself has to know of an environment: the project and the region in its terraform.tfvars."""

from __future__ import annotations

import re
import sys
from pathlib import Path

REGION = "europe-west1"
"""The default of the variable `region` (terraform/variables.tf); a test compares them."""


def project_of(place: Path) -> str:
    """Exits with what to do if the file is missing or names no project."""
    file, short = place / "terraform.tfvars", Path("terraform", "envs", place.name)
    if not file.exists():
        sys.exit(f"{short}/{file.name} is missing. Copy {short}/example.tfvars to it and fill in your project.")
    project = _value(file, "project")
    if project is None:
        sys.exit(f'{short}/{file.name} names no project. Add a line such as project = "my-project".')
    return project


def region_of(place: Path) -> str:
    return _value(place / "terraform.tfvars", "region") or REGION


def _value(file: Path, name: str) -> str | None:
    found = re.search(rf'^\s*{name}\s*=\s*"([^"]+)"', file.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else None
