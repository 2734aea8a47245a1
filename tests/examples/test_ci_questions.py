"""The workflow of examples/ci/questions: its steps run as GitHub runs them, in a repository with some documents."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from scripts.local_cloud.free_ports import free_port
from scripts.local_cloud.process import exclusive
from tests.architecture.workflows import steps
from tests.e2e.test_installed import CACHE, OURS, locked_packages
from tests.examples.machine import EXAMPLES, ROOT, TIMEOUT, Machine
from tests.models import model_folder
from tests.page_blocks import blocks_of

pytestmark = pytest.mark.slow

FOLDER = EXAMPLES / "ci" / "questions"
DOCUMENTS = {
    "backup.md": "# Backups\n\nThe nightly backup starts at half past two.\n",
    "keeping.md": "# Keeping\n\nHow long is a backup kept? It is kept for ninety days on another continent.\n",
    "harbour.md": "# Harbour\n\nThe harbour is nine metres deep, and ships with grain and timber call there.\n",
}


@dataclass(frozen=True)
class Repository:
    """A checkout of the owner's repository on a runner."""

    folder: Path
    variables: Mapping[str, str]

    def job(self, *, installed: bool = True) -> tuple[str, str]:
        """Run the steps until one fails, and then those for a failure. The name of the first that fails (empty if none
        does), and what it and those after it said; if none fails, the summary. With `installed`, the step that installs
        ragbase is left out."""
        port = str(free_port())
        failed, said = "", ""
        for step in steps(FOLDER / "questions.yml"):
            if "run" not in step or (installed and step["name"] == "Install ragbase"):
                continue
            if bool(failed) != (step.get("if") == "failure()"):
                continue
            given: Mapping[str, str] = step.get("env", {})
            ended = self._run(step, {name: value.replace("8080", port) for name, value in given.items()}, port)
            if ended.returncode:
                failed = failed or step["name"]
            if failed:
                said += ended.stdout + ended.stderr
        return failed, said or self.summary

    @property
    def summary(self) -> str:
        return (self.folder / "summary.md").read_text(encoding="utf-8")

    def _run(self, step: Mapping[str, str], given: Mapping[str, str], port: str) -> subprocess.CompletedProcess[str]:
        """Without `shell`, GitHub gives a step no pipefail."""
        shell = {"bash": ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], None: ["bash", "-e", "-c"]}
        return subprocess.run(
            [*shell[step.get("shell")], step["run"].replace("8080", port)],
            cwd=self.folder,
            env={**self.variables, **given, "GITHUB_STEP_SUMMARY": str(self.folder / "summary.md")},
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )


@pytest.fixture
def repository(machine: Machine, tmp_path: Path) -> Iterator[Repository]:
    folder = tmp_path / "repository"
    workflows = folder / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for name in ("questions.yml", "check_answers.py"):
        shutil.copy(FOLDER / name, workflows)
    shutil.copy(FOLDER / "questions.csv", folder)
    (folder / "docs").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    yield Repository(folder, machine.variables)
    for process in servers_in(folder):
        os.kill(process, signal.SIGKILL)


def servers_in(folder: Path) -> Iterator[int]:
    """What the job has left behind, as a runner finds it: the processes in this folder."""
    for place in Path("/proc").glob("[0-9]*/cwd"):
        if place.exists() and place.resolve() == folder:
            yield int(place.parent.name)


def test_the_job_passes_while_each_question_finds_its_document(repository: Repository) -> None:
    assert repository.job() == ("", "3 questions asked, 0 faults\n")


@pytest.mark.prove
def test_the_job_fails_when_a_document_that_a_question_names_is_gone(repository: Repository) -> None:
    (repository.folder / "docs" / "backup.md").unlink()
    step, said = repository.job()
    assert step == "Ask the questions"
    assert "there is no document 'docs/backup.md'" in said


