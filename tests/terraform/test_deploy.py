"""scripts/deploy, starting with an empty project. Terraform is real, and gcloud is a stub."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import FUNCTIONS, LOCAL_STATE, ROOT, settings, terraform

pytestmark = pytest.mark.prove

GCLOUD = """#!/bin/sh
# Writes down each call. APIs and the state's bucket are there once they were asked for, and a secret has a value once
# `values` exists. The answers have the form of the real gcloud's.
printf '%s\\n' "$*" >> "$PLACE/asked"
case "$*" in
  "auth list"*) echo me@example.com ;;
  "auth application-default"*) echo "ERROR: Your default credentials were not found." >&2; exit 1 ;;
  *"services list"*) [ ! -e "$PLACE/apis" ] || cat "$PLACE/apis" ;;
  *"services enable"*) printf '%s\\n' "$@" | grep googleapis >> "$PLACE/apis" ;;
  *"identity create"*)
    if [ -e "$PLACE/no network" ]; then echo "ERROR: Unable to find the server at example.com" >&2; exit 1; fi
    printf '%s\\n' "$*" >> "$PLACE/agents" ;;
  *"projects describe"*) echo 4711 ;;
  *"versions list"*) if [ -e "$PLACE/values" ]; then echo 1; fi ;;
  *"buckets describe"*)
    if [ -e "$PLACE/state" ]; then cat "$PLACE/bucket.json"; exit; fi
    echo "ERROR: (gcloud.storage.buckets.describe) gs://ragbase-dev-example-terraform-state not found: 404." >&2
    exit 1 ;;
  *"buckets create"*) : > "$PLACE/state" ;;
esac
"""
STATE_BUCKET = {
    "projectNumber": "4711",
    "versioning": {"enabled": True},
    "iamConfiguration": {"publicAccessPrevention": "enforced", "uniformBucketLevelAccess": {"enabled": True}},
}
TERRAFORM = """#!/bin/bash
# The state is a local file and not in a bucket. An apply meets Google's refusal of a grant if nobody has made the
# account that it is for. Everything else is passed on.
case " $* " in
  *" apply "*)
    printf 'apply\\n' >> "$PLACE/asked"
    for agent in compute firestore pubsub secretmanager; do
      if ! grep -q "service=$agent.googleapis.com" "$PLACE/agents"; then
        echo "Error 400: Service account service-4711@gcp-sa-$agent.iam.gserviceaccount.com is missing., badRequest" >&2
        exit 1
      fi
    done ;;
esac
arguments=()
for argument in "$@"; do
  case $argument in -backend-config=*) ;; *) arguments+=("$argument") ;; esac
