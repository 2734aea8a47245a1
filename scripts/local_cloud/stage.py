"""Stage functions as for a deployment."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[1] / "stage-functions"


def stage(folder: Path, names: Sequence[str] = ()) -> list[str]:
    """Stage these functions, or all, into folders of `folder`. Returns their names."""
    command = [sys.executable, str(SCRIPT), str(folder), *names]
    staged = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return [line.split()[0] for line in staged.stdout.splitlines()]
