"""What the queues gave up on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.dead_letter import DeadLetter


class DeadLetters(Protocol):
    """What the queues gave up on, until it is replayed or discarded."""

    def keep(self, letter: DeadLetter) -> None:
        """Keep it durably. In the place of a letter of the same id, it has that one's `first_seen`."""
        ...

    def get(self, id: str) -> DeadLetter | None: ...

    def about(self, document_id: str) -> Sequence[DeadLetter]:
        """All letters about a document, the newest first."""
        ...

    def page(self, *, before: DeadLetter | None = None, limit: int) -> Sequence[DeadLetter]:
        """The newest letters (by last_seen, then id, both descending) that come after `before` in that order."""
        ...

    def remove(self, letter: DeadLetter) -> bool:
        """Forget the letter and tell whether it was there. One that has come again since it was read stays."""
        ...