@pytest.mark.prove
def test_the_job_fails_when_a_text_is_not_found_any_more(repository: Repository) -> None:
    (repository.folder / "docs" / "keeping.md").unlink()
    step, said = repository.job()
    assert step == "Check what was found"
    assert "- not found: How long is a backup kept?\n" in said
    assert "- the mean recall@5 is 0.50, and has to be 0.90 or more\n" in said
    assert "3 questions asked, 2 faults\n" in said and repository.summary in said


@pytest.mark.prove
def test_the_job_fails_when_something_answers_what_nothing_should(repository: Repository) -> None:
    text = "# Chapel\n\nMaster Ilmari painted the ceiling of the chapel in one summer.\n"
    (repository.folder / "docs" / "chapel.md").write_text(text)
    step, said = repository.job()
    assert step == "Check what was found"
    assert "- found, but nothing answers it: Who painted the ceiling of the chapel?\n" in said


@pytest.mark.prove
def test_the_job_fails_below_the_least_recall_though_each_question_finds_something(repository: Repository) -> None:
    """A question with two documents of which it finds one."""
    with (repository.folder / "questions.csv").open("a") as file:
        file.write("When does the nightly backup start?,docs/harbour.md\n")
    step, said = repository.job()
    assert step == "Check what was found"
    assert "not found" not in said
    assert "- the mean recall@5 is 0.75, and has to be 0.90 or more\n" in said


@pytest.mark.prove
def test_the_job_fails_when_a_document_cannot_be_read(repository: Repository) -> None:
    (repository.folder / "docs" / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing follows")
    step, said = repository.job()
    assert step == "Start it and bring in the documents"
    assert "broken.pdf" in said


@pytest.mark.prove
def test_a_failure_shows_what_the_server_said(repository: Repository) -> None:
    """Its log is a file, which is gone with the runner."""
    (repository.folder / "docs" / "backup.md").unlink()
    _, said = repository.job()
    assert "Answering queries at http://" in said


def test_the_job_needs_nothing_that_github_keeps_from_the_pull_request_of_a_fork() -> None:
    """Its secrets, and its variables (https://github.com/orgs/community/discussions/44322)."""
    assert not re.findall(r"\b(?:vars|secrets)\b\W", (FOLDER / "questions.yml").read_text(encoding="utf-8"))


@pytest.mark.prove
def test_the_readme_tries_it_on_the_owners_machine(repository: Repository, machine: Machine) -> None:
    (block,) = (one.text for one in blocks_of("examples/ci/questions/README.md"))
    shutil.copy(FOLDER / "check_answers.py", repository.folder)
    printed = machine.done(block, repository.folder)
    assert printed.endswith("3 questions asked, 0 faults\n")


@pytest.mark.parametrize(
    "printed",
    [
        *(pytest.param(text, marks=pytest.mark.prove) for text in ("", "[]", "{}")),
        '{"questions": [{"text": "When?"}], "measures": []}',
    ],
)
def test_a_file_of_something_else_is_told_as_that(printed: str, machine: Machine) -> None:
    (machine.home / "answers.json").write_text(printed, encoding="utf-8")
    ended = machine.run(f"python3 {FOLDER}/check_answers.py answers.json --recall 0.9")
    assert ended.returncode == 2
    assert "answers.json is not what `ragbase eval --json` prints" in ended.stderr
    assert "Traceback" not in ended.stderr


@pytest.mark.prove
def test_the_job_installs_what_it_runs(repository: Repository, tmp_path: Path) -> None:
    """In an empty environment, from the packages that the lock file names, and with the default model."""
    environment = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    (repository.folder / ".ragbase").symlink_to(ROOT)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    with exclusive(CACHE):
        variables = {
            **inherited,
            "HOME": str(tmp_path),
            "PATH": f"{environment}/bin:/usr/bin:/bin",
            "PIP_FIND_LINKS": f"{locked_packages()} {os.environ.get('PIP_FIND_LINKS', '')}".strip(),
            "PIP_NO_COMPILE": "no",  # pip wants "no" here; the commands compile what they import
            "RAGBASE_MODEL_FOLDER": str(model_folder("minilm")),
        }
        repository = replace(repository, variables=variables)
        assert repository.job(installed=False) == ("", "3 questions asked, 0 faults\n")
