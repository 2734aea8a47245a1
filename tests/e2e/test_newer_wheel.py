"""A wheel of a newer commit takes the place of an older one, as pip installs it into an empty environment."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragbase.version import NUMBER
from scripts.locked import locked_environment

pytestmark = [pytest.mark.slow, pytest.mark.prove]

ROOT = Path(__file__).resolve().parents[2]
BUILT = ("pyproject.toml", "README.md", "LICENSE", ".gitattributes", ".git_archival.txt", ".gitignore")
WHO = {f"GIT_{role}_{what}": "a@a" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


@dataclass(frozen=True)
class Built:
    """The wheels of two commits, of which the newer one has changed the package, and its sdist."""

    older: Path
    newer: Path
    sdist: Path


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    source, folder = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("built")
    shutil.copytree(ROOT / "common", source / "common", ignore=shutil.ignore_patterns("__pycache__"))
    for name in BUILT:
        shutil.copy(ROOT / name, source)
    version = source / "common" / "ragbase" / "version.py"
    text = version.read_text(encoding="utf-8")
    version.write_text(text.replace(f'"{NUMBER}"', '"7.1.0.dev0"'), encoding="utf-8")
    run(source, "git", "init", "--quiet")
    for delivered, seconds in (("older", 1_800_000_000), ("newer", 1_800_000_001)):
        (source / "common" / "ragbase" / "delivered.py").write_text(f'NAME = "{delivered}"\n', encoding="utf-8")
        run(source, "git", "add", "--all")
        run(source, "git", "commit", "--quiet", "--message", "x", GIT_COMMITTER_DATE=f"{seconds} +0000")
        build(source, "wheel", folder / delivered)
    build(source, "sdist", folder / "sdist")
    older, newer, sdist = (next((folder / kind).iterdir()) for kind in ("older", "newer", "sdist"))
    return Built(older, newer, sdist)


def build(source: Path, target: str, folder: Path) -> None:
    hatchling = locked_environment("hatchling", "release") / "hatchling"
    run(source, str(hatchling), "build", "--target", target, "--directory", str(folder))


def run(folder: Path, *command: str, **variables: str) -> str:
    """What it printed. It sees no package of this checkout."""
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command, cwd=folder, env={**inherited, **WHO, **variables}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def python(tmp_path: Path) -> str:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    return str(tmp_path / "venv" / "bin" / "python")


def install(python: str, *arguments: str) -> None:
    run(Path("/"), python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", *arguments)


def installed(python: str) -> list[str]:
    """What runs, and its version."""
    program = "import ragbase, ragbase.delivered; print(ragbase.delivered.NAME, ragbase.__version__)"
    return run(Path("/"), python, "-c", program).split()


@pytest.mark.parametrize("options", [(), ("--upgrade",)], ids=["install", "upgrade"])
def test_pip_replaces_the_older_code(built: Built, python: str, options: tuple[str, ...]) -> None:
    install(python, str(built.older))
    assert installed(python) == ["older", built.older.name.split("-")[1]]
    install(python, *options, str(built.newer))
    assert installed(python) == ["newer", built.newer.name.split("-")[1]]


def test_pip_finds_the_newer_one_in_a_folder(built: Built, python: str) -> None:
    folders = [f"--find-links={wheel.parent}" for wheel in (built.newer, built.older)]
    install(python, str(built.older))
    install(python, *folders, "--pre", "--upgrade", "ragbase")
    assert installed(python)[0] == "newer"


def test_the_source_distribution_carries_the_version(built: Built, python: str, tmp_path: Path) -> None:
    """There is no git in it."""
    shutil.unpack_archive(built.sdist, tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()
    build(source, "wheel", tmp_path / "wheel")
    (wheel,) = (tmp_path / "wheel").iterdir()
    assert wheel.name == built.newer.name
    install(python, str(wheel))
    assert installed(python) == ["newer", built.newer.name.split("-")[1]]
