"""The documents that are FAILED now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.domain.document import Document, Status
from ragbase.domain.name_forms import nfc
from ragbase.ports import ListingPlace
from ragbase.sources.brought import is_brought

if TYPE_CHECKING:
    from ragbase.ports import Bucket, DocumentStore
    from ragbase.sources.source_state import SourceState

_PAGE = 500
"""Documents whose records are read together."""


def failed_documents(documents: DocumentStore) -> Iterator[Document]:
    """All of them, the newest first."""
    place: ListingPlace | None = None
    while page := documents.page(status=Status.FAILED, limit=_PAGE, after=place):
        yield from page
        place = ListingPlace(page[-1].created_at, page[-1].id)


def failed_of_sources(
    states: Sequence[SourceState], *, bucket: Bucket, documents: DocumentStore, most: int | None = None
) -> Sequence[Sequence[Document]]:
    """Those that the source of each state has brought, of the newest `most`."""
    opened = [state for state in states if state.address is not None and state.root is not None]
    of_state: dict[int, list[Document]] = {id(state): [] for state in states}
    for record in islice(failed_documents(documents), most) if opened else ():
        near = [state for state in opened if nfc(record.name).startswith(nfc(state.root or ""))]
        stored = bucket.stat(record.name) if near else None
        if stored is None or not record.is_of(stored.generation):
            continue
        for state in near:
            if is_brought(stored, state.address or "", state.root or ""):
                of_state[id(state)].append(record)
    return [of_state[id(state)] for state in states]
