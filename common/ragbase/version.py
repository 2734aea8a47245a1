"""Which ragbase this is. The build of the package runs this file too, so it imports nothing of ragbase."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

NUMBER = "0.2.0.dev0"
"""The next release, with `.dev0` until its commit (PEP 440). CONTRIBUTING.md says how to make a release."""

_ARCHIVED = ".git_archival.txt"
"""`git archive` writes its commit into this file (.gitattributes)."""


def current_version() -> str:
    """The version of the code that runs: of its installation, or of the checkout or unpacked source that it is in. A
    function in the cloud is none of these: there it is NUMBER."""
    package = Path(__file__).resolve().parent
    source = package.parent.parent
    if (source / "pyproject.toml").is_file():
        return source_version(source)
    return _installed_version(package.parent) or NUMBER


def source_version(source: Path) -> str:
    """The version of a folder with our source. Before a release it has the time and the hash of the commit, as in
    0.2.0.dev20261127132758+ge937d77e: it grows with each commit, and needs neither tags nor the history. `.modified`
    follows if the checkout has a file that was changed, or a new one, but for those that git ignores. Where nothing
    names the commit, it is NUMBER."""
    if not NUMBER.endswith(".dev0"):
        return NUMBER
    seconds, _, commit = _commit(source).partition(" ")
    if not commit:
        return NUMBER
    time = datetime.fromtimestamp(int(seconds), UTC)
    return f"{NUMBER.removesuffix('0')}{time:%Y%m%d%H%M%S}+g{commit}"


def _commit(source: Path) -> str:
    """The seconds since 1970 and the short hash of a commit; empty if nobody knows it."""
    if (source / ".git").exists():
        seconds, _, commit = _git(source, "rev-list", "--max-count=1", "--timestamp", "HEAD").partition(" ")
        # A new file is in the wheel, too.
        modified = ".modified" if commit and _git(source, "status", "--porcelain", "--untracked-files=normal") else ""
        return f"{seconds} {commit[:8]}{modified}" if commit else ""
    try:
        seconds, _, commit = (source / _ARCHIVED).read_text(encoding="ascii").strip().partition(" ")
    except OSError:
        return ""
    return f"{seconds} {commit[:8]}" if seconds.isdecimal() else ""


def _git(source: Path, *arguments: str) -> str:
    """What git prints; empty without git, or if it refuses the folder. In a hook, variables name another repository."""
    place = ["--no-optional-locks", f"--git-dir={source / '.git'}", f"--work-tree={source}"]
    try:
        ended = subprocess.run(  # noqa: S603 - our own arguments
            ["git", *place, *arguments],  # noqa: S607 - the user's git, wherever it is
            cwd=source,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return ended.stdout.strip()


def _installed_version(folder: Path) -> str | None:
    """What the installer wrote beside the package. Another ragbase may be installed elsewhere on the path."""
    from importlib.metadata import distributions  # what only imports ragbase does not need it

    return next((found.version for found in distributions(name="ragbase", path=[str(folder)])), None)
