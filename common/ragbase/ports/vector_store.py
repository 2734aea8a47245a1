"""Chunks with their embeddings, and what search is told of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk, EmbeddedChunk, Vector


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that may answer a query: its cosine with the query, and the terms it was indexed under."""

    chunk: Chunk
    cosine: float
    terms: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What a store knows of a query: the best chunks by meaning and by words, and the facts to judge them by.

    `passages` and `average_length` (in terms) describe the whole index, `frequency` counts the passages in which each
    query term stands. `background` is the mean and the standard deviation of the query's cosine over the index, or None
    where the store does not know them. `exhausted` says that no further chunk would come with a higher limit.
    """

    hits: Sequence[Hit]
    passages: int
    average_length: float
    frequency: Mapping[str, int]
    background: tuple[float, float] | None
    exhausted: bool


@dataclass(frozen=True, slots=True, order=True)
class HeldChunk:
    """That a vector store holds a chunk, and whose it is."""

    id: str
    document_id: str
    generation: int


class VectorStore(Protocol):
    """One index: chunks with their embeddings. It may hold some that no search shows: the records decide what is live.

    Every method raises IndexGone where the index has been dropped.
    """

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        """Insert or replace by chunk id, all of them or none, durably."""
        ...

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        """The chunks of one generation, by part and ordinal."""
        ...

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        """Every embedding held for the document, in whatever generation, by text hash."""
        ...

    def delete(self, document_id: str, *, generation: int) -> None:
        """Remove the chunks of one generation."""
        ...

    def delete_older(self, document_id: str, *, than: int) -> None:
        """Remove the chunks of all generations of the document below this one."""
        ...

    def search(self, vector: Vector, terms: Sequence[str], limit: int) -> Candidates:
        """The `limit` chunks nearest by cosine and the `limit` best by BM25, merged, each with its cosine."""
        ...

    def held(self, document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        """How many chunks of each generation a search could find of these documents: all of them, however many.

        A document without a chunk is left out.
        """
        ...

    def scan(self, *, after: str = "", limit: int) -> Sequence[HeldChunk]:
        """The next `limit` chunks by id after the id `after`, without texts and vectors. Fewer are the last."""
        ...
