"""What a sync did about one name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.left_out import LeftOutFile
from ragbase.ports import StoredObject


class SourceChange(StrEnum):
    """VANISHED is gone from the source, and was kept, as nobody asked to delete it. LEFT_OUT is there, and is not
    taken."""

    UNCHANGED = "unchanged"
    ADDED = "added"
    CHANGED = "changed"
    DELETED = "deleted"
    VANISHED = "vanished"
    LEFT_OUT = "left out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncStep:
    """What became of one name of the bucket. `source` names the entry for people. `stored` is the object there now, or
    the one that was deleted; in a dry run, the one before. `error` says why it FAILED, and `left_out` why it was
    LEFT_OUT."""

    change: SourceChange
    name: str
    source: str
    stored: StoredObject | None = None
    error: str | None = None
    left_out: LeftOutFile | None = None

    @property
    def files(self) -> int:
        """How many files of the source it stands for."""
        return self.left_out.files if self.left_out is not None else 1
