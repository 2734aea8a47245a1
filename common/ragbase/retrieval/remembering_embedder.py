"""An embedder that embeds a question once, although it is asked several times in a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector
    from ragbase.ports import Embedder, Embeddings


class RememberingEmbedder:
    """Implements the Embedder port with another embedder, and keeps the vector of the last question."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._last: tuple[str, Vector] | None = None

    @property
    def model(self) -> str:
        return self._embedder.model

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def max_batch(self) -> int:
        return self._embedder.max_batch

    @property
    def at_a_time(self) -> int:
        return self._embedder.at_a_time

    def embed_query(self, text: str) -> Vector:
        last = self._last
        if last is None or last[0] != text:
            self._last = last = (text, self._embedder.embed_query(text))
        return last[1]

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return self._embedder.embed_documents(texts)
