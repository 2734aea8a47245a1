"""What other users of this machine can read of ragbase, and how to change that."""

from __future__ import annotations

import os
import pwd
import shlex
from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from ragbase.config import FILE_NAME
from ragbase.interfaces.cli.screen import counted, visible
from ragbase.settings import Config

_NAMED = 5
"""Paths that a message names."""
_OTHERS = 0o077


def exposed_message(paths: Sequence[str], home: Path) -> str:
    """Names the paths, which are in the data folder, the rule and the remedy."""
    named = " ".join(map(_shown, paths[:_NAMED]))
    more = f" and {counted(len(paths) - _NAMED, 'other path')}" if len(paths) > _NAMED else ""
    folders = [str(home)] if str(home) in paths else dict.fromkeys(_part_of(home, path) for path in paths)
    which = " ".join(map(_shown, folders))
    found = f"Other users of this machine can reach {named}{more}. The data folder is for one user."
    owner, me = _owner(paths[0]), os.geteuid()
    if me in (owner, 0):
        return f"{found} As {_name(owner)}, run: chmod -R go= {which}"
    return (
        f"{found} It belongs to {_name(owner)}. Choose a folder of your own with --home or RAGBASE_HOME, or run as an "
        f"administrator: chown -R {_name(me)} {which}"
    )


def _part_of(home: Path, path: str) -> str:
    """The file or folder of the data folder that the path is in, or the path itself if that is elsewhere."""
    parts = Path(path).relative_to(home).parts if Path(path).is_relative_to(home) else ()
    return str(home / parts[0]) if parts else path


def _shown(path: str) -> str:
    return visible(shlex.quote(path))


def exposed_secrets(config: Config) -> str | None:
    """Says that others can read a file of settings that has secrets; None if that is not so."""
    file = config.home / FILE_NAME
    secrets = [
        name
        for name in Config.model_fields
        if isinstance(getattr(config, name), SecretStr) and config.origin(name) == str(file)
    ]
    if not secrets or not _mode(file) & _OTHERS:
        return None
    path = _shown(str(file))
    return f"Other users of this machine may read {path}, which has {', '.join(secrets)}. Run: chmod 600 {path}"


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _owner(path: str) -> int | None:
    try:
        return os.lstat(path).st_uid
    except OSError:  # it is gone
        return None


def _name(user: int | None) -> str:
    try:
        return pwd.getpwuid(user).pw_name if user is not None else "its owner"
    except KeyError:  # a user without a name here
        return str(user)
