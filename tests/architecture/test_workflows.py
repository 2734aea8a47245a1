"""The workflows of examples/ci: two linters find nothing, and each command exists and ends as it should."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.workflows import FILES, FOLDER, ROOT, actionlint, read, steps, zizmor

EVENTS_FOR_STRANGERS = {"pull_request_target", "workflow_run", "issue_comment", "issues", "discussion"}


@pytest.mark.prove
def test_actionlint_finds_nothing_and_would_find_a_mistake(tmp_path: Path) -> None:
    assert actionlint(*FILES).stdout == ""
    wrong = tmp_path / "wrong.yml"
    wrong.write_text((FOLDER / "plan.yml").read_text().replace("matrix.environment }}-plan", "matrix.enviroment }}"))
    assert "enviroment" in actionlint(wrong).stdout


@pytest.mark.prove
def test_zizmor_finds_nothing_and_would_find_a_weakness(tmp_path: Path) -> None:
    folder = tmp_path / ".github" / "workflows"
    shutil.copytree(FOLDER, folder)
    shutil.copy(FOLDER.parent / "questions" / "questions.yml", folder)
    found = zizmor(tmp_path)
    assert not found.returncode, found.stdout
    file = folder / "plan.yml"
    file.write_text(file.read_text().replace('"$ENVIRONMENT" --plan', '"${{ github.head_ref }}" --plan'))
    assert "template-injection" in zizmor(tmp_path).stdout


def test_there_is_one_for_tests_proofs_plans_deployments_and_questions() -> None:
    assert [file.stem for file in FILES] == ["deploy", "plan", "prove", "tests", "questions"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_workflow_has_no_right_or_secret_that_it_does_not_need(file: Path) -> None:
    workflow = read(file)
    assert workflow["permissions"] == {}
    assert "secrets." not in file.read_text(encoding="utf-8")
    assert not EVENTS_FOR_STRANGERS & set(workflow["on"])
    for job in workflow["jobs"].values():
        signs_in = any("google-github-actions/auth@" in step.get("uses", "") for step in job["steps"])
        assert job["permissions"] == {"contents": "read"} | ({"id-token": "write"} if signs_in else {})
        assert job["timeout-minutes"]
        assert not signs_in or "environment" in job


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_action_is_pinned_to_its_bytes_and_says_its_version(file: Path) -> None:
    uses = re.findall(r"uses: (.*)", file.read_text(encoding="utf-8"))
    assert uses
    for one in uses:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one), one


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_command_exists_with_its_options(file: Path) -> None:
    runs = [step["run"] for step in steps(file) if "run" in step]
    assert runs
    for script, arguments in re.findall(r"\./(scripts/[\w-]+)([^\n>|]*)", "\n".join(runs)):
        assert os.access(ROOT / script, os.X_OK), script
        options = re.findall(r"--[\w-]+", arguments)
        if options:
            told = subprocess.run([ROOT / script, "--help"], capture_output=True, text=True, timeout=60, check=True)
            assert all(re.search(rf"{option}\b", told.stdout) for option in options), arguments


@pytest.mark.prove
def test_the_archives_of_functions_are_kept_where_they_are_staged(tmp_path: Path) -> None:
    """One of them: all are staged in tests/unit/scripts/test_stage_functions.py."""
    (command,) = (step["run"] for step in steps(FOLDER / "tests.yml") if "stage-functions" in step.get("run", ""))
    staged = ran(f"{command} dead_letter".replace("./scripts/", f"{ROOT}/scripts/"), tmp_path, {})
    assert not staged.returncode, staged.stderr
    (kept,) = (
        step["with"]["path"] for step in steps(FOLDER / "tests.yml") if "upload-artifact" in step.get("uses", "")
    )
    assert [archive.name for archive in tmp_path.glob(kept.splitlines()[0])] == ["dead_letter.zip"]


def stand_in(folder: Path, code: int) -> None:
    """A script that says how it is called, and ends as scripts/deploy may."""
    script = folder / "scripts" / "deploy"
    script.parent.mkdir()
    script.write_text(f'#!/bin/sh\necho "$@"; echo trouble >&2; exit {code}\n')
    script.chmod(0o755)


def ran(run: str, folder: Path, variables: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A step, as GitHub runs it."""
    shell = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", run]
    given = {"PATH": os.environ["PATH"], **variables}
    return subprocess.run(shell, cwd=folder, env=given, capture_output=True, text=True, timeout=60, check=False)


def test_each_month_both_environments_are_deployed_so_that_the_vm_is_patched() -> None:
    workflow = read(FOLDER / "deploy.yml")
    (entry,) = workflow["on"]["schedule"]
    _, _, day, month, weekday = entry["cron"].split()
    assert day.isdecimal() and (month, weekday) == ("*", "*")
    (job,) = workflow["jobs"].values()
    assert "github.event_name == 'schedule' && '[\"dev\", \"prod\"]'" in job["strategy"]["matrix"]["environment"]


@pytest.mark.parametrize(("new", "options"), [("", "--yes"), ("--new-settings", "--yes --new-settings")])
def test_a_deployment_takes_new_settings_only_if_somebody_says_so(new: str, options: str, tmp_path: Path) -> None:
    (step,) = (step for step in steps(FOLDER / "deploy.yml") if step.get("name") == "Deploy")
    assert step["env"]["NEW_SETTINGS"] == "${{ inputs.new_settings && '--new-settings' || '' }}"
    stand_in(tmp_path, 3)
    ended = ran(step["run"], tmp_path, {"ENVIRONMENT": "prod", "NEW_SETTINGS": new})
    assert (ended.returncode, ended.stdout.strip()) == (3, f"prod {options}")


@pytest.mark.parametrize(
    ("event", "deploy", "expected"),
    [
        ("pull_request", 0, 0),
        ("pull_request", 2, 0),
        ("pull_request", 1, 1),
        ("schedule", 0, 0),
        ("schedule", 2, 2),
        ("schedule", 1, 1),
        ("workflow_dispatch", 2, 2),
    ],
)
def test_a_difference_is_drift_at_night_and_not_in_a_pull_request(
    event: str, deploy: int, expected: int, tmp_path: Path
) -> None:
    (step,) = (step for step in steps(FOLDER / "plan.yml") if step.get("name") == "Plan")
    stand_in(tmp_path, deploy)
    summary = tmp_path / "summary.md"
    given = {"ENVIRONMENT": "dev", "EVENT": event}
    assert step["env"].keys() == given.keys()
    ended = ran(step["run"], tmp_path, {**given, "GITHUB_STEP_SUMMARY": str(summary)})
    assert ended.returncode == expected
    assert ended.stdout.splitlines() == ["dev --plan", "trouble"]
    assert "dev --plan\ntrouble" in summary.read_text()
