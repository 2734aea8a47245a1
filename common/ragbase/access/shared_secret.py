"""Secrets that all processes of a deployment share, as checkpoints."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints

_BYTES = 32


def shared_secret(name: str, checkpoints: Checkpoints) -> str:
    """The secret of this name, in hexadecimal digits. The first process that asks draws it."""
    known = checkpoints.load(name) or checkpoints.update(name, lambda others: others or secrets.token_hex(_BYTES))
    if known is None:
        raise AssertionError("the change never returns None")
    return known


def renew_secret(name: str, checkpoints: Checkpoints) -> None:
    """Draw another one."""
    checkpoints.save(name, secrets.token_hex(_BYTES))
