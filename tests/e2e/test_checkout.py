"""The command of a checkout, ./scripts/ragbase."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"


@pytest.mark.skipif(Path(sys.prefix) != VENV, reason="the tests run in another environment than ./scripts/test made")
def test_another_home_sets_nothing_up_again(tmp_path: Path) -> None:
    before = _set_up()

    done = subprocess.run(
        [ROOT / "scripts" / "ragbase", "list", "--home", tmp_path / "data"],
        env={**os.environ, "HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert _set_up() == before
    assert not (tmp_path / "home").exists(), "a command that embeds nothing prepares no model"


def _set_up() -> Mapping[str, int]:
    """When each part of the environment was last made."""
    return {str(path): path.stat().st_mtime_ns for path in (VENV, VENV / "bin" / "python", *VENV.glob("ragbase-*"))}
