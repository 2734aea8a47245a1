"""The account of gcloud and the one of Terraform. gcloud is a program that answers for a person."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scripts.deployment.accounts import OTHER_CREDENTIALS, note_on_accounts

GCLOUD = """#!/bin/sh
case "$*" in
  "auth list"*) echo me@example.com ;;
  "auth application-default"*) [ -z "$NO_TOKEN" ] || exit 1; echo the-token ;;
esac
"""


@pytest.fixture(autouse=True)
def _gcloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "gcloud"
    program.write_text(GCLOUD)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    for name in OTHER_CREDENTIALS:
        monkeypatch.delenv(name, raising=False)


def test_one_account_is_not_worth_a_word() -> None:
    assert note_on_accounts({"the-token": "me@example.com"}.__getitem__) == ""


def test_two_accounts_are_named() -> None:
    note = note_on_accounts(lambda token: "old@example.com")
    assert note.startswith("Two accounts: gcloud acts as me@example.com, Terraform as old@example.com.")
    assert "gcloud auth application-default login" in note


def test_what_google_does_not_say_is_said() -> None:
    assert "does not say as whom Terraform acts" in note_on_accounts(lambda token: "")


def test_a_terraform_without_an_account_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_TOKEN", "1")
    assert "Terraform has no account yet" in note_on_accounts(lambda token: "me@example.com")


def test_credentials_of_another_kind_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_IMPERSONATE_SERVICE_ACCOUNT", "ci@p.iam.gserviceaccount.com")
    assert note_on_accounts(lambda token: "") == (
        "Terraform acts as GOOGLE_IMPERSONATE_SERVICE_ACCOUNT says, gcloud as me@example.com."
    )
