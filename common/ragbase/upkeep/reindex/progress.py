"""How far a reindex is, and what it did."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ragbase.domain.document import Usage
from ragbase.domain.index import Index


class Phase(StrEnum):
    """Before the switch a reindex builds the new index. After it, the records follow."""

    BUILDING = "building"
    SWITCHING = "switching over"


@dataclass(frozen=True, slots=True)
class ReindexProgress:
    """`done` of `total` documents are in step with the index of this phase; the lanes are working on `waiting`."""

    phase: Phase
    done: int
    total: int
    waiting: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reindexed:
    """`index` is the current one, and `made` says that it is new.

    The current settings cannot make the `refused` documents, which become FAILED with their reasons. `kept` names
    indexes that another reindex is building.
    """

    index: Index | None
    made: bool = False
    documents: int = 0
    chunks: int = 0
    refused: int = 0
    usage: Usage = field(default_factory=Usage)
    dropped: tuple[str, ...] = ()
    kept: tuple[str, ...] = ()
