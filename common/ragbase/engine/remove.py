"""Delete documents from the bucket, and wait until the pipeline has removed them from the index."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document
from ragbase.engine.lanes import lanes
from ragbase.engine.wait import DocumentWaiter


def remove(documents: Sequence[Document], profile: Profile) -> None:
    """Delete the documents' objects and return once no search shows them and their chunks are gone."""
    if not documents:
        return
    waiter = DocumentWaiter(profile.documents)
    with lanes(profile, waiter.settled):
        for document in documents:
            waiter.expect(document.id, lambda record: record.tombstone)
            profile.bucket.delete(document.name)
        for _ in waiter.rest():
            pass
