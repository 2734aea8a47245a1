"""Delete documents from the bucket, and wait until the pipeline has removed them from the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document
from ragbase.engine.lanes import lanes
from ragbase.engine.wait import PATIENCE, DocumentWaiter


def remove(documents: Sequence[Document], profile: Profile) -> None:
    """Delete the documents' objects and return once no search shows them and their chunks are gone. In a profile whose
    lanes run elsewhere, these remove the chunks afterwards."""
    if not documents:
        return
    waiter = DocumentWaiter(profile.documents)
    waiter.expect_all((document.id for document in documents), lambda records: _gone(records, profile))
    with lanes(profile, waiter.settled):
        profile.bucket.delete_many({document.name: None for document in documents})
        for _ in waiter.rest():
            pass


def _gone(records: Sequence[Document], profile: Profile) -> Iterator[Document]:
    """Those that are. A lane removes the chunks after the router has written the tombstone, which hides them. If it
    cannot do so soon, nobody waits for it: `ragbase reconcile` finds what is left."""
    deleted = [record for record in records if record.tombstone]
    held = profile.open_index().held([(one.name, one.id) for one in deleted]) if profile.runs_lanes and deleted else {}
    now = profile.clock.now()
    return (record for record in deleted if not held.get(record.id) or now - record.updated_at > PATIENCE)
