"""A service that embeds, counts and fails, and callers that ask it all at once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager

import numpy as np

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.shared_batches import SharedBatches
from ragbase.domain.errors import ErrorCode, PermanentError, TransientError
from ragbase.ports import Embeddings

FOREVER = 600.0
"""Seconds that no test takes: a batch that waits for this leaves for another reason."""

REFUSED = "refused"
FAULTY = "faulty"


class Service(HashingEmbedder):
    """Embeds up to `max_batch` texts a call, bills each character, and fails calls with a REFUSED or FAULTY text."""

    def __init__(self, max_batch: int = 96) -> None:
        super().__init__(16)
        self._max_batch = max_batch
        self.calls: list[list[str]] = []
        self.billed = 0
        self.error: BaseException | None = None
        self.lock = threading.Lock()

    @property
    def max_batch(self) -> int:
        return self._max_batch

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        assert 0 < len(texts) <= self._max_batch
        with self.lock:
            self.calls.append(list(texts))
            error, self.error = self.error, None
            if error is not None:
                raise error
            if any(REFUSED in text for text in texts):
                raise PermanentError(ErrorCode.INTERNAL_ERROR, "a text was refused")
            if any(FAULTY in text for text in texts):
                raise TransientError("a number was not finite")
            tokens = sum(map(len, texts))
            self.billed += tokens
            return Embeddings(super().embed_documents(texts).vectors, tokens)


def together(
    batches: SharedBatches,
    documents: Sequence[Sequence[str]],
    announced: Callable[[], AbstractContextManager[None]] | None = None,
) -> list[Future[Embeddings]]:
    """Embed each document in a thread of its own, all at once, announced by `announced`, or else by `joining`."""
    if not documents:
        return []
    start = threading.Barrier(len(documents))

    def embed(texts: Sequence[str]) -> Embeddings:
        with (announced or batches.joining)():
            start.wait()
            return batches.embed_documents(texts)

    with ThreadPoolExecutor(len(documents)) as pool:
        return [pool.submit(embed, texts) for texts in documents]


def documents_of(*sizes: int) -> list[list[str]]:
    return [[f"document {document} text {text}" for text in range(size)] for document, size in enumerate(sizes)]


def check(embeddings: Embeddings, texts: Sequence[str]) -> None:
    expected = HashingEmbedder(16).embed_documents(texts).vectors
    assert len(embeddings.vectors) == len(texts)
    np.testing.assert_array_equal(np.array(embeddings.vectors), np.array(expected))
