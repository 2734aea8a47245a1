"""Delete documents from the bucket, and wait until the pipeline has removed them from the index."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document
from ragbase.engine.lanes import lanes
from ragbase.engine.standstill import LIMIT, Standstill, WaitLimit
from ragbase.engine.wait import PATIENCE, DocumentWaiter, is_in_step, is_settled
from ragbase.pipeline.route import follow_bucket


def remove(
    documents: Sequence[Document], profile: Profile, now: Callable[[], float] = time.monotonic
) -> Sequence[Document]:
    """Delete the documents' objects and return once no search shows them and their chunks are gone. In a profile whose
    lanes run elsewhere, these remove the chunks afterwards.

    Returns those that somebody has uploaded again meanwhile: they were deleted, and are there again. Raises Unavailable
    if the pipeline stands still. `now` counts seconds, and no clock that is put right changes it.
    """
    if not documents:
        return []
    removal = _Removal(documents, profile, now)
    waiter = DocumentWaiter(profile.documents, Standstill(profile, now))
    waiter.expect_all((document.id for document in documents), removal.over)
    with lanes(profile, waiter.settled):
        removed = profile.bucket.delete_many({document.name: None for document in documents})
        removal.deleted |= {(name, stored.generation) for name, stored in removed.items()}
        return [record for record in waiter.rest() if not record.tombstone]


class _Removal:
    """Documents that are being deleted."""

    def __init__(self, documents: Sequence[Document], profile: Profile, now: Callable[[], float]) -> None:
        self.deleted = {(document.name, document.generation) for document in documents}
        self._profile = profile
        self._patience = WaitLimit(PATIENCE.total_seconds(), now)
        self._patience_with_router = WaitLimit(LIMIT, now)

    def over(self, records: Sequence[Document]) -> Iterator[Document]:
        """Those for which nobody waits any longer. A lane removes the chunks after the router has written the
        tombstone, which hides them. If it cannot do so soon, nobody waits for it: `ragbase reconcile` finds what is
        left. Where the lanes run elsewhere, nobody waits for chunks. One that is there again counts when it is settled,
        or if that takes long: somebody may replace it faster than the lanes are."""
        tombstones = [record for record in records if record.tombstone]
        index = self._profile.open_index() if self._profile.runs_lanes and tombstones else None
        held = index.held([(one.name, one.id) for one in tombstones]) if index is not None else {}
        for record in records:
            if record.tombstone:
                is_over = not held.get(record.id)
            elif (record.name, record.generation) in self.deleted:
                self._route_if_late(record)
                continue
            else:
                is_over = is_settled(record) and is_in_step(record, self._profile.bucket)
            if is_over or self._patience.is_over((record.id, record.tombstone)):
                yield record

    def _route_if_late(self, record: Document) -> None:
        """The router has not heard of the deletion yet. It may never do so: its message may be a dead letter."""
        if self._patience_with_router.is_over(record.id):
            follow_bucket(record, self._profile.bucket.stat(record.name), self._profile)
