"""Which documents of a caller have changed. Those of others are not there, as in seen_document.py."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragbase.domain.reach import EVERYWHERE, Reach
from ragbase.domain.tenant import Tenancy

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.ports import Changes, DocumentStore

MOST = 50
"""Documents that are told of at once. A list on a screen shows fewer."""


@dataclass(frozen=True, slots=True)
class ChangedDocuments:
    """`records` are as they are now, tombstones too, in the order of their last changes. With `has_more`, there are
    other changes, which nobody will tell. `number` is where to go on (ports/changes.py)."""

    records: Sequence[Document]
    number: int
    has_more: bool


def changed_documents(
    number: int | None,
    changes: Changes,
    documents: DocumentStore,
    tenancy: Tenancy,
    *,
    tenant: str | None,
    reach: Reach = EVERYWHERE,
) -> ChangedDocuments:
    """What a caller of this tenant and reach sees of the changes after this number; with None, as who sees all.

    Without a number, and with one that no change has had (of a data folder that was put back to an earlier state),
    nobody knows what the caller has seen: there may be other changes."""
    latest = changes.latest()
    if number is None:
        return ChangedDocuments([], latest, has_more=True)
    if number == latest or (tenant and tenancy is Tenancy.NONE):  # then all documents are those of the tenant ""
        return ChangedDocuments([], number, has_more=False)
    asked = tenant if tenancy is Tenancy.FOLDER else None
    changed = changes.after(number, tenant=asked, reach=reach, limit=MOST)
    if changed.number < number:
        return ChangedDocuments([], changed.number, has_more=True)
    records = documents.get_many(changed.ids)
    # Firestore may have removed a tombstone in the meantime.
    return ChangedDocuments([records[id] for id in changed.ids if id in records], changed.number, changed.has_more)
