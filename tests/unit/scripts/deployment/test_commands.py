"""The lock file of the provider. Terraform is a program that writes it as `terraform init` does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scripts.deployment.commands import LOCK_FILE, Terraform

TERRAFORM = """#!/bin/sh
# The first argument is -chdir=FOLDER.
folder=${1#-chdir=}
printf '%s\\n' "$*" >> "$PLACE/asked"
[ -z "$SAYS" ] || printf '{"type": "diagnostic", "diagnostic": {"severity": "%s", "summary": "Old backend"}}\n' "$SAYS"
[ "$SAYS" != error ] || exit 1
[ -e "$folder/.terraform.lock.hcl" ] || echo 'version = "7.46.1"' > "$folder/.terraform.lock.hcl"
"""


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "terraform"
    program.write_text(TERRAFORM)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PLACE", str(tmp_path))
    folder = tmp_path / "dev"
    folder.mkdir()
    return folder


def test_the_first_use_writes_the_lock_file_and_says_to_commit_it(
    environment: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Terraform(environment, environment / "plan").initialise("state")
    assert (environment / LOCK_FILE).exists()
    assert "readonly" not in (environment.parent / "asked").read_text()
    assert f"{LOCK_FILE}: commit it" in capsys.readouterr().out


def test_later_uses_take_no_other_provider(environment: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (environment / LOCK_FILE).write_text('version = "7.46.1"')
    Terraform(environment, environment / "plan").initialise("state")
    assert "-lockfile=readonly" in (environment.parent / "asked").read_text()
    assert capsys.readouterr().out == ""


def test_a_warning_of_the_first_command_is_shown(
    environment: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SAYS", "warning")
    Terraform(environment, environment / "plan").initialise("state")
    assert capsys.readouterr().out.startswith("Warning: Old backend\n")


def test_an_error_is_shown_in_words(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SAYS", "error")
    with pytest.raises(SystemExit) as ended:
        Terraform(environment, environment / "plan").initialise("state")
    assert ended.value.code == "Error: Old backend\nterraform init failed: nothing was changed."
