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
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from ragbase.adapters.backoff import RateLimited, Unreachable
from ragbase.domain.errors import ConfigurationError, NoTurn
from ragbase.ports import Embedder, Embeddings, TextRefused, deadline, work_until
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

    A caller's failure does not affect others. If a text is refused, its caller gets that error, and the texts of the
    others that are not embedded yet are sent together again. If a shared call fails otherwise, the texts of each caller
    are embedded again on their own, and each caller gets its own error. This would not help if the service is away or a
    setting is wrong. Then each caller gets that error. A shared call waits for its turn no longer than the caller with
    the least time; the others then join another call. May be used by several threads at once.
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
        self._largest = embedder.max_batch
        self._patience = patience
        self._gather = gather
        self._crowded = crowded
        self._crowded_patience = crowded_patience
        self._changed = threading.Condition()
        self._open: _Batch | None = None
        self._announced: set[object] = set()
        self._in_work = 0

    @property
    def embedder(self) -> Embedder:
        """The one that makes the calls."""
        return self._embedder

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

        Raises ValueError for more texts than `max_batch` was at first. While they were on their way here, the service
        may have turned out to take fewer; the other embedder then makes several calls.
        """
        if len(texts) > self._largest:
            raise ValueError(
                f"One call takes at most {self._largest} texts, not {len(texts)}. Send them in several calls."
            )
        if not texts:
            return Embeddings([])
        vectors: list[Vector] = []
        billed = 0
        refused: TextRefused | None = None
        for part in self._add(texts):
            try:
                share = self._embedded(part)
            except TextRefused as error:
                if refused is None:
                    refused = TextRefused(error.reason, len(vectors) + error.place, [*vectors, *error.made])
                billed += error.billed_tokens
            else:
                vectors += share.vectors
                billed += share.billed_tokens
        if refused is not None:
            raise TextRefused(refused.reason, refused.place, refused.made, billed)
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
                    most = self.max_batch
                    if self._open is not None and len(self._open.texts) >= most:
                        self._open = None
                    if self._open is None:
                        self._open = opened = _Batch()
                    batch = self._open
                    room = self._largest if batch is opened else most - len(batch.texts)
                    parts.append(batch.add(texts[placed : placed + room]))
                    if len(batch.texts) >= most:
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
                self._send(batch)
        except Exception as error:  # noqa: BLE001 - each caller raises its own error
            batch.error = error

    def _send(self, batch: _Batch) -> None:
        """Embed the texts of all callers. One whose text is refused is left out, and gets that error."""
        waiting = list(range(len(batch.texts)))
        while waiting:
            try:
                answer = self._embedder.embed_documents([batch.texts[place] for place in waiting])
            except TextRefused as error:
                batch.embedded(waiting[: error.place], Embeddings(error.made, error.billed_tokens))
                part = batch.part_of(waiting[error.place])
                part.error, part.refused = error, waiting[error.place] - part.start
                part.billed = error.billed_tokens if error.place == 0 else 0  # for the text that was asked to compare
                waiting = [place for place in waiting[error.place :] if place not in part.places]
            else:
                batch.embedded(waiting, answer)
                return

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
        if crowded and len(batch.parts) < self._in_work:
            return self._crowded_patience
        if self._announced:
            return self._patience
        return self._gather if documents >= _MANY and len(batch.parts) < documents else 0.0

    def _close(self, batch: _Batch) -> None:
        """Release all waiting callers. An interrupted leader leaves no result; then each caller goes on alone."""
        with self._changed:
            if self._open is batch:
                self._open = None
        batch.done.set()

    def _embedded(self, part: _Part) -> Embeddings:
        batch = part.batch
        batch.done.wait()
        if part.error is not None:
            share = part.share(part.refused)
            raise TextRefused(part.error.reason, len(share.vectors), share.vectors, share.billed_tokens)
        if part.is_done:
            return part.share(len(part.texts))
        if batch.error is not None:
            if len(batch.parts) == 1:
                raise batch.error
            if isinstance(batch.error, NoTurn) and deadline() != batch.deadline:
                return self.embed_documents(part.texts)
            if isinstance(batch.error, _SAME_FOR_ALL):
                raise copy.copy(batch.error) from batch.error
        return self._embedder.embed_documents(part.texts)


@dataclass(eq=False, slots=True)
class _Batch:
    """Texts of several callers, the time by which the first of them has to end, and what came of their calls: the
    vectors of texts by their places, and the tokens that were billed for each."""

    texts: list[str] = field(default_factory=list)
    parts: list[_Part] = field(default_factory=list)
    deadline: datetime | None = None
    done: threading.Event = field(default_factory=threading.Event)
    vectors: dict[int, Vector] = field(default_factory=dict)
    billed: dict[int, int] = field(default_factory=dict)
    error: Exception | None = None

    def add(self, texts: Sequence[str]) -> _Part:
        part = _Part(self, texts, len(self.texts))
        self.texts += texts
        self.parts.append(part)
        self.deadline = min(filter(None, (self.deadline, deadline())), default=None)
        return part

    def part_of(self, place: int) -> _Part:
        return next(part for part in self.parts if place in part.places)

    def embedded(self, places: Sequence[int], answer: Embeddings) -> None:
        """Note what was made of the texts at these places. Tokens are divided by the length of the texts."""
        self.vectors.update(zip(places, answer.vectors, strict=True))
        ends = list(accumulate(len(self.texts[place]) + 1 for place in places))  # an empty text costs something too
        # The difference of two rounded sums, so that no token is lost or counted twice by rounding.
        sums = [answer.billed_tokens * end // ends[-1] for end in ends]
        self.billed.update(zip(places, (after - before for before, after in pairwise([0, *sums])), strict=True))


@dataclass(eq=False, slots=True)
class _Part:
    """The texts of one caller in a batch, from position `start` on; the error if one of them is refused, which it is,
    and what was billed that belongs to no text."""

    batch: _Batch
    texts: Sequence[str]
    start: int
    error: TextRefused | None = None
    refused: int = 0
    billed: int = 0

    @property
    def places(self) -> range:
        return range(self.start, self.start + len(self.texts))

    @property
    def is_done(self) -> bool:
        return all(place in self.batch.vectors for place in self.places)

    def share(self, count: int) -> Embeddings:
        """The vectors of the first texts, and what was billed for them."""
        places = self.places[:count]
        return Embeddings(
            [self.batch.vectors[place] for place in places],
            self.billed + sum(self.batch.billed[place] for place in places),
        )
