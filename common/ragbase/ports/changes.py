"""The changes of records, for those who follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ragbase.domain.reach import EVERYWHERE, Reach


@dataclass(frozen=True, slots=True)
class ChangedIds:
    """Whose records have changed, in the order of their last changes. With `has_more`, others changed before those,
    and are left out. All changes up to `number` are in `ids`, or are left out."""

    ids: Sequence[str]
    number: int
    has_more: bool


class Changes(Protocol):
    """The order in which records changed last, over all processes.

    Each change gives its record a number, which is higher than that of every change that was seen before it. A record
    has the number of its last change alone, so a record that changes often is one change to those who ask rarely. The
    numbers count or tell the time: who sees them learns of the changes of others. A record that has not changed since
    an older version wrote it has none.
    """

    def latest(self) -> int:
        """The highest number; 0 if there is none. Threads may ask it ten times a second: it is cheap, and may be half a
        second old."""
        ...

    def after(self, number: int, *, tenant: str | None = None, reach: Reach = EVERYWHERE, limit: int) -> ChangedIds:
        """The `limit` documents (of this tenant, within reach) whose records changed last, after this number. A
        tombstone is a change, too. Tenants are those of the DocumentStore port."""
        ...
