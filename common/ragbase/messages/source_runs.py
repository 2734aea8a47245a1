"""What the run of a scheduled source did, as it is kept and shown."""

from __future__ import annotations

from enum import StrEnum

from ragbase.messages.json_model import JsonModel


class RunPhase(StrEnum):
    """UNFINISHED waits for its next slice. FAILED ended before its time; DONE may have files that failed."""

    NEVER = "never ran"
    RUNNING = "running"
    UNFINISHED = "unfinished"
    DONE = "done"
    FAILED = "failed"


class RunCounts(JsonModel):
    """What a run did, in documents. `vanished` ones were kept, because nobody asked to delete them. `left_out` counts
    files that became none."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0
    deleted: int = 0
    vanished: int = 0
    left_out: int = 0
    failed: int = 0

    @property
    def compared(self) -> int:
        """All names that the source or the bucket has."""
        return sum(getattr(self, field) for field in type(self).model_fields)

    def with_some(self, field: str, files: int) -> RunCounts:
        return self.model_copy(update={field: getattr(self, field) + files})
