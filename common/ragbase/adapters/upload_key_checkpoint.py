"""The key of the addresses of uploads as a checkpoint, for deployments without a disk of their own."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints

NAME = "upload-key"
_BYTES = 32


class UploadKeyCheckpoint:
    """Implements the UploadKey port. Who may read the checkpoints has the key."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._checkpoints = checkpoints

    def secret(self) -> str:
        known = self._checkpoints.load(NAME)
        key = known or self._checkpoints.update(NAME, lambda others: others or secrets.token_hex(_BYTES))
        if key is None:
            raise AssertionError("the change never returns None")
        return key

    def renew(self) -> None:
        self._checkpoints.save(NAME, secrets.token_hex(_BYTES))
