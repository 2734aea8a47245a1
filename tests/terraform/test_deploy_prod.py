"""scripts/deploy with prod: a key of its own from the first run on, and data that nobody loses by mistake. Terraform is
real, and gcloud is a stand-in."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from scripts.deployment.service_agents import SERVICES
from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import LOCAL_STATE, settings, terraform
from tests.terraform.test_deploy import Checkout, Deployed

pytestmark = pytest.mark.prove

KEY = '\nkms_key = "projects/keys/locations/europe-west1/keyRings/ragbase/cryptoKeys/data"\n'
TOPICS = "".join(f'resource "google_pubsub_topic" "{name}" {{\n  name = "{name}"\n}}\n' for name in "abc")
MOVED_AND_REMOVED = """
resource "google_pubsub_topic" "d" {
  name = "a"
}

moved {
  from = google_pubsub_topic.a
  to   = google_pubsub_topic.d
}

removed {
  from = google_pubsub_topic.b
  lifecycle {
    destroy = false
  }
}
"""
PROD = Path("terraform", "envs", "prod")


def deployments(_prepared: Path) -> Mapping[str, Deployed]:
    """What scripts/deploy does with prod, step by step."""
    steps = {}
    with tempfile.TemporaryDirectory(prefix="checkout-") as folder:
        checkout = Checkout(Path(folder) / "checkout")
        place = checkout.root / PROD
        variables = place / "terraform.tfvars"
        variables.write_text((place / "example.tfvars").read_text(encoding="utf-8") + KEY, encoding="utf-8")
        (place / "backend_override.tf").write_text(LOCAL_STATE, encoding="utf-8")
        (place / "topics.tf").write_text(TOPICS, encoding="utf-8")
        (checkout.root / "values").touch()
        (checkout.root / "no network").touch()
        steps["a network that breaks"] = checkout.deploy("prod", "--yes")
        (checkout.root / "no network").unlink()
        steps["a fresh project with a key"] = checkout.deploy("prod", "--yes")
        steps["destroy what is protected"] = checkout.deploy("prod", "--destroy", "--yes", "--sure", "prod")
        with variables.open("a", encoding="utf-8") as file:
            file.write("protect = false\n")
        (place / "topics.tf").write_text(MOVED_AND_REMOVED, encoding="utf-8")
        _taint(place, 'module.ragbase.module.lane["uploads"].google_pubsub_subscription.push')
        steps["lift the protection"] = checkout.deploy("prod", "--yes", "--new-settings")
        _taint(place, "module.ragbase.google_firestore_database.records")
        steps["replace what is protected"] = checkout.deploy("prod", "--yes", "--new-settings", "--sure", "prod")
    return steps


def _taint(place: Path, address: str) -> None:
    """Say that a resource has to be replaced. If it is not there, the tests say why."""
    command = [terraform(), f"-chdir={place}", "taint", address]
    subprocess.run(command, env=settings(), check=False, capture_output=True)


ALL = Job(deployments, seconds=30)


def applies(step: Deployed) -> int:
    return step.asked.splitlines().count("apply")


@looks_at(ALL)
def test_a_key_of_your_own_works_in_a_fresh_project(result: Mapping[str, Deployed]) -> None:
    """Google's accounts are made before the grants to them, although the run before has made none."""
    broken, step = result["a network that breaks"], result["a fresh project with a key"]
    assert broken.code == 1 and "Unable to find the server" in broken.errors and applies(broken) == 0
    assert step.code == 0, step.errors
    assert applies(step) == 2
    first = step.asked.index("\napply\n")
    made = step.asked[len(broken.asked) : first]
    assert all(f"identity create --service={service}.googleapis.com" in made for service in SERVICES)


@looks_at(ALL)
def test_nothing_of_a_protected_prod_is_destroyed(result: Mapping[str, Deployed]) -> None:
    step = result["destroy what is protected"]
    assert step.code == 1 and applies(step) == applies(result["a fresh project with a key"])
    for data in (
        "the bucket ragbase-prod-example-ragbase with all its objects and their old versions (deletion_policy)",
        "the database ragbase with all its records and their history (deletion_policy, delete_protection_state)",
        "the disk ragbase-weaviate-data with all chunks and vectors (deletion_policy)",
        "the secret ragbase-weaviate-api-key with all its values (deletion_protection)",
    ):
        assert data in step.errors
    assert "1. Set protect = false in terraform/envs/prod/terraform.tfvars" in step.errors


@looks_at(ALL)
def test_a_yes_lifts_no_protection(result: Mapping[str, Deployed]) -> None:
    step = result["lift the protection"]
    assert step.code == 1 and applies(step) == applies(result["a fresh project with a key"])
    assert "add --sure prod" in step.errors
    for lost in (
        "the bucket ragbase-prod-example-ragbase with all its objects and their old versions is no longer protected",
        "the disk ragbase-weaviate-data with all chunks and vectors is no longer protected (deletion_policy)",
        "destroys the subscription ragbase-uploads with all messages that are not delivered yet, because an apply",
        "Terraform no longer looks after the topic b",
        "destroys the topic c: what is sent until it is there again is lost, because the configuration no longer",
    ):
        assert lost in step.output
    assert "(create_snapshot_before_destroy)" not in step.output, "the disk's last snapshot is taken without protection"


@looks_at(ALL)
def test_another_place_for_a_resource_in_the_files_is_no_loss(result: Mapping[str, Deployed]) -> None:
    lines = result["lift the protection"].output.splitlines()
    at = lines.index("  move     google_pubsub_topic.d")
    assert lines[at + 1].strip() == "was: google_pubsub_topic.a"
    assert not [line for line in lines if line.startswith("  ! ") and "google_pubsub_topic.d" in line]


@looks_at(ALL)
def test_a_name_does_not_replace_what_is_protected(result: Mapping[str, Deployed]) -> None:
    step = result["replace what is protected"]
    assert step.code == 1 and applies(step) == applies(result["a fresh project with a key"])
    assert "module.ragbase.google_firestore_database.records" in step.errors
    assert "take the change back" in step.errors.lower()
