"""What other users of this machine can read of ragbase, and how to change that."""

from __future__ import annotations

import os
import pwd
import shlex
from collections.abc import Sequence
from pathlib import Path

from pydantic import SecretStr

from ragbase.config import FILE_NAME, Config
from ragbase.interfaces.cli.screen import counted, visible

_NAMED = 5
"""Paths that a message names."""
_OTHERS = 0o077


def exposed_message(paths: Sequence[str]) -> str:
    """Names the paths, the rule and the remedy."""
    named = " ".join(visible(shlex.quote(path)) for path in paths[:_NAMED])
    more = f", and {counted(len(paths) - _NAMED, 'other path')}" if len(paths) > _NAMED else ""
    return (
        f"Other users of this machine can reach {named}{more}. The data folder is for one user. As {_owner(paths[0])}, "
        f"run: chmod go= {named}{' …' if more else ''}"
    )


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
    path = visible(shlex.quote(str(file)))
    return f"Other users of this machine may read {path}, which has {', '.join(secrets)}. Run: chmod 600 {path}"


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode
    except OSError:
        return 0


def _owner(path: str) -> str:
    try:
        return pwd.getpwuid(os.lstat(path).st_uid).pw_name
    except (OSError, KeyError):  # it is gone, or its user has no name here
        return "their owner"
