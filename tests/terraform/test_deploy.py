"""scripts/deploy, from an empty project on: with the real Terraform and a gcloud that only answers."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.terraform.configured import FUNCTIONS, LOCAL_STATE, ROOT, initialise, settings, terraform

pytestmark = pytest.mark.slow

GCLOUD = """#!/bin/sh
# Notes what it is asked. The bucket of the state is there; a secret has a value once the file `values` is.
printf '%s\\n' "$*" >> "$PLACE/asked"
case "$*" in
  *"versions list"*) if [ -e "$PLACE/values" ]; then echo 1; fi ;;
  *"buckets describe"*) [ -e "$PLACE/state" ] || exit 1 ;;
  *"buckets create"*) : > "$PLACE/state" ;;
esac
"""
TERRAFORM = """#!/bin/bash
# The state is here and not in a bucket; the rest is as it is.
arguments=()
for argument in "$@"; do
  case $argument in -backend-config=*) ;; *) arguments+=("$argument") ;; esac
done
exec "$TERRAFORM" "${arguments[@]}"
"""


@dataclass(frozen=True, slots=True)
class Checkout:
    root: Path

    def deploy(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = dict(settings())
        environment |= {"PLACE": str(self.root), "TERRAFORM": terraform()}
        environment["PATH"] = f"{self.root / 'bin'}{os.pathsep}{environment['PATH']}"
        return subprocess.run(
            [self.root / "scripts" / "deploy", *arguments],
            env=environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )

    def asked(self) -> str:
        return (self.root / "asked").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Checkout]:
    root = tmp_path_factory.mktemp("checkout")
    left_out = shutil.ignore_patterns(".terraform*", "terraform.tfvars", "__pycache__")
    for part in ("terraform", "functions", "common/ragbase", "requirements/functions"):
        shutil.copytree(ROOT / part, root / part, ignore=left_out)
    (root / "scripts").mkdir()
    (root / "bin").mkdir()
    for script in ("deploy", "stage-functions"):
        shutil.copy(ROOT / "scripts" / script, root / "scripts" / script)
    for name, text in (("gcloud", GCLOUD), ("terraform", TERRAFORM)):
        program = root / "bin" / name
        program.write_text(text, encoding="utf-8")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
    place = root / "terraform" / "envs" / "dev"
    (place / "backend_override.tf").write_text(LOCAL_STATE, encoding="utf-8")
    initialise(place)
    yield Checkout(root)
    shutil.rmtree(root)


def test_an_environment_without_its_settings_is_told_what_to_do(checkout: Checkout) -> None:
    ended = checkout.deploy("dev")
    assert ended.returncode == 1
    assert ended.stderr.strip() == (
        "terraform/envs/dev/terraform.tfvars is missing. Copy terraform/envs/dev/example.tfvars to it and fill in your "
        "project."
    )


def test_an_unknown_environment_is_named(checkout: Checkout) -> None:
    ended = checkout.deploy("staging")
    assert ended.returncode == 2
    assert "staging" in ended.stderr and "dev" in ended.stderr


def test_an_environment_comes_up_from_an_empty_project(checkout: Checkout) -> None:
    place = checkout.root / "terraform" / "envs" / "dev"
    shutil.copyfile(place / "example.tfvars", place / "terraform.tfvars")

    ended = checkout.deploy("dev", "--plan")
    assert ended.returncode == 1 and "no bucket ragbase-dev-example-terraform-state" in ended.stderr
    assert "create" not in checkout.asked()

    ended = checkout.deploy("dev")
    assert ended.returncode == 1 and "there is nobody to ask" in ended.stderr
    assert "buckets create gs://ragbase-dev-example-terraform-state" in checkout.asked()

    ended = checkout.deploy("dev", "--yes")
    assert ended.returncode == 1
    assert "gcloud secrets versions add ragbase-cohere-api-key" in ended.stderr
    assert "services identity create --service=pubsub.googleapis.com" in checkout.asked()
    assert "google_cloudfunctions2_function" not in ended.stdout

    (checkout.root / "values").touch()
    ended = checkout.deploy("dev", "--yes")
    assert ended.returncode == 0, ended.stderr
    assert f"Staged {', '.join(FUNCTIONS)}." in ended.stdout
    assert "gcloud storage cp guide.md gs://ragbase-dev-example-ragbase/" in ended.stdout

    ended = checkout.deploy("dev", "--plan")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.endswith("Nothing would change.\n")

    main = checkout.root / "functions" / "router" / "main.py"
    main.write_text(f"{main.read_text(encoding='utf-8')}\n# changed\n", encoding="utf-8")
    ended = checkout.deploy("dev", "--plan")
    plan = ended.stdout.splitlines()[1]
    assert plan.startswith("Plan: ") and "create" not in plan, "one archive and one function, and nothing else"
    assert sum(int(word.strip(".,")) for word in plan.split() if word.strip(".,").isdigit()) == 2

    ended = checkout.deploy("dev", "--destroy", "--plan")
    assert ended.returncode == 0, ended.stderr
    assert "    destroy module.ragbase.google_storage_bucket.documents" in ended.stdout.splitlines()
    ended = checkout.deploy("dev", "--destroy", "--yes")
    assert ended.returncode == 1 and "there is nobody to ask" in ended.stderr, "--yes is not enough to destroy"
