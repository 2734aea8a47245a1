"""What `ragbase doctor` looks at. Each check tries the thing itself rather than asking for its version."""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from ragbase.bootstrap import open_profile
from ragbase.config import Config
from ragbase.domain.errors import RagbaseError
from ragbase.interfaces.cli.extras import EXTRAS, NEEDED
from ragbase.interfaces.cli.messages import Check

PYTHON = (3, 11)
SQLITE = (3, 35)
"""The first with RETURNING, which the local queue takes its messages by."""

FREE_SPACE = 500
"""MB: a prepared model, and an index of some 50,000 chunks."""


def check_all(load: Callable[[], Config]) -> Iterator[Check]:
    """Every check, in an order in which the first that fails is the one to mend first."""
    yield _python()
    yield _sqlite()
    yield from map(_extra, EXTRAS)
    try:
        config = load()
    except RagbaseError as error:
        yield Check(name="settings", ok=False, needed=True, found="wrong", remedy=str(error))
        return
    yield Check(name="settings", ok=True, needed=True, found="`ragbase config` shows them")
    yield _data_folder(config.home)
    yield _space(config.home)
    yield _embedder(config)


def _python() -> Check:
    wanted = ".".join(map(str, PYTHON))
    return Check(
        name="python",
        ok=sys.version_info >= PYTHON,
        needed=True,
        found=sys.version.split()[0],
        remedy=f"Install Python {wanted} or newer.",
    )


def _sqlite() -> Check:
    wanted = ".".join(map(str, SQLITE))
    return Check(
        name="sqlite",
        ok=sqlite3.sqlite_version_info >= SQLITE,
        needed=True,
        found=sqlite3.sqlite_version,
        remedy=f"Use a Python that is built with SQLite {wanted} or newer.",
    )


def _extra(name: str) -> Check:
    missing = [module for module in EXTRAS[name] if importlib.util.find_spec(module) is None]
    return Check(
        name=f"extra {name}",
        ok=not missing,
        needed=name in NEEDED,
        found=f"without {', '.join(missing)}" if missing else "installed",
        remedy=f"pip install 'ragbase[{name}]'",
    )


def _data_folder(home: Path) -> Check:
    """Write a file where the data is, or would be, and lock it as running processes lock theirs."""
    folder = _existing(home)
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"ragbase")
            file.flush()
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        return Check(
            name="data folder",
            ok=False,
            needed=True,
            found=f"{home}: {error.strerror}",
            remedy="Choose a folder that you may write to, on a local disk, with --home or RAGBASE_HOME.",
        )
    found = str(home) if folder == home else f"{home} (made when it is first used)"
    return Check(name="data folder", ok=True, needed=True, found=found)


def _space(home: Path) -> Check:
    free = shutil.disk_usage(_existing(home)).free // 1_000_000
    return Check(
        name="disk space",
        ok=free >= FREE_SPACE,
        needed=True,
        found=f"{free:,} MB free",
        remedy=f"Free {FREE_SPACE} MB, or choose a data folder on another disk with --home or RAGBASE_HOME.",
    )


def _embedder(config: Config) -> Check:
    """Embed a text: that needs the model, whole and right."""
    profile = open_profile(config)
    try:
        vector = profile.embedder.embed_query("ready")
    except RagbaseError as error:
        return Check(name="embedder", ok=False, needed=True, found=f"{config.embedder} fails", remedy=str(error))
    except ImportError as error:
        return Check(
            name="embedder",
            ok=False,
            needed=True,
            found=f"{config.embedder} fails: {error}",
            remedy="pip install 'ragbase[minilm]'",
        )
    finally:
        profile.close()
    return Check(name="embedder", ok=True, needed=True, found=f"{profile.embedder.model}, {len(vector)} dimensions")


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(path for path in (folder, *folder.parents) if os.access(path, os.F_OK))
