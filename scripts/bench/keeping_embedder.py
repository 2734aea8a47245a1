"""Embedders that embed each passage once in a process: the benches put the same passages into many indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.ports import Embeddings
from ragbase.ports.embedder import DelegatingEmbedder

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector
    from ragbase.ports import Embedder


class PassageKeeper(DelegatingEmbedder):
    """Keeps the vectors of passages. A question is embedded each time, as a bench of queries measures it."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._passages: dict[str, Vector] = {}

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        new = list(dict.fromkeys(text for text in texts if text not in self._passages))
        found = self._embedder.embed_documents(new) if new else Embeddings([])
        self._passages.update(zip(new, found.vectors, strict=True))
        return Embeddings([self._passages[text] for text in texts])


class KeepingEmbedder(PassageKeeper):
    """Keeps the vectors of questions, too."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self._questions: dict[str, Vector] = {}

    def embed_query(self, text: str) -> Vector:
        if text not in self._questions:
            self._questions[text] = super().embed_query(text)
        return self._questions[text]
