"""Delete documents from the bucket, and wait until the pipeline has removed them from the index."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document
from ragbase.engine.lanes import lanes
from ragbase.engine.wait import PATIENCE, DocumentWaiter

_DELETERS = 8
"""Objects deleted at once: those that wait for the disk at the same time wait for the same write of it."""


def remove(documents: Sequence[Document], profile: Profile) -> None:
    """Delete the documents' objects and return once no search shows them and their chunks are gone. In a profile whose
    lanes run elsewhere, these remove the chunks afterwards."""
    if not documents:
        return
    waiter = DocumentWaiter(profile.documents)
    for document in documents:
        waiter.expect(document.id, lambda record: _is_gone(record, profile))
    deleters = ThreadPoolExecutor(_DELETERS, thread_name_prefix="delete")
    with lanes(profile, waiter.settled):
        try:
            for _ in deleters.map(profile.bucket.delete, [document.name for document in documents]):
                pass  # the first error is raised
        finally:
            deleters.shutdown(wait=True, cancel_futures=True)
        for _ in waiter.rest():
            pass


def _is_gone(record: Document, profile: Profile) -> bool:
    """A lane removes the chunks after the router has written the tombstone, which hides them. If it cannot do so soon,
    nobody waits for it: `ragbase reconcile` finds what is left."""
    if not record.tombstone or not profile.runs_lanes or profile.clock.now() - record.updated_at > PATIENCE:
        return record.tombstone
    return not profile.open_index().held([(record.name, record.id)]).get(record.id)
