"""Embedding calls shared by the documents that one instance processes at the same time.

A service bills and limits calls, and most files have far fewer chunks than a call takes. So texts of several documents
are sent together. The first caller opens a batch and waits for others; then its thread makes the call for all. No extra
thread is needed.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.domain.errors import ConfigurationError, NoTurn
from ragbase.ports import Embedder, Embeddings, deadline, work_until
from ragbase.ports.embedder import DelegatingEmbedder

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

_DOCUMENT: ContextVar[object] = ContextVar("document", default=None)
"""What stands for the document that this thread works on. Several threads may embed texts of one document."""

_SAME_FOR_ALL = (NoTurn, RateLimited, Unreachable, ConfigurationError)
"""Errors of a call that have nothing to do with its texts."""
_MANY = 4
"""Documents in work that show a queue behind them: half of what an instance works on (terraform/functions.tf)."""


class SharedBatches(DelegatingEmbedder):
    """Implements the Embedder port with another embedder, in fewer calls.

    A batch is sent when it is full. Before that, it waits up to `patience` seconds for documents that `joining` has
    announced and that have not sent their texts yet. Where many documents are in work, others wait behind them and soon
    take their places: it then waits up to `gather` seconds until as many documents are in it as were in work when it
    was opened. While `crowded` is true, calls have to wait anyway, so few calls have to be enough: a batch then stays
    open for up to `crowded_patience` seconds, unless all documents in work are in it.

    A caller's failure does not affect others: if a shared call fails, the texts of each caller are embedded again on
    their own, and each caller gets its own error. This would not help if the service is away or a setting is wrong.
    Then each caller gets that error. A shared call waits for its turn no longer than the caller with the least time;
    the others then join another call. May be used by several threads at once.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        patience: float = 0.5,
        gather: float = 0.5,
        crowded: Callable[[], bool] = lambda: False,
        crowded_patience: float = 5.0,
    ) -> None:
        super().__init__(embedder)
        self._patience = patience
        self._gather = gather
        self._crowded = crowded
        self._crowded_patience = crowded_patience
        self._changed = threading.Condition()
        self._open: _Batch | None = None
        self._announced: set[object] = set()
        self._in_work = 0

    @contextmanager
    def joining(self) -> Iterator[None]:
        """Announce that this thread is working on a document and will probably embed texts of it, itself or by threads
        that run in its context."""
        document = object()
        token = _DOCUMENT.set(document)
        with self._changed:
            self._announced.add(document)
            self._in_work += 1
        try:
            yield
        finally:
            with self._changed:
                self._in_work -= 1
                self._arrive()
            _DOCUMENT.reset(token)

    def embed_query(self, text: str) -> Vector:
        """Calls at once, because a person is waiting."""
        return self._embedder.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        """Billed tokens are divided by the length of the texts. The callers' shares add up to what was billed.

        Raises ValueError for more than `max_batch` texts.
        """
        if len(texts) > self.max_batch:
            raise ValueError(
                f"One call takes at most {self.max_batch} texts, not {len(texts)}. Send them in several calls."
            )
        if not texts:
            return Embeddings([])
        vectors: list[Vector] = []
        billed = 0
        for part in self._add(texts):
            share = self._embedded(part)
            vectors += share.vectors
            billed += share.billed_tokens
        return Embeddings(vectors, billed)

    def _add(self, texts: Sequence[str]) -> list[_Part]:
        """Put the texts into the open batch, and those that have no room there into a new one.

        A caller that opens a batch sends it before this returns, so that nobody waits for a batch that nobody sends.
        """
        parts: list[_Part] = []
        opened: _Batch | None = None
        try:
            with self._changed:
                while (placed := sum(len(part.texts) for part in parts)) < len(texts):
                    if self._open is None:
                        self._open = opened = _Batch()
                    batch = self._open
                    parts.append(batch.add(texts[placed : placed + self.max_batch - len(batch.texts)]))
                    if len(batch.texts) == self.max_batch:
                        self._open = None
                self._arrive()
            if opened:
                self._lead(opened)
        finally:
            if opened:
                self._close(opened)
        return parts

    def _arrive(self) -> None:
        """Texts of this thread's document have come, or will not come."""
        self._announced.discard(_DOCUMENT.get())
        self._changed.notify_all()

    def _lead(self, batch: _Batch) -> None:
        self._await_others(batch)
        try:
            with work_until(batch.deadline):
                batch.embeddings = self._embedder.embed_documents(batch.texts)
        except Exception as error:  # noqa: BLE001 - each caller raises its own error
            batch.error = error

    def _await_others(self, batch: _Batch) -> None:
        opened = time.monotonic()
        crowded = self._crowded()
        with self._changed:
            documents = self._in_work
            while self._open is batch:
                left = self._patience_with(batch, documents, crowded) - (time.monotonic() - opened)
                if left <= 0:
                    self._open = None
                else:
                    self._changed.wait(left)

    def _patience_with(self, batch: _Batch, documents: int, crowded: bool) -> float:
        """How many seconds the batch may stay open, which was opened with so many documents in work."""
        if crowded and batch.parts < self._in_work:
            return self._crowded_patience
        if self._announced:
            return self._patience
        return self._gather if documents >= _MANY and batch.parts < documents else 0.0

    def _close(self, batch: _Batch) -> None:
        """Release all waiting callers. An interrupted leader leaves no result; then each caller goes on alone."""
        with self._changed:
            if self._open is batch:
                self._open = None
        batch.done.set()

    def _embedded(self, part: _Part) -> Embeddings:
        batch = part.batch
        batch.done.wait()
        if batch.embeddings is not None:
            return part.share(batch.embeddings)
        if batch.error is not None:
            if batch.parts == 1:
                raise batch.error
            if isinstance(batch.error, NoTurn) and deadline() != batch.deadline:
                return self.embed_documents(part.texts)
            if isinstance(batch.error, _SAME_FOR_ALL):
                raise copy.copy(batch.error) from batch.error
        return self._embedder.embed_documents(part.texts)


@dataclass(eq=False, slots=True)
class _Batch:
    """Texts of several callers, the time by which the first of them has to end, and the outcome of their call."""

    texts: list[str] = field(default_factory=list)
    parts: int = 0
    deadline: datetime | None = None
    done: threading.Event = field(default_factory=threading.Event)
    embeddings: Embeddings | None = None
    error: Exception | None = None

    def add(self, texts: Sequence[str]) -> _Part:
        part = _Part(self, texts, len(self.texts))
        self.texts += texts
        self.parts += 1
        self.deadline = min(filter(None, (self.deadline, deadline())), default=None)
        return part


@dataclass(frozen=True, eq=False, slots=True)
class _Part:
    """The texts of one caller in a batch, from position `start` on."""

    batch: _Batch
    texts: Sequence[str]
    start: int

    def share(self, embeddings: Embeddings) -> Embeddings:
        end = self.start + len(self.texts)
        # The difference of two rounded sums, so that no token is lost or counted twice by rounding.
        billed = self._billed_before(end, embeddings) - self._billed_before(self.start, embeddings)
        return Embeddings(embeddings.vectors[self.start : end], billed)

    def _billed_before(self, place: int, embeddings: Embeddings) -> int:
        lengths = [len(text) + 1 for text in self.batch.texts]  # an empty text costs something too
        return embeddings.billed_tokens * sum(lengths[:place]) // sum(lengths)
