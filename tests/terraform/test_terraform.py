"""terraform/ is well formed, keeps its promises, and comes to rest: fmt, validate, test, and a second plan."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.terraform.configured import (
    ENVIRONMENTS,
    ROOT,
    apply,
    configuration,
    environment,
    initialise,
    run,
    terraform,
)

pytestmark = pytest.mark.slow

FILES = sorted(ROOT.glob("terraform/**/*.tf")) + sorted(ROOT.glob("terraform/**/*.hcl"))
TESTS = sorted(file.name for file in ROOT.glob("terraform/tests/*.tftest.hcl"))
PROVIDERS = {"hashicorp/google"}


@pytest.fixture(scope="module")
def initialised() -> Iterator[Path]:
    with configuration() as copy:
        initialise(copy)
        yield copy


def test_every_file_is_formatted() -> None:
    ended = run("fmt", "-check", "-recursive", "-diff", folder=ROOT / "terraform")
    assert not ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_an_environment_is_valid(name: str) -> None:
    with environment(name) as folder:
        ended = run("validate", folder=folder)
        assert not ended.returncode, ended.stderr


@pytest.fixture(scope="module")
def tested(initialised: Path) -> Iterator[Mapping[str, Future[CompletedProcess[str]]]]:
    """What `terraform test` says of each file; two at a time, as one takes a single core."""
    with ThreadPoolExecutor(2) as pool:
        yield {file: pool.submit(run, "test", f"-filter=tests/{file}", folder=initialised) for file in TESTS}


@pytest.mark.parametrize("file", TESTS)
def test_promises_are_kept(file: str, tested: Mapping[str, Future[CompletedProcess[str]]]) -> None:
    ended = tested[file].result()
    assert not ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_what_was_applied_stays_as_it_is(name: str) -> None:
    with environment(name) as folder:
        apply(folder)
        again = run("plan", "-input=false", "-detailed-exitcode", folder=folder)
        assert again.returncode == 0, again.stdout + again.stderr


def test_there_are_enough_promises_and_each_has_a_name_of_its_own() -> None:
    for file in TESTS:
        runs = re.findall(
            r'^run "(\w+)"', (ROOT / "terraform" / "tests" / file).read_text(encoding="utf-8"), re.MULTILINE
        )
        assert len(runs) == len(set(runs))
    promises = re.findall(r'^run "(\w+)"', "".join(file.read_text(encoding="utf-8") for file in FILES), re.MULTILINE)
    assert len(set(promises)) >= 40


def test_no_file_is_long() -> None:
    for file in FILES:
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 250, file


def test_google_is_the_only_provider() -> None:
    """Archives are made by scripts/stage-functions, and names are derived: there is nothing to draw or to zip."""
    sources = {source for file in FILES for source in re.findall(r'source\s*=\s*"(\w+/\w+)"', file.read_text("utf-8"))}
    assert sources == PROVIDERS


def test_the_cli_is_one_that_the_configuration_takes() -> None:
    assert terraform()
    versions = (ROOT / "terraform" / "versions.tf").read_text(encoding="utf-8")
    for folder in ("modules/function", "modules/lane", "modules/weaviate", "envs/dev", "envs/prod"):
        other = (ROOT / "terraform" / folder / "versions.tf").read_text(encoding="utf-8")
        assert re.findall(r"version\s*=.*", other) == re.findall(r"version\s*=.*", versions), folder
