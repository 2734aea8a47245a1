"""What cannot be run is at least there: bash reads each block of NOT_RUN, with programs that only note how they are
called, and each call is one that the real program takes."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import click
import pytest

from ragbase.config import load_config
from ragbase.interfaces.cli.application import application
from scripts.page_blocks import Block, block_of
from scripts.restoring.__main__ import restore
from scripts.simulation.__main__ import simulate
from tests.docs.not_run import NOT_RUN

ROOT = Path(__file__).resolve().parents[2]
BLOCKS = [block_of(*place) for places in NOT_RUN.values() for place in places]
GCLOUD = shutil.which("gcloud")
CLICK: Mapping[str, click.Command] = {"ragbase": application, "restore": restore, "simulate": simulate}
SOURCES = {
    "chaos": "local_cloud/chaos.py",
    "deploy": "deploy",
    "docs": "site/__main__.py",
    "smoke": "smoke",
    "test": "test",
}
"""Where our other commands read their arguments."""
OF_OTHERS = (
    "cat",
    "cp",
    "curl",
    "date",
    "docker",
    "gcloud",
    "gh",
    "kubectl",
    "kustomize",
    "openssl",
    "sudo",
    "terraform",
    "tr",
)
NOTE = """#!/bin/sh
{ printf '%s\\037' "${0##*/}" "$@"; printf '\\036'; } >> "$CALLS"
"""
SETTING = re.compile(r"\b(RAGBASE_[A-Z_]+)=(\S+)")

Call = tuple[str, Sequence[str]]
"""A program and its arguments."""


def calls(block: Block, folder: Path) -> Sequence[Call]:
    """Which programs the block calls, and how."""
    ours = [file.name for file in (ROOT / "scripts").iterdir() if file.is_file() and not file.suffix]
    for place, programs in (("bin", ["ragbase", *OF_OTHERS]), ("scripts", ours)):
        (folder / place).mkdir()
        for program in programs:
            (folder / place / program).write_text(NOTE)
            (folder / place / program).chmod(0o755)
    (folder / "password.txt").touch()
    (folder / "kubernetes").mkdir()
    noted = folder / "calls"
    ended = subprocess.run(
        ["/bin/bash", "-eo", "pipefail", "-c", block.text.replace("ENV", "dev")],
        cwd=folder,
        env={"PATH": str(folder / "bin"), "CALLS": str(noted)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{block}: {ended.stderr}"
    return [(words[0], words[1:-1]) for call in noted.read_text().split("\036")[:-1] if (words := call.split("\037"))]


def read(command: click.Command, name: str, arguments: Sequence[str], parent: click.Context | None = None) -> None:
    """Read the arguments as the command does, and do nothing. Raises UsageError."""
    context = command.make_context(name, list(arguments), parent)
    if isinstance(command, click.Group):
        word, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None, f"{name} has no command {word}"
        read(found, str(word), rest, context)


@cache
def commands_of_gcloud() -> Any:
    """The Google Cloud CLI keeps all its commands and options in a file, to complete them in a shell."""
    assert GCLOUD
    file = Path(GCLOUD).resolve().parents[1] / "data" / "cli" / "gcloud_completions.py"
    described = importlib.util.spec_from_file_location("gcloud_completions", file)
    assert described and described.loader
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module.STATIC_COMPLETION_CLI_TREE


def read_gcloud(arguments: Sequence[str]) -> None:
    tree = commands_of_gcloud()
    known = set(tree["flags"])
    for word in arguments:
        if word in tree["commands"]:
            tree = tree["commands"][word]
            known |= set(tree["flags"])
    assert not tree["commands"], f"gcloud {' '.join(arguments)}: no such command"
    options = {word.partition("=")[0] for word in arguments if word.startswith("--")}
    assert options <= known, f"gcloud has no {options - known}"


def read_terraform(arguments: Sequence[str]) -> None:
    (place,) = [ROOT / word.removeprefix("-chdir=") for word in arguments if word.startswith("-chdir=")]
    text = "\n".join(file.read_text(encoding="utf-8") for file in place.glob("*.tf"))
    given = [value.partition("=")[0] for option, value in pairwise(arguments) if option == "-var"]
    assert set(given) <= set(re.findall(r'^variable "(\w+)"', text, re.MULTILINE))
    needed = re.findall(r'^variable "(\w+)" {\n(?:(?!^}|^ +default)[^\n]*\n)*^}', text, re.MULTILINE)
    assert "apply" not in arguments or set(needed) <= set(given), f"Terraform asks for {set(needed) - set(given)}"


def check(program: str, arguments: Sequence[str]) -> None:
    """Raises AssertionError or UsageError."""
    if command := CLICK.get(program):
        read(command, program, arguments)
    elif source := SOURCES.get(program):
        text = (ROOT / "scripts" / source).read_text(encoding="utf-8")
        words = [word for word in arguments if re.fullmatch(r"[a-z-]+", word) and word != "dev"]
        assert all(f'"{word}"' in text or f"= {word} " in text for word in words), (program, words)
    elif program == "gcloud":
        read_gcloud(arguments)
    elif program == "terraform":
        read_terraform(arguments)
    elif program == "cp":
        assert (ROOT / arguments[0]).is_file() and (ROOT / arguments[1]).parent.is_dir()
    elif program == "docker":
        secrets = re.findall(r"id=(\w+)", " ".join(arguments))
        assert all(f"id={secret}" in (ROOT / "Dockerfile").read_text(encoding="utf-8") for secret in secrets)
    elif program == "kubectl" and "--kustomize" in arguments:
        assert (ROOT / arguments[-1] / "kustomization.yaml").is_file()


@pytest.mark.skipif(GCLOUD is None, reason="The Google Cloud CLI says which commands it has. Install it.")
@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_each_call_is_one_that_the_program_takes(block: Block, tmp_path: Path) -> None:
    called = calls(block, tmp_path)
    assert called
    for program, arguments in called:
        check(program, arguments)
    load_config(home=tmp_path, environment=dict(SETTING.findall(block.text)))


@pytest.mark.parametrize(
    "call",
    [
        ("ragbase", ["keys", "create", "me", "--scop", "read"]),
        ("ragbase", ["--profile", "gcp", "synch", "gs://a"]),
        ("restore", ["switch", "dev", "--databases", "a"]),
        ("deploy", ["dev", "--plans"]),
        ("gcloud", ["secrets", "versions", "ad", "a"]),
        ("gcloud", ["secrets", "versions", "add", "a", "--data-files=-"]),
        ("terraform", ["-chdir=terraform/ci", "apply", "-var", "projects=a"]),
        ("docker", ["build", "--secret", "id=pipp,src=pip.conf"]),
    ],
    ids=str,
)
def test_a_mistake_in_a_call_is_found(call: Call) -> None:
    with pytest.raises((AssertionError, click.UsageError, SystemExit)):
        check(*call)