done
exec "$TERRAFORM" "${arguments[@]}"
"""
AT_ONCE = """
import runpy, sys, time
sleep = time.sleep
time.sleep = lambda seconds: sleep(min(seconds, 0.2))
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a script that does not wait long for anything."""
DEV = Path("terraform", "envs", "dev")


@dataclass(frozen=True, slots=True)
class Deployed:
    """How one call of scripts/deploy ended, and all calls of gcloud until then."""

    code: int
    output: str
    errors: str
    asked: str


class Checkout:
    def __init__(self, root: Path) -> None:
        self.root = root
        left_out = shutil.ignore_patterns(".terraform*", "terraform.tfvars", "__pycache__")
        for part in ("terraform", "functions", "common/ragbase", "requirements/functions"):
            shutil.copytree(ROOT / part, root / part, ignore=left_out)
        (root / "scripts").mkdir()
        for script in ("__init__.py", "deploy", "stage-functions"):
            shutil.copy(ROOT / "scripts" / script, root / "scripts" / script)
        shutil.copytree(ROOT / "scripts" / "deployment", root / "scripts" / "deployment", ignore=left_out)
        (root / "bin").mkdir()
        for name, text in (("gcloud", GCLOUD), ("terraform", TERRAFORM)):
            program = root / "bin" / name
            program.write_text(text, encoding="utf-8")
            program.chmod(program.stat().st_mode | stat.S_IXUSR)
        (root / "bucket.json").write_text(json.dumps(STATE_BUCKET), encoding="utf-8")
        (root / DEV / "backend_override.tf").write_text(LOCAL_STATE, encoding="utf-8")

    def deploy(self, *arguments: str) -> Deployed:
        """Google's delays are passed over."""
        environment = {**settings(), "PLACE": str(self.root), "TERRAFORM": terraform()}
        environment["PATH"] = f"{self.root / 'bin'}{os.pathsep}{environment['PATH']}"
        ended = subprocess.run(
            [sys.executable, "-c", AT_ONCE, self.root / "scripts" / "deploy", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        asked = self.root / "asked"
        calls = asked.read_text(encoding="utf-8") if asked.exists() else ""
        return Deployed(ended.returncode, ended.stdout, ended.stderr, calls)


def deployments(_prepared: Path) -> Mapping[str, Deployed]:
    """What scripts/deploy does from an empty project on, step by step."""
    steps = {}
    with tempfile.TemporaryDirectory(prefix="checkout-") as folder:
        checkout = Checkout(Path(folder) / "checkout")
        steps["an unknown environment"] = checkout.deploy("staging", "--plan")
        steps["no settings"] = checkout.deploy("dev")
        place = checkout.root / DEV
        settings = place / "terraform.tfvars"
        example = (place / "example.tfvars").read_text(encoding="utf-8")
        settings.write_text(f'{example}regoin = "us-east1"\n', encoding="utf-8")
        steps["a mistyped setting"] = checkout.deploy("dev", "--yes")
        settings.write_text(example, encoding="utf-8")
        steps["a plan for an empty project"] = checkout.deploy("dev", "--plan")
        steps["nobody to ask"] = checkout.deploy("dev")
        steps["secrets without values"] = checkout.deploy("dev", "--yes")
        (checkout.root / "values").touch()
        steps["secrets with values"] = checkout.deploy("dev", "--yes")
        settings.write_text(
            f'# the same\nregion = "europe-west1"\nquota = {{ cpu = 20.0 }}\n{example}', encoding="utf-8"
        )
        steps["a plan without a change"] = checkout.deploy("dev", "--plan")
        settings.write_text(f"{example}functions = {{ fast_lane = {{ concurrency = 99 }} }}\n", encoding="utf-8")
        steps["other settings with --yes"] = checkout.deploy("dev", "--yes")
        steps["other settings with --yes and --new-settings"] = checkout.deploy("dev", "--yes", "--new-settings")
        main = checkout.root / "functions" / "router" / "main.py"
        main.write_text(f"{main.read_text(encoding='utf-8')}\n# changed\n", encoding="utf-8")
        steps["a plan with another router"] = checkout.deploy("dev", "--plan")
        steps["a plan to destroy"] = checkout.deploy("dev", "--destroy", "--plan")
        steps["destroy with --yes"] = checkout.deploy("dev", "--destroy", "--yes")
    return steps


ALL = Job(deployments, seconds=25)


@looks_at(ALL)
def test_an_unknown_environment_is_named(result: Mapping[str, Deployed]) -> None:
    step = result["an unknown environment"]
    assert step.code == 1, "2 would say that something differs"
    assert "staging" in step.errors and "dev" in step.errors


@looks_at(ALL)
def test_an_environment_without_its_settings_is_told_what_to_do(result: Mapping[str, Deployed]) -> None:
    step = result["no settings"]
    assert step.code == 1
    assert step.errors.strip() == (
        "terraform/envs/dev/terraform.tfvars is missing. Copy terraform/envs/dev/example.tfvars to it and fill in your "
        "project."
    )


@looks_at(ALL)
def test_a_mistyped_setting_is_refused_before_anything_is_made(result: Mapping[str, Deployed]) -> None:
    step = result["a mistyped setting"]
    assert step.code == 1 and step.asked == "", "gcloud was called"
    assert "there is no variable regoin." in step.errors and "Did you mean region?" in step.errors


@looks_at(ALL)
def test_two_accounts_are_named(result: Mapping[str, Deployed]) -> None:
    assert "gcloud acts as me@example.com, but Terraform has no account yet." in result["nobody to ask"].output


@looks_at(ALL)
def test_yes_applies_no_other_settings_than_the_last_apply(result: Mapping[str, Deployed]) -> None:
    step = result["other settings with --yes"]
    assert step.code == 1 and "--yes applies only the settings of the last apply" in step.errors
    assert '  functions.fast_lane: (nothing) -> {"concurrency": 99}' in step.output
    assert "Plan:" not in step.output, "It went on."


@looks_at(ALL)
def test_other_settings_are_applied_if_they_are_meant(result: Mapping[str, Deployed]) -> None:
    step = result["other settings with --yes and --new-settings"]
    assert step.code == 0, step.errors
    assert "Modifying" in step.output


@looks_at(ALL)
def test_terraforms_warnings_are_shown(result: Mapping[str, Deployed]) -> None:
    """For example that of a check: more documents at once than the embedding service takes."""
    step = result["other settings with --yes and --new-settings"]
    assert "Warning: Check block assertion failed" in step.output and "Lower max_instances" in step.output
    assert "Warning" not in result["a plan without a change"].output


@looks_at(ALL)
def test_a_plan_makes_no_bucket(result: Mapping[str, Deployed]) -> None:
    step = result["a plan for an empty project"]
    assert step.code == 1 and "Nothing was changed" in step.errors
    assert "create the bucket ragbase-dev-example-terraform-state in europe-west1" in step.output
    assert "create" not in step.asked and "enable " not in step.asked


@looks_at(ALL)
def test_nothing_is_made_before_somebody_is_asked(result: Mapping[str, Deployed]) -> None:
    step = result["nobody to ask"]
    assert step.code == 1 and "there is nobody to ask" in step.errors
    assert "create" not in step.asked and "enable " not in step.asked


@looks_at(ALL)
def test_the_apis_of_a_plan_and_the_states_bucket_come_before_the_first_plan(result: Mapping[str, Deployed]) -> None:
    asked = result["secrets without values"].asked
    assert "services enable cloudresourcemanager.googleapis.com" in asked
    assert "buckets create gs://ragbase-dev-example-terraform-state" in asked
    assert "--location=europe-west1" in asked
    assert asked.index("buckets create") < asked.index("services identity create")


@looks_at(ALL)
def test_apis_and_secrets_come_first_and_functions_wait_for_values(result: Mapping[str, Deployed]) -> None:
    step = result["secrets without values"]
    assert step.code == 1
    assert "gcloud secrets versions add ragbase-cohere-api-key" in step.errors
    assert "services identity create --service=pubsub.googleapis.com" in step.asked
    assert "google_cloudfunctions2_function" not in step.output


@looks_at(ALL)
def test_an_environment_comes_up_from_an_empty_project(result: Mapping[str, Deployed]) -> None:
    step = result["secrets with values"]
    assert step.code == 0, step.errors
    assert f"Staged {', '.join(FUNCTIONS)}." in step.output
    assert "gcloud storage cp guide.md gs://ragbase-dev-example-ragbase/" in step.output


@looks_at(ALL)
def test_nothing_changes_without_a_change(result: Mapping[str, Deployed]) -> None:
    step = result["a plan without a change"]
    assert step.code == 0, step.errors
    assert step.output.endswith("Nothing would change.\n")


@looks_at(ALL)
def test_another_source_changes_its_archive_and_its_function_and_nothing_else(result: Mapping[str, Deployed]) -> None:
    step = result["a plan with another router"]
    assert step.code == 2, step.errors
    changed = [line.split()[-1] for line in step.output.splitlines() if line.startswith(("  change ", "  replace "))]
    assert len(changed) == 2 and all("router" in address for address in changed)
    assert "storage_source" in step.output


@looks_at(ALL)
def test_a_plan_to_destroy_names_what_would_go(result: Mapping[str, Deployed]) -> None:
    step = result["a plan to destroy"]
    assert step.code == 2, step.errors
    assert "  destroy  module.ragbase.google_storage_bucket.documents" in step.output.splitlines()
    bucket = "the bucket ragbase-dev-example-ragbase with all its objects and their old versions"
    assert f"  ! destroys {bucket}: module.ragbase.google_storage_bucket.documents" in step.output.splitlines()


@looks_at(ALL)
def test_nothing_is_destroyed_without_asking(result: Mapping[str, Deployed]) -> None:
    step = result["destroy with --yes"]
    assert step.code == 1 and "there is nobody to ask" in step.errors, "--yes is not enough to destroy"
