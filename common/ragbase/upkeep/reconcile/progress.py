"""How far a comparison is, and what it has found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from ragbase.domain.left_out import LeftOutFile
from ragbase.upkeep.reconcile.compare import Difference


class Walk(StrEnum):
    WAITING = "waiting"
    """The records that need work and have not changed for long. No other walk follows."""
    NAMES = "names"
    CHUNKS = "chunks"
    TEXTS = "texts"
    PARTS = "parts"
    BOXES = "boxes"


@dataclass(frozen=True, slots=True)
class Place:
    """How far a comparison is: everything up to `after`, a name or the id of a chunk or a document, is done. The chunks
    are those of `tenant`: each tenant of an index that is split has a walk of its own, by name."""

    walk: Walk = Walk.NAMES
    after: str = ""
    tenant: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A difference of a document. The `name` is None for chunks and texts without a record. `repaired` says that
    something was done about it; the lanes may have to finish it."""

    document_id: str
    name: str | None
    difference: Difference
    repaired: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentError:
    """A document that could not be compared or repaired, and why. The others are not affected."""

    document_id: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconcileProgress:
    """What was found on a page. `place` is where to go on after it; None after the last page. `left_out` are the
    objects that become no documents."""

    place: Place | None
    in_step: int = 0
    moving: int = 0
    findings: Sequence[Finding] = ()
    errors: Sequence[DocumentError] = ()
    left_out: Sequence[LeftOutFile] = ()
