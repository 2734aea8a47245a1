"""An embedder that embeds a question once, although it is asked several times in a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragbase.ports.embedder import DelegatingEmbedder

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector
    from ragbase.ports import Embedder


class RememberingEmbedder(DelegatingEmbedder):
    """Keeps the vector of the last question."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._last: tuple[str, Vector] | None = None

    def embed_query(self, text: str) -> Vector:
        last = self._last
        if last is None or last[0] != text:
            self._last = last = (text, self._embedder.embed_query(text))
        return last[1]
