"""What /api/reconciliation answers. `ragbase reconcile --json` and the janitor answer with the report itself."""

from __future__ import annotations

from datetime import datetime

from ragbase.messages.api.sources import LeftOutFiles
from ragbase.messages.json_model import JsonModel


class Example(JsonModel):
    """A difference that was found. `filename` is the document's name in the bucket. Chunks without a record have
    none."""

    kind: str
    document_id: str
    filename: str | None = None
    found: str
    repaired: bool


class FailedDocument(JsonModel):
    """A document that could not be compared or repaired, with its name in the bucket."""

    document_id: str
    filename: str
    reason: str


class Reconciliation(JsonModel):
    """Counts of documents, except `orphaned` and `unlabelled`, which count chunks, and `shadowed`, which counts objects
    whose names differ from another one's in form only. `left` counts what was found but not repaired, without these.
    `complete` is false if a later call goes on with the comparison. `left_out` are the objects of the bucket that
    become no documents."""

    in_step: int
    in_motion: int
    missing: int
    stale: int
    orphaned: int
    stuck: int
    unlabelled: int
    shadowed: int = 0
    left: int
    complete: bool
    examples: tuple[Example, ...]
    errors: tuple[FailedDocument, ...]
    left_out: tuple[LeftOutFiles, ...] | None = None


class ReconciliationResponse(JsonModel):
    """The report of the last comparison, and when it was made. There is none before the first one."""

    at: datetime | None = None
    report: Reconciliation | None = None
