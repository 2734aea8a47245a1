"""The undeliverable messages that are kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.dead_letter import DeadLetter


@dataclass(frozen=True, slots=True)
class DeadLetterPlace:
    """A dead letter's place in the listing. It stays where it is when the dead letter is gone."""

    last_seen: datetime
    id: str


class DeadLetters(Protocol):
    """Keeps undeliverable messages until they are replayed or discarded."""

    def keep(self, dead_letter: DeadLetter) -> None:
        """Keep it durably. It replaces a dead letter with the same id, and takes over its `first_seen`."""
        ...

    def get(self, id: str) -> DeadLetter | None: ...

    def about(self, document_id: str) -> Sequence[DeadLetter]:
        """All dead letters about a document, the newest first."""
        ...

    def page(self, *, before: DeadLetter | DeadLetterPlace | None = None, limit: int) -> Sequence[DeadLetter]:
        """The next dead letters after `before`, the newest first (by last_seen, then id, both descending)."""
        ...

    def remove(self, dead_letter: DeadLetter) -> bool:
        """Remove it and return whether it was there. It stays if its message has failed again since it was read."""
        ...
