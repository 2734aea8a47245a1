"""Change a record by a transition that removes none."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.document import Document, Transition
    from ragbase.ports import DocumentStore


def update_record(document_id: str, transition: Transition, documents: DocumentStore) -> Document:
    """The record as it is afterwards, changed or not. There has to be one."""
    record = documents.update(document_id, transition).after
    if record is None:
        raise AssertionError("no transition removes a record")
    return record
