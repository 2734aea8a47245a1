"""The secret that signs the addresses of uploads, where the bucket signs none itself, and seals the ids of changes."""

from __future__ import annotations

from typing import Protocol


class UploadKey(Protocol):
    """All processes of a deployment have the same key."""

    def secret(self) -> str:
        """The key as it is now: another process may have renewed it. If there is none, it is drawn."""
        ...

    def renew(self) -> None:
        """Draw another key. No address that the one before has signed is valid any more, in no process, and
        who follows changes begins again."""
        ...
