"""What ragbase has in its data folder, and that nobody else can read it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ragbase.adapters.embedded.audit_log import FILE as AUDIT_LOG
from ragbase.adapters.embedded.private_files import has_other_name, is_exposed, make_folder, tighten
from ragbase.adapters.embedded.upload_key import FILE_NAME as UPLOAD_KEY
from ragbase.domain.errors import ConfigurationError

DATABASE = "ragbase.db"
BUCKET = "bucket"
STAGING = "staging"
UNFINISHED = "unfinished"
SNAPSHOTS = "snapshots"
COPIES = "copies"
"""Of the database, before its format was changed (file_format.py)."""
WORKERS = "workers"
CSV = "csv"
"""A data folder in this one, for the rows of a CSV file (csv_service/csv_knowledge_base.py)."""
_SUFFIXES = ("", "-wal", "-shm", "-journal", "-opening")
_FILES = (*(f"{name}{suffix}" for name in (DATABASE, AUDIT_LOG) for suffix in _SUFFIXES), UPLOAD_KEY)
_FOLDERS = (BUCKET, STAGING, UNFINISHED, SNAPSHOTS, COPIES, WORKERS, CSV)
_OF_THE_USER = ("ragbase.toml", "sources.toml")


def make_private(home: Path) -> list[str]:
    """Make the data folder, or take from others what they may do with an older one. Returns what they can still reach:
    only its owner can change that. Raises ConfigurationError if there can be no such folder.

    All files of a folder are looked at as long as others may enter it. After that, its own mode keeps them out.
    """
    try:
        make_folder(home)
    except OSError as error:
        raise ConfigurationError(
            f"{home} cannot be used as the data folder: {error.strerror}. Choose another one with --home or "
            "RAGBASE_HOME."
        ) from error
    exposed: list[str] = []
    for name in _FOLDERS:
        path = str(home / name)
        if _is_exposed(path):
            found = [one for one in _below(path) if _is_exposed(one, users=name == BUCKET)]
            exposed += [one for one in (*found, path) if not tighten(one)]
    exposed += [path for path in (str(home / name) for name in _FILES) if not tighten(path)]
    exposed += _database_elsewhere(home)
    if not is_shared(home) and not tighten(os.path.realpath(home)):  # the user may name it by a link
        exposed.insert(0, str(home))
    return exposed


def exposed_paths(home: Path) -> list[str]:
    """All of ragbase's files and folders with which other users of this machine may do something, by their modes."""
    found = [path for path in (str(home / name) for name in _FILES) if _is_exposed(path)]
    for name in _FOLDERS:
        path = str(home / name)
        if not os.path.islink(path):  # noqa: PTH114 - a folder elsewhere has the modes that its owner wants
            found += [one for one in (path, *_below(path)) if _is_exposed(one, users=name == BUCKET)]
    found += _database_elsewhere(home)
    if not is_shared(home) and _is_exposed(os.path.realpath(home)):
        found.insert(0, str(home))
    return found


def is_shared(home: Path) -> bool:
    """Whether the folder has more than a data folder has, so that its mode is not ours to change: --home may name a
    project, or somebody's own folder."""
    try:
        return not set(os.listdir(home)) <= {*_FILES, *_FOLDERS, *_OF_THE_USER}  # noqa: PTH208 - names are enough
    except OSError:
        return False


def _database_elsewhere(home: Path) -> list[str]:
    """The file that the database is a link to, if others can reach it. Its mode is for the user to change: in an older
    folder, the link may be somebody else's."""
    path = home / DATABASE
    target = os.path.realpath(path)
    return [target] if path.is_symlink() and _is_exposed(target) else []


def _is_exposed(path: str, *, users: bool = False) -> bool:
    """If it is a file of the user (`users`), the mode of one that has another name is not ours to judge."""
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return is_exposed(status) and not (users and has_other_name(status))


def _below(folder: str) -> Iterator[str]:
    """Everything below the folder, without following a link."""
    for parent, folders, files in os.walk(folder):
        yield from (f"{parent}/{name}" for name in (*folders, *files))
