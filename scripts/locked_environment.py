"""A tool that needs other versions than we do, in an environment of its own."""

from __future__ import annotations

import re
import subprocess
import venv
from pathlib import Path

from scripts.made_once import made_once

ROOT = Path(__file__).resolve().parents[1]


class NotInstalled(Exception):
    """The tool cannot be installed here. The message says why."""


def locked_environment(tool: str, lock: str) -> Path:
    """The folder with the commands of `tool`, which requirements/LOCK.txt locks. It is made once for each version.
    Raises NotInstalled."""
    requirements = ROOT / "requirements" / f"{lock}.txt"
    found = re.search(rf"^{re.escape(tool)}==(\S+)", requirements.read_text(encoding="utf-8"), re.MULTILINE)
    if found is None:
        raise NotInstalled(f"{requirements} does not lock {tool}.")

    def install(folder: Path) -> None:
        venv.EnvBuilder(with_pip=True, clear=True).create(folder)
        options = ["--quiet", "--require-hashes", "--requirement", str(requirements)]
        ended = subprocess.run(
            [folder / "bin" / "python", "-m", "pip", "install", *options], capture_output=True, text=True, check=False
        )
        if ended.returncode:
            raise NotInstalled(f"{tool} cannot be installed: {ended.stderr.strip()[-500:]}")

    return made_once(f"{tool}-{found[1]}", install) / "bin"
