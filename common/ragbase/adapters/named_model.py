"""A model of which only the name is needed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from ragbase.ports import Embeddings


class NamedModel:
    """Implements the Embedder port for a process that embeds nothing, such as the janitor. It needs no key."""

    max_batch = 1
    at_a_time = 1

    def __init__(self, model: str, dimension: int) -> None:
        self.model = model
        self.dimension = dimension

    def embed_query(self, text: str) -> NoReturn:
        raise TypeError("This process embeds nothing.")

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        raise TypeError("This process embeds nothing.")
