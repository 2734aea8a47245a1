"""Python packages that .venv lacks, in a folder beside it."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

from scripts.made_once import made_once

ROOT = Path(__file__).resolve().parents[1]


def locked_packages(lock: str) -> Path:
    """The folder of the packages that requirements/LOCK.txt locks. They are installed when it is first asked for. A
    process that imports them has the folder in its PYTHONPATH; what they need of .venv's packages is there."""
    requirements = ROOT / "requirements" / f"{lock}.txt"

    def install(folder: Path) -> None:
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        options = ["--require-hashes", "--no-deps", "--upgrade", "--target", str(folder)]
        subprocess.run([*pip, *options, "--requirement", str(requirements)], check=True)

    return made_once(f"{lock}-{hashlib.sha256(requirements.read_bytes()).hexdigest()[:12]}", install)
