"""Which programs a text for a shell calls, without running them, and whether the real ones take these calls."""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import click

from ragbase.interfaces.cli.application import application
from scripts.local_cloud.__main__ import dev
from scripts.restoring.__main__ import restore
from tests.simulated_world.__main__ import simulate

ROOT = Path(__file__).resolve().parents[2]
GCLOUD = shutil.which("gcloud")
CLICK: Mapping[str, click.Command] = {
    "dev": dev,
    "ragbase": application,
    "restore": restore,
    "simulate": simulate,
}
OF_OTHERS = (
    "cat",
    "cp",
    "curl",
    "date",
    "docker",
    "gcloud",
    "gh",
    "go",
    "gunzip",
    "head",
    "kubectl",
    "kustomize",
    "mypy",
    "npm",
    "openssl",
    "pip",
    "python",
    "sudo",
    "systemd-analyze",
    "terraform",
    "tr",
)
NOTE = """#!/bin/sh
name=${0##*scripts/}
{ printf '%s\\037' "${name##*/bin/}" "$@"; printf '\\036'; } >> "$CALLS"
"""
USES = re.compile(r"^(?:run|from|PYTHONPATH=.* -m) ((?:scripts|tests)[\w.]*)", re.MULTILINE)
"""How a script says which module it runs, and a module which others it has."""

Call = tuple[str, Sequence[str]]
"""A program and its arguments."""


def calls(text: str, folder: Path) -> Sequence[Call]:
    """Which programs bash calls for this text, and how. Raises AssertionError if it cannot read it."""
    ours = [file for file in (ROOT / "scripts").rglob("*") if file.is_file() and not file.suffix]
    programs = [folder / file.relative_to(ROOT) for file in ours]
    programs += [folder / "bin" / program for program in ("ragbase", *OF_OTHERS)]
    for program in programs:
        if program.exists():
            break  # they are all there, from another text
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(NOTE)
        program.chmod(0o755)
    (folder / "password.txt").touch()
    (folder / "kubernetes").mkdir(exist_ok=True)
    noted = folder / "calls"
    noted.write_text("")
    ended = subprocess.run(
        ["/bin/bash", "-eo", "pipefail", "-c", text.replace("ENV", "dev")],
        cwd=folder,
        env={"PATH": str(folder / "bin"), "CALLS": str(noted)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{text}: {ended.stderr}"
    return [(words[0], words[1:-1]) for call in noted.read_text().split("\036")[:-1] if (words := call.split("\037"))]


def check(program: str, arguments: Sequence[str]) -> None:
    """Raises AssertionError or UsageError if the program does not take this call."""
    if command := CLICK.get(program):
        _read(command, program, arguments)
    elif (ROOT / "scripts" / program).is_file():
        text = _source(program)
        words = [word for word in arguments if re.fullmatch(r"[a-z-]+", word) and word not in ("dev", "--help")]
        assert all(f'"{word}"' in text or f"= {word} " in text for word in words), (program, words)
    elif program == "gcloud":
        _read_gcloud(arguments)
    elif program == "terraform":
        _read_terraform(arguments)
    elif program == "pip":
        named = {extra for word in arguments for extras in re.findall(r"\[(.*)\]", word) for extra in extras.split(",")}
        assert named <= _extras(), f"There is no extra {named - _extras()}."
    elif program == "python" and arguments[:1] == ["-m"]:
        assert arguments[1].isupper() or importlib.util.find_spec(arguments[1]), f"There is no module {arguments[1]}."
    elif program == "cp":
        assert (ROOT / arguments[0]).is_file() and (ROOT / arguments[1]).parent.is_dir()
    elif program == "docker":
        secrets = re.findall(r"id=(\w+)", " ".join(arguments))
        assert all(f"id={secret}" in (ROOT / "Dockerfile").read_text(encoding="utf-8") for secret in secrets)
    elif program == "kubectl" and "--kustomize" in arguments:
        assert (ROOT / arguments[-1] / "kustomization.yaml").is_file()


def _read(command: click.Command, name: str, arguments: Sequence[str], parent: click.Context | None = None) -> None:
    """Read the arguments as the command does, and do nothing. Raises UsageError."""
    context = command.make_context(name, list(arguments), parent)
    if isinstance(command, click.Group):
        word, found, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert found is not None, f"{name} has no command {word}"
        _read(found, str(word), rest, context)


@cache
def _source(script: str) -> str:
    """The code that reads the arguments of one of our commands: its own, and of the modules that it uses itself."""
    text = (ROOT / "scripts" / script).read_text(encoding="utf-8")
    for _ in ("the script", "its module"):
        text += "".join(
            file.read_text(encoding="utf-8")
            for place in (ROOT / module.replace(".", "/") for module in set(USES.findall(text)))
            for file in (sorted(place.glob("*.py")) or [place.with_suffix(".py")])
        )
    return text


@cache
def _extras() -> frozenset[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return frozenset(project["optional-dependencies"])


@cache
def _commands_of_gcloud() -> Any:
    """The Google Cloud CLI keeps all its commands and options in a file, to complete them in a shell."""
    assert GCLOUD
    file = Path(GCLOUD).resolve().parents[1] / "data" / "cli" / "gcloud_completions.py"
    described = importlib.util.spec_from_file_location("gcloud_completions", file)
    assert described and described.loader
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module.STATIC_COMPLETION_CLI_TREE


def _read_gcloud(arguments: Sequence[str]) -> None:
    tree = _commands_of_gcloud()
    known = set(tree["flags"])
    for word in arguments:
        if word in tree["commands"]:
            tree = tree["commands"][word]
            known |= set(tree["flags"])
    assert not tree["commands"], f"gcloud {' '.join(arguments)}: no such command"
    options = {word.partition("=")[0] for word in arguments if word.startswith("--")}
    assert options <= known, f"gcloud has no {options - known}"


def _read_terraform(arguments: Sequence[str]) -> None:
    text = "\n".join(
        file.read_text(encoding="utf-8")
        for word in arguments
        if word.startswith("-chdir=")
        for file in (ROOT / word.removeprefix("-chdir=")).glob("*.tf")
    )
    given = [value.partition("=")[0] for option, value in pairwise(arguments) if option == "-var"]
    assert set(given) <= set(re.findall(r'^variable "(\w+)"', text, re.MULTILINE))
    needed = re.findall(r'^variable "(\w+)" {\n(?:(?!^}|^ +default)[^\n]*\n)*^}', text, re.MULTILINE)
    assert "apply" not in arguments or set(needed) <= set(given), f"Terraform asks for {set(needed) - set(given)}"
    if text and "output" in arguments:
        asked = [word for word in arguments[arguments.index("output") + 1 :] if not word.startswith("-")]
        assert set(asked) <= set(re.findall(r'^output "(\w+)"', text, re.MULTILINE)), f"no output {asked}"
