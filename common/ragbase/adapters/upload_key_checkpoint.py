"""The key of the addresses of uploads as a checkpoint, for deployments without a disk of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.access.shared_secret import renew_secret, shared_secret

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints

NAME = "upload-key"


class UploadKeyCheckpoint:
    """Implements the UploadKey port. Who may read the checkpoints has the key."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._checkpoints = checkpoints

    def secret(self) -> str:
        return shared_secret(NAME, self._checkpoints)

    def renew(self) -> None:
        renew_secret(NAME, self._checkpoints)
