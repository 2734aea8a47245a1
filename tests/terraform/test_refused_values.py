"""What Google would refuse after everything else was made is refused by the plan."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from scripts.deployment.commands import diagnostics
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ROOT, run
from tests.terraform.test_environments import refused

pytestmark = pytest.mark.prove

KEY = "projects/p/locations/{}/keyRings/r/cryptoKeys/k"
BUDGET = {"billing_account": "012345-6789AB-CDEF01", "amount": 300}
FIVE = [f"oncall{number}@example.com" for number in range(5)]
FUNCTION: Mapping[str, Any] = {
    **dict.fromkeys(("project", "name", "account"), "ragbase-api"),
    "region": "europe-west1",
    "entry_point": "api",
    "archive": {"bucket": "b", "path": "p", "sha256": "0" * 64},
    "build": {"account": "a", "repository": "r"},
}
LIMITS = {"memory_mib": 1024, "cpu": 1, "timeout": 60, "concurrency": 40, "min_instances": 0, "max_instances": 4}
MACHINE: Mapping[str, Any] = {
    **dict.fromkeys(("project", "name", "secret"), "ragbase"),
    "region": "europe-west1",
    "zone": "europe-west1-b",
    "machine_type": "e2-medium",
    "disk_gib": 20,
    "image_tag": "1.39.0",
    "keep": False,
}


def said(folder: Path, declared: str, variables: Mapping[str, Any]) -> str:
    """What Terraform says of these variables. Only their declarations are there, so it needs no provider."""
    shutil.copyfile(ROOT / "terraform" / declared, folder / "variables.tf")
    (folder / "locals.tf").write_text("locals {\n  lanes = { fast_lane = {} }\n}\n", encoding="utf-8")
    (folder / "terraform.tfvars.json").write_text(json.dumps(variables), encoding="utf-8")
    ended = run("plan", "-json", "-input=false", folder=folder)
    found = "\n".join(one.detail for one in diagnostics(ended.stdout) if one.is_error)
    assert bool(found) is bool(ended.returncode), ended.stdout
    return found


LOCATIONS: list[tuple[dict[str, Any], str]] = [
    ({"region": "us-east1", "bucket": {"location": "us"}, "database": {"location": "nam5"}}, ""),
    ({"region": "europe-southwest1", "bucket": {"location": "NAM4"}, "database": {"backup_days": 98}}, ""),
    ({"region": "northamerica-northeast2", "bucket": {"location": "EUROPE-WEST10"}}, ""),
    ({"kms_key": KEY.format("europe-west1"), "bucket": {"location": "europe-west1"}}, ""),
    ({"region": "europe-wst1"}, "region must be a single region"),
    ({"region": "EU"}, "region must be a single region"),
    ({"region": "eu-west-1"}, "region must be a single region"),
    ({"bucket": {"location": "Europe"}}, "bucket.location must be"),
    ({"bucket": {"noncurrent_days": 1.5}}, "bucket.noncurrent_days must be a whole number"),
    ({"database": {"location": "EU"}}, "database.location must be"),
    ({"database": {"backup_days": 99}}, "at most 14 weeks"),
    ({"kms_key": "ragbase"}, "kms_key must be a key's full name"),
    ({"kms_key": KEY.format("us-east1")}, "kms_key must be in europe-west1"),
    ({"kms_key": KEY.format("global")}, "and not in global"),
    ({"kms_key": KEY.format("europe-west1"), "bucket": {"location": "EU"}}, "leave out their locations"),
    ({"kms_key": KEY.format("europe-west1"), "database": {"location": "eur3"}}, "leave out their locations"),
]


@pytest.mark.parametrize(("variables", "message"), LOCATIONS)
def test_a_place_where_google_makes_nothing_is_refused(tmp_path: Path, variables: dict[str, Any], message: str) -> None:
    assert_says(said(tmp_path, "variables_locations.tf", variables), message)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"budget": BUDGET, "alert_emails": FIVE}, ""),
        ({"alert_emails": [*FIVE, "more@example.com"]}, ""),
        (
            {"budget": BUDGET, "alert_emails": [*FIVE, "more@example.com"]},
            "at most 5 addresses, but alert_emails has 6",
        ),
        ({"budget": {**BUDGET, "amount": 0.5}}, "budget.amount must be a whole number"),
        ({"budget": {**BUDGET, "amount": 100.5}}, "budget.amount must be a whole number"),
        ({"alert_when": {"oldest_seconds": {"fast_lane": 60}}}, ""),
        (
            {"alert_when": {"oldest_seconds": {"fast": 60}}},
            "alert_when.oldest_seconds has no fast. It can have fast_lane",
        ),
    ],
)
def test_an_alert_or_a_budget_that_cannot_be_is_refused(
    tmp_path: Path, variables: dict[str, Any], message: str
) -> None:
    assert_says(said(tmp_path, "variables_alerts.tf", variables), message)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"concurrency": 1000}, ""),
        ({"cpu": 0.5, "concurrency": 1}, ""),
        ({"cpu": 8, "memory_mib": 32768}, ""),
        ({"concurrency": 1001}, "functions.api.concurrency must be a whole number from 1 to 1000"),
        ({"concurrency": 0}, "from 1 to 1000"),
        ({"concurrency": 1.5}, "from 1 to 1000"),
        ({"cpu": 3}, "functions.api.cpu must be 1, 2, 4, 6 or 8"),
        ({"cpu": 0.05, "memory_mib": 512, "concurrency": 1}, "from 0.08"),
        ({"cpu": 0.5}, "less than one CPU can work on only one request"),
        ({"cpu": 0.5, "concurrency": 1, "memory_mib": 2048}, "2048 MiB need more than 0.5 CPU"),
        ({"cpu": 0.4, "concurrency": 1}, "1024 MiB need more than 0.4 CPU"),
        ({"memory_mib": 8192}, "8192 MiB need more than 1 CPU"),
        ({"cpu": 4}, "4 CPUs need more than 1024 MiB"),
        ({"cpu": 6, "memory_mib": 2048}, "6 CPUs need more than 2048 MiB"),
        ({"memory_mib": 600.5}, "memory_mib must be a whole number"),
        ({"max_instances": 2.5}, "must be whole numbers"),
        ({"min_instances": 5}, "functions.api.max_instances must be at least 1 and at least min_instances"),
    ],
)
def test_limits_that_cloud_run_does_not_offer_are_refused(
    tmp_path: Path, limits: dict[str, float], message: str
) -> None:
    assert_says(said(tmp_path, "modules/function/variables.tf", {**FUNCTION, "limits": LIMITS | limits}), message)


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({}, ""),
        ({"region": "us-central1", "zone": "us-central1-f"}, ""),
        ({"region": "europe-north1", "zone": "europe-north1-a"}, ""),
        ({"zone": "europe-west1-a"}, "no zone europe-west1-a"),
        ({"region": "us-west2", "zone": "us-west2-d"}, "no zone us-west2-d"),
        ({"zone": "europe-west1"}, "weaviate_vm.zone must be in the region europe-west1, for example europe-west1-b"),
        ({"zone": "us-east1-b"}, "weaviate_vm.zone must be in the region europe-west1"),
        ({"machine_type": "Medium"}, "weaviate_vm.machine_type must be a machine type"),
        ({"disk_gib": 70000}, "weaviate_vm.disk_gib must be a whole number from 10 to 65536"),
        ({"image_tag": "latest"}, "weaviate_vm.version must be a full version"),
    ],
)
def test_a_machine_that_google_does_not_have_is_refused(
    tmp_path: Path, variables: dict[str, Any], message: str
) -> None:
    assert_says(said(tmp_path, "modules/weaviate/variables.tf", {**MACHINE, **variables}), message)


def assert_says(found: str, message: str) -> None:
    """Terraform's words, or none."""
    said = " ".join(found.split())
    assert message in said if message else not said, found


TWO_AT_ONCE = {"weaviate_vm": {"zone": "europe-west1-a"}, "functions": {"api": {"concurrency": 2000}}}


@looks_at(Job(refused, ("dev", json.dumps(TWO_AT_ONCE)), seconds=3))
def test_the_settings_of_an_environment_are_held_to_this(result: CompletedProcess[str]) -> None:
    said = " ".join(result.stderr.replace("│", "").split())
    assert "no zone europe-west1-a" in said
    assert "functions.api.concurrency must be" in said
