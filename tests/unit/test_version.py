"""The version follows what is delivered: it names the commit, wherever the source comes from."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragbase.version import NUMBER

ROOT = Path(__file__).resolve().parents[2]
DEVELOPED = "0.3.0.dev0"
FIRST, SECOND = 1_800_000_000, 1_800_000_060
"""When the commits are made: at 08:00:00 and 08:01:00 UTC on 15 January 2027."""


@dataclass(frozen=True)
class Source:
    """A small checkout: the package says which version it is, and has nothing else."""

    folder: Path

    def git(self, *arguments: str, seconds: int = FIRST) -> str:
        who = {f"GIT_{role}_{what}": "a@a" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        when = {f"GIT_{role}_DATE": f"{seconds} +0000" for role in ("AUTHOR", "COMMITTER")}
        command = ["git", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env={**os.environ, **who, **when}, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def commit(self, seconds: int) -> str:
        """The short hash."""
        (self.folder / "changed").write_text(str(seconds), encoding="ascii")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "changed", seconds=seconds)
        return self.git("rev-parse", "HEAD")[:8]


def version_of(packages: Path, **variables: str) -> str:
    """What `ragbase` says in the folder `packages`."""
    return printed(packages, "import ragbase; print(ragbase.__version__)", **variables)


def printed(packages: Path, program: str, **variables: str) -> str:
    environment = {**os.environ, **variables, "PYTHONPATH": str(packages), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-P", "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.strip()


def make_source(folder: Path, number: str = DEVELOPED) -> Source:
    package = folder / "common" / "ragbase"
    package.mkdir(parents=True)
    for name in ("pyproject.toml", ".gitattributes", ".git_archival.txt"):
        shutil.copy(ROOT / name, folder)
    shutil.copy(ROOT / "common" / "ragbase" / "__init__.py", package)
    text = (ROOT / "common" / "ragbase" / "version.py").read_text(encoding="utf-8")
    (package / "version.py").write_text(text.replace(f'"{NUMBER}"', f'"{number}"'), encoding="utf-8")
    source = Source(folder)
    source.git("init", "--quiet")
    return source


@pytest.fixture
def source(tmp_path: Path) -> Source:
    return make_source(tmp_path / "source")


def test_it_grows_with_each_commit_and_names_it(source: Source) -> None:
    first = source.commit(FIRST)
    assert version_of(source.folder / "common") == f"0.3.0.dev20270115080000+g{first}"
    second = source.commit(SECOND)
    assert version_of(source.folder / "common") == f"0.3.0.dev20270115080100+g{second}"


def test_a_changed_file_is_said(source: Source) -> None:
    commit = source.commit(FIRST)
    (source.folder / "changed").write_text("again", encoding="ascii")
    assert version_of(source.folder / "common") == f"0.3.0.dev20270115080000+g{commit}.modified"


def test_a_new_file_is_said_unless_git_ignores_it(source: Source) -> None:
    (source.folder / ".gitignore").write_text("ignored.py\n", encoding="ascii")
    commit = source.commit(FIRST)
    package = source.folder / "common" / "ragbase"
    (package / "ignored.py").touch()
    assert version_of(source.folder / "common") == f"0.3.0.dev20270115080000+g{commit}"
    (package / "new.py").touch()
    assert version_of(source.folder / "common") == f"0.3.0.dev20270115080000+g{commit}.modified"


def test_a_release_is_its_number_alone(tmp_path: Path) -> None:
    source = make_source(tmp_path / "source", "0.3.0")
    source.commit(FIRST)
    assert version_of(source.folder / "common") == "0.3.0"


def test_an_archive_and_a_shallow_clone_have_the_version_of_their_commit(source: Source, tmp_path: Path) -> None:
    source.commit(FIRST)
    commit = source.commit(SECOND)
    expected = f"0.3.0.dev20270115080100+g{commit}"
    (tmp_path / "archive").mkdir()
    source.git("archive", "--output", str(tmp_path / "archive.tar"), "HEAD")
    shutil.unpack_archive(tmp_path / "archive.tar", tmp_path / "archive", filter="data")
    source.git("clone", "--quiet", "--depth", "1", source.folder.as_uri(), str(tmp_path / "shallow"))
    assert version_of(tmp_path / "archive" / "common") == expected
    assert version_of(tmp_path / "shallow" / "common") == expected


def test_a_hook_of_another_repository_does_not_lend_its_commit(source: Source, tmp_path: Path) -> None:
    commit = source.commit(FIRST)
    other = make_source(tmp_path / "other")
    other.commit(SECOND)
    hooked = version_of(source.folder / "common", GIT_DIR=str(other.folder / ".git"), GIT_WORK_TREE=str(other.folder))
    assert hooked == f"0.3.0.dev20270115080000+g{commit}"


def test_where_nothing_names_the_commit_it_is_the_number(source: Source, tmp_path: Path) -> None:
    source.commit(FIRST)
    assert version_of(source.folder / "common", PATH=str(tmp_path)) == DEVELOPED, "there is no git"
    (source.folder / "vendored").mkdir()
    shutil.copytree(source.folder / "common", source.folder / "vendored" / "common")
    shutil.copy(source.folder / "pyproject.toml", source.folder / "vendored")
    assert version_of(source.folder / "vendored" / "common") == DEVELOPED, "the commit is that of another project"
    shutil.copytree(source.folder / "common" / "ragbase", tmp_path / "function" / "ragbase")
    assert version_of(tmp_path / "function") == DEVELOPED, "a function is neither a checkout nor installed"


def test_an_installation_has_the_version_that_the_installer_noted(source: Source, tmp_path: Path) -> None:
    """It does not take that of another ragbase on the path."""
    shutil.copytree(source.folder / "common" / "ragbase", tmp_path / "packages" / "ragbase")
    other = tmp_path / "other" / "ragbase-9.9.9.dist-info"
    other.mkdir(parents=True)
    (other / "METADATA").write_text("Metadata-Version: 2.4\nName: ragbase\nVersion: 9.9.9\n", encoding="ascii")
    program = f"import sys; sys.path.append({str(other.parent)!r}); import ragbase; print(ragbase.__version__)"
    assert printed(tmp_path / "packages", program) == DEVELOPED
    own = tmp_path / "packages" / "ragbase-0.3.0.dist-info"
    own.mkdir()
    (own / "METADATA").write_text("Metadata-Version: 2.4\nName: ragbase\nVersion: 0.3.0\n", encoding="ascii")
    assert printed(tmp_path / "packages", program) == "0.3.0"


def test_nobody_starts_git_who_does_not_ask(source: Source, tmp_path: Path) -> None:
    (tmp_path / "git").write_text(f"#!/bin/sh\ntouch {tmp_path}/asked\n", encoding="ascii")
    (tmp_path / "git").chmod(0o755)
    source.commit(FIRST)
    path = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(source.folder / "common")}
    subprocess.run([sys.executable, "-P", "-c", "import ragbase"], env=path, check=True)
    assert not (tmp_path / "asked").exists()
    version_of(source.folder / "common", PATH=path["PATH"])
    assert (tmp_path / "asked").exists()


def test_the_number_is_a_release_or_what_comes_before_it() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(\.dev0)?", NUMBER)
