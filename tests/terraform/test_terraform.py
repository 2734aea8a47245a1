"""terraform/ is well formed and keeps its promises (`terraform test`). A second plan changes nothing."""

from __future__ import annotations

import re
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.terraform.ahead import Job, looks_at
from tests.terraform.configured import ENVIRONMENTS, ROOT, Environment, copied, environment, run, terraform

FILES = sorted(ROOT.glob("terraform/**/*.tf")) + sorted(ROOT.glob("terraform/**/*.hcl"))
TESTS = sorted(ROOT.glob("terraform/tests/*.tftest.hcl"))
PROVIDERS = {"hashicorp/google"}


def promises(*files: Path) -> list[str]:
    """The names of all `run` blocks."""
    return re.findall(r'^run "(\w+)"', "\n".join(file.read_text(encoding="utf-8") for file in files), re.MULTILINE)


def promised(prepared: Path, file: str) -> CompletedProcess[str]:
    return run("test", f"-filter=tests/{file}", folder=prepared)


@looks_at(*(Job(promised, (file.name,), seconds=len(promises(file))) for file in TESTS))
def test_promises_are_kept(result: CompletedProcess[str]) -> None:
    assert not result.returncode, result.stdout + result.stderr


@looks_at(*(Job(environment, (name,), seconds=8) for name in ENVIRONMENTS))
def test_an_environment_is_valid(result: Environment) -> None:
    assert not result.valid.returncode, result.valid.stderr


@looks_at(*(Job(environment, (name,), seconds=8) for name in ENVIRONMENTS))
def test_what_was_applied_stays_as_it_is(result: Environment) -> None:
    assert result.second_plan.returncode == 0, result.second_plan.stdout + result.second_plan.stderr


def validated_ci(prepared: Path) -> CompletedProcess[str]:
    with copied(prepared) as copy:
        place = copy / "ci"
        initialised = run("init", "-backend=false", "-input=false", folder=place)
        return initialised if initialised.returncode else run("validate", folder=place)


@looks_at(Job(validated_ci, seconds=2))
def test_the_identity_of_ci_is_valid(result: CompletedProcess[str]) -> None:
    assert not result.returncode, result.stderr


@pytest.mark.prove
def test_every_file_is_formatted() -> None:
    ended = run("fmt", "-check", "-recursive", "-diff", folder=ROOT / "terraform")
    assert not ended.returncode, ended.stdout + ended.stderr


def test_there_are_enough_promises_and_each_has_its_own_name() -> None:
    for file in TESTS:
        assert len(promises(file)) == len(set(promises(file))), file
    assert len(set(promises(*TESTS))) >= 90


def test_environments_share_what_both_have() -> None:
    """Both folders have a link to the one file, and declare nothing else twice."""
    shared = ROOT / "terraform" / "envs"
    declared = []
    for name in ENVIRONMENTS:
        for file in ("variables.tf", "outputs.tf"):
            assert (shared / name / f"shared_{file}").readlink() == Path("..") / file
        own = [file.read_text(encoding="utf-8") for file in (shared / name).glob("*.tf") if not file.is_symlink()]
        declared += re.findall(r'^(?:variable|output) "(\w+)"', "\n".join(own), re.MULTILINE)
    assert len(declared) == len(set(declared))


def test_no_file_is_long() -> None:
    for file in FILES:
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 250, file


def test_google_is_the_only_provider() -> None:
    """No provider makes zip files or random names: scripts/stage-functions and the variables do."""
    sources = {source for file in FILES for source in re.findall(r'source\s*=\s*"(\w+/\w+)"', file.read_text("utf-8"))}
    assert sources == PROVIDERS


@pytest.mark.prove
def test_the_cli_is_one_that_the_configuration_takes() -> None:
    assert terraform()
    versions = (ROOT / "terraform" / "versions.tf").read_text(encoding="utf-8")
    for folder in (
        "ci",
        "modules/ci",
        "modules/function",
        "modules/lane",
        "modules/load_balancer",
        "modules/weaviate",
        "envs/dev",
        "envs/prod",
    ):
        other = (ROOT / "terraform" / folder / "versions.tf").read_text(encoding="utf-8")
        assert re.findall(r"version\s*=.*", other) == re.findall(r"version\s*=.*", versions), folder
