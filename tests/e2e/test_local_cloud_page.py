"""docs/local-cloud.md and the lines of README.md on the local cloud, in a shell, on a cloud of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.local_cloud.process import cache_folder
from scripts.page_blocks import block_of

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
MINUTES = 5 * 60
BACKUPS = "# Backups\n\nBackups are made every night. They start at half past two and take ten minutes.\n"


def follow(script: str, folder: Path) -> str:
    """What a shell prints. Its `./scripts/dev` and `ragbase` are those of this checkout, but without their set-up. The
    data of the cloud are in the folder."""
    programs, scripts, cache = folder / "bin", folder / "scripts", folder / "cache" / "ragbase"
    for made in (programs, scripts, cache):
        made.mkdir(parents=True)
    servers = cache_folder("")
    (cache / servers.name).symlink_to(servers)
    for program, module in (
        (scripts / "dev", "scripts.local_cloud"),
        (programs / "ragbase", "ragbase.interfaces.cli.main"),
    ):
        program.write_text(f'#!/bin/sh\nexec {sys.executable} -P -m {module} "$@"\n')
        program.chmod(0o755)
    paths = (str(programs), str(Path(sys.executable).parent), os.environ["PATH"])
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAGBASE_") or "MODEL" in name}
    places = {"PYTHONPATH": f"{ROOT / 'common'}:{ROOT}", "XDG_CACHE_HOME": str(folder / "cache")}
    ended = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", f"trap './scripts/dev down' EXIT\n{script}"],
        cwd=folder,
        env={**own, **places, "PATH": ":".join(paths)},
        capture_output=True,
        text=True,
        timeout=MINUTES,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_page_leads_to_a_document_and_a_fault(tmp_path: Path) -> None:
    (tmp_path / "backups.md").write_text(BACKUPS)
    *starts, stops = block_of("docs/local-cloud.md", "The local cloud").text.splitlines(keepends=True)
    assert stops.startswith("./scripts/dev down")
    uses = block_of("docs/local-cloud.md", "Put a file in, ask a question").text
    faults = block_of("docs/local-cloud.md", "Faults").text
    printed = follow("".join([*starts, uses, "echo\n", faults, "echo\n", stops]), tmp_path)
    assert "api          healthy" in printed
    assert '"results"' in printed
    assert "rate_limit" in printed


def test_the_lines_of_the_readme_put_a_folder_in_and_ask(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "backups.md").write_text(BACKUPS)
    assert "half past two" in follow(block_of("README.md", "Two profiles, one code").text, tmp_path)
