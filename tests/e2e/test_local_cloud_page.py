"""docs/local-cloud.md and the lines of README.md on the local cloud, in a shell, on a cloud of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts.local_cloud.process import cache_folder
from scripts.local_cloud.user import eventually
from tests.page_blocks import block_of, blocks_of

pytestmark = pytest.mark.prove

ROOT = Path(__file__).resolve().parents[2]
MINUTES = 5 * 60
BACKUPS = "# Backups\n\nBackups are made every night. They start at half past two and take ten minutes.\n"


class Shell:
    """Its `./scripts/dev` and `ragbase` are those of this checkout, but without their set-up. The data of the cloud are
    in the folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        programs, scripts, cache = folder / "bin", folder / "scripts", folder / "cache" / "ragbase"
        for made in (programs, scripts, cache):
            made.mkdir(parents=True)
        (cache / "servers").symlink_to(cache_folder(""))  # they are built once
        modules = {scripts / "dev": "scripts.local_cloud", programs / "ragbase": "ragbase.interfaces.cli.main"}
        for program, module in modules.items():
            program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m {module} "$@"\n')
            program.chmod(0o755)
        own = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_") or "MODEL" in name}
        self._variables = {
            **own,
            "PATH": ":".join((str(programs), str(Path(sys.executable).parent), os.environ["PATH"])),
            "PYTHONPATH": f"{ROOT / 'common'}:{ROOT}",
            "XDG_CACHE_HOME": str(folder / "cache"),
        }

    def run(self, script: str) -> str:
        """What a script prints that succeeds."""
        ended = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            cwd=self._folder,
            env=self._variables,
            capture_output=True,
            text=True,
            timeout=MINUTES,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout


@pytest.fixture
def shell(tmp_path: Path) -> Iterator[Shell]:
    shell = Shell(tmp_path)
    yield shell
    shell.run("./scripts/dev down")


def test_the_page_leads_to_an_answer_and_a_fault(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "backups.md").write_text(BACKUPS)
    start, use, status, stop = block_of("docs/local-cloud.md", "The local cloud").text.splitlines(keepends=True)
    put, ask = (block.text for block in blocks_of("docs/local-cloud.md", "Put a file in, ask a question"))
    faults = block_of("docs/local-cloud.md", "Faults").text

    shell.run(start)
    assert "weaviate     healthy" in shell.run(use + status)
    assert '"documents"' in shell.run(use + put)
    eventually(lambda: "COMPLETED" in shell.run(use + put.splitlines()[-1]))
    assert "half past two" in shell.run(use + ask)
    assert '"calls"' in shell.run(use + faults)
    shell.run(stop)


def test_the_lines_of_the_readme_put_a_folder_in_and_ask(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "backups.md").write_text(BACKUPS)
    assert "half past two" in shell.run(block_of("README.md", "Two profiles, one code").text)
