"""Documents leave the bucket, and the pipeline takes them out of the index."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.bootstrap import Profile
from ragbase.bootstrap.settling import Settling
from ragbase.domain.document import Document


def remove(documents: Sequence[Document], profile: Profile) -> None:
    """Delete the documents' objects and return once no search shows them and their chunks are gone."""
    if not documents:
        return
    settling = Settling(profile.documents)
    with profile.subscriptions(settling.heard):
        for document in documents:
            settling.expect(document.id, lambda record: record.tombstone)
            profile.bucket.delete(document.name)
        for _ in settling.rest():
            pass
