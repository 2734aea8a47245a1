"""Delete documents from the bucket, and wait until the pipeline has removed them from the index."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document
from ragbase.engine.lanes import lanes
from ragbase.engine.wait import PATIENCE, DocumentWaiter
from ragbase.ports import Clock, OpenIndex


def remove(documents: Sequence[Document], profile: Profile) -> None:
    """Delete the documents' objects and return once no search shows them and their chunks are gone. In a profile whose
    lanes run elsewhere, these remove the chunks afterwards."""
    if not documents:
        return
    waiter = DocumentWaiter(profile.documents)

    def gone(records: Sequence[Document]) -> Iterator[Document]:
        return _gone(records, profile.open_index() if profile.runs_lanes else None, profile.clock)

    waiter.expect_all((document.id for document in documents), gone)
    with lanes(profile, waiter.settled):
        profile.bucket.delete_many({document.name: None for document in documents})
        for _ in waiter.rest():
            pass


def _gone(records: Sequence[Document], index: OpenIndex | None, clock: Clock) -> Iterator[Document]:
    """Those that are. A lane removes the chunks after the router has written the tombstone, which hides them. If it
    cannot do so soon, nobody waits for it: `ragbase reconcile` finds what is left. Where the lanes run
    elsewhere, `index` is None, and nobody waits for chunks."""
    deleted = [record for record in records if record.tombstone]
    held = index.held([(one.name, one.id) for one in deleted]) if index is not None and deleted else {}
    now = clock.now()
    return (record for record in deleted if not held.get(record.id) or now - record.updated_at > PATIENCE)
