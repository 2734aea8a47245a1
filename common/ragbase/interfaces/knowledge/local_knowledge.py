"""The documents of a profile whose lanes run in this process."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.engine.lanes import lanes
from ragbase.engine.remove import remove
from ragbase.engine.retry import retry_document
from ragbase.engine.standstill import Standstill
from ragbase.engine.wait import DocumentWaiter
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
from ragbase.interfaces.wire.documents import document_status
from ragbase.messages.api.documents import DocumentStatusResponse


class LocalKnowledge(ProfileKnowledge):
    """Commands have it. No function does, so that a function which answers questions ships no lane."""

    def delete(self, ids: Sequence[str]) -> Sequence[str]:
        """Run the lanes until the index has nothing of the documents."""
        return [record.source for record in remove(self._seen_of(ids), self._profile)]

    def retry(self, id: str) -> DocumentStatusResponse:
        """Run the lanes until the document has settled."""
        waiter = DocumentWaiter(self._profile.documents, Standstill(self._profile))
        with lanes(self._profile, waiter.settled):
            record = retry_document(self._seen(id), self._profile)
            if record.needs_work:
                waiter.expect(id)
                (record,) = waiter.rest()
        return document_status(record, with_history=True)
