"""Documents leave the bucket, and the pipeline takes them out of the index."""

from __future__ import annotations

import queue
from collections.abc import Sequence

from ragbase.bootstrap import Profile
from ragbase.domain.document import Document

_LOOK_AGAIN = 1.0
"""Seconds after which records are read again although nothing was heard: another process may have done the work."""


def remove(documents: Sequence[Document], profile: Profile) -> None:
    """Delete the documents' objects and return once no search shows them and their chunks are gone."""
    if not documents:
        return
    news: queue.SimpleQueue[str] = queue.SimpleQueue()
    with profile.subscriptions(news.put):
        for document in documents:
            profile.bucket.delete(document.name)
        waiting = {document.id for document in documents}
        while waiting:
            try:
                heard = {news.get(timeout=_LOOK_AGAIN)}
            except queue.Empty:
                heard = set(waiting)
            records = profile.documents.get_many(list(waiting & heard))
            waiting -= {id for id, record in records.items() if record.tombstone}
