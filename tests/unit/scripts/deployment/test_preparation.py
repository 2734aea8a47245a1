"""What is done to a project before Terraform can plan for it. gcloud is a program that answers as the real one does."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from scripts.deployment.preparation import READ_BY_PLANS, Preparation
from scripts.deployment.service_agents import SERVICES

ROOT = Path(__file__).resolve().parents[4]
GCLOUD = """#!/bin/sh
case "$*" in
  *"services list"*) cat "$PLACE/apis" ;;
  *"projects describe"*) echo 4711 ;;
  *"buckets describe"*) cat "$PLACE/bucket" 2> /dev/null || { cat "$PLACE/refusal" >&2; exit 1; } ;;
  *) printf '%s\\n' "$*" >> "$PLACE/changed" ;;
esac
"""
NOT_FOUND = "ERROR: (gcloud.storage.buckets.describe) gs://p-terraform-state not found: 404."
FORBIDDEN = (
    "ERROR: (gcloud.storage.buckets.describe) HTTPError 403: me@example.com does not have storage.buckets.get access "
    "to the Google Cloud Storage bucket."
)
RIGHT: dict[str, Any] = {
    "projectNumber": "4711",
    "versioning": {"enabled": True},
    "iamConfiguration": {"publicAccessPrevention": "enforced", "uniformBucketLevelAccess": {"enabled": True}},
}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "gcloud"
    program.write_text(GCLOUD)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PLACE", str(tmp_path))
    (tmp_path / "apis").write_text("".join(f"{name}.googleapis.com\n" for name in (*READ_BY_PLANS, *SERVICES)))
    (tmp_path / "refusal").write_text(NOT_FOUND)
    return tmp_path


def prepared() -> Preparation:
    return Preparation.of("p", "europe-west1", "p-terraform-state")


def done(place: Path) -> list[str]:
    prepared().carry_out()
    changed = place / "changed"
    return changed.read_text().splitlines() if changed.exists() else []


def holds(place: Path, bucket: Mapping[str, Any]) -> None:
    (place / "bucket").write_text(json.dumps(bucket))


def test_a_project_that_has_everything_needs_no_step(place: Path) -> None:
    holds(place, RIGHT)
    assert not prepared().steps


def test_apis_that_are_off_are_switched_on(place: Path) -> None:
    holds(place, RIGHT)
    (place / "apis").write_text("storage.googleapis.com\n")
    (call,) = done(place)
    assert call.startswith("services enable cloudresourcemanager.googleapis.com iam.googleapis.com serviceusage")
    assert {f"{name}.googleapis.com" for name in SERVICES} <= set(call.split())


def test_the_states_bucket_is_private_versioned_and_in_the_region(place: Path) -> None:
    create, update = done(place)
    for option in (
        "--uniform-bucket-level-access",
        "--public-access-prevention",
        "--location=europe-west1",
        "--project=p",
    ):
        assert option in create
    assert "--versioning" in update


def test_a_bucket_of_another_project_is_refused(place: Path) -> None:
    holds(place, {**RIGHT, "projectNumber": "666"})
    with pytest.raises(SystemExit, match="belongs to project number 666, but p has 4711"):
        prepared()


def test_a_bucket_that_cannot_be_looked_at_is_not_taken_for_a_missing_one(place: Path) -> None:
    (place / "refusal").write_text(FORBIDDEN)
    with pytest.raises(SystemExit, match="may belong to somebody else"):
        prepared()


@pytest.mark.parametrize(
    ("wrong", "option"),
    [
        ({"versioning": {}}, "--versioning"),
        ({"iamConfiguration": {}}, "--uniform-bucket-level-access"),
        (
            {"iamConfiguration": {**RIGHT["iamConfiguration"], "publicAccessPrevention": "inherited"}},
            "--public-access-prevention",
        ),
    ],
)
def test_a_bucket_with_weak_settings_is_mended(place: Path, wrong: Mapping[str, Any], option: str) -> None:
    holds(place, {**RIGHT, **wrong})
    (call,) = done(place)
    assert call.startswith("storage buckets update gs://p-terraform-state") and option in call
