"""Chunks with their embeddings, and what a search gets from them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk, EmbeddedChunk, Vector
    from ragbase.domain.labels import Labels
    from ragbase.domain.search_filter import SearchFilter


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that may answer a query, its cosine with the query, and the terms by which it is indexed. A store
    gives those of its document's names among them. Search takes these apart as `names` (text/named_terms.py), and adds
    the terms of the `heading` right above the passage."""

    chunk: Chunk
    cosine: float
    terms: str
    names: frozenset[str] = frozenset()
    heading: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """What a store finds for a query: the best chunks by meaning and by words, and the facts to score them.

    `passages` and `average_length` (in terms) describe the whole index, but for hidden chunks and for documents that
    were left out. `frequency` counts the passages that contain each query term. `exhausted` says that a higher limit
    would give no more chunks.
    `nearest` are the nearest chunks of the whole index, if they were asked for.
    """

    hits: Sequence[Hit]
    passages: int
    average_length: float
    frequency: Mapping[str, int]
    exhausted: bool
    nearest: Sequence[Hit] = ()


@dataclass(frozen=True, slots=True, order=True)
class HeldChunk:
    """A chunk that a vector store holds, the document and generation that it belongs to, and the labels that it
    carries; None if it has none."""

    id: str
    document_id: str
    generation: int
    labels: Labels | None = None


class VectorStore(Protocol):
    """One index: chunks with their embeddings. It may hold chunks that search does not show: the records decide which
    generations are active.

    Every method raises IndexGone if the index has been dropped.
    """

    @property
    def longest_search(self) -> timedelta:
        """How long after it has chosen its candidates a search may still read them. Chunks that were shown stay for as
        long: otherwise the search would find neither them nor what has taken their place. Zero if a search sees the
        index as it is at one moment."""
        ...

    def wait_for_searches(self) -> None:
        """Return when every search that began before this call has ended: at once, or after `longest_search`."""
        ...

    @property
    def keeps_labels(self) -> bool:
        """Whether its chunks carry labels. If not, it asks something else for what matches a filter."""
        ...

    def write(self, chunks: Sequence[EmbeddedChunk]) -> None:
        """Insert or replace these chunks by id, all or none, durably. A search finds one that is replaced at every
        moment, as it was or as it is, if its vector stays the same."""
        ...

    def restore(self, chunks: Sequence[EmbeddedChunk]) -> None:
        """Write chunks again that it holds already, so that a search finds them; none of them is missing meanwhile.

        A store that was killed may hold a chunk and have lost it from its own index, and `write` may ignore a chunk
        that has not changed.
        """
        ...

    def read(self, document_id: str, generation: int) -> Sequence[EmbeddedChunk]:
        """The chunks of one generation, by ordinal."""
        ...

    def chunks(self, document_id: str, generation: int, *, first: int, limit: int) -> Sequence[Chunk]:
        """The chunks of one generation, without their vectors: those whose ordinal is at least `first` and below
        `first + limit`, by ordinal."""
        ...

    def embeddings(self, document_id: str) -> Mapping[str, Vector]:
        """All embeddings of the document, of any generation, by text hash."""
        ...

    def hide(self, document_id: str, *, generation: int) -> None:
        """Let no search choose the chunks of this generation any more. A search that has chosen them already can still
        read them. If `longest_search` is zero, they may be removed at once.

        The generation must never be wanted again: if the call takes effect late, it hides what was written since.
        """
        ...

    def delete(self, document_id: str, *, generation: int) -> None:
        """Remove the chunks of one generation."""
        ...

    def delete_chunks(self, ids: Sequence[str]) -> None:
        """Remove the chunks with these ids, as far as they are there, also those that no other method finds: a store
        that was killed may have lost their entries in its own indexes."""
        ...

    def search(
        self,
        vector: Vector,
        terms: Sequence[str],
        limit: int,
        *,
        without: Collection[str] = (),
        within: SearchFilter | None = None,
        nearest: int = 0,
    ) -> Candidates:
        """The `limit` best chunks by cosine and the `limit` best by BM25, merged, each with its cosine. Hidden chunks
        and those of the documents `without` (ids) are none of them.

        With `within`, they are the best of the chunks that may match it. It changes only which chunks are found: all
        other facts stay those of the whole index, so that a chunk has the same score with and without a filter. For the
        same reason, a search with a filter may ask for so many of the `nearest` chunks of the whole index, too. Where
        the filter has a reach, "the whole index" is what may match `within.asked_facts`: nothing tells of any other
        chunk.
        """
        ...

    def held(self, document_ids: Sequence[str]) -> Mapping[str, Mapping[int, int]]:
        """How many chunks a search could find, for each generation of these documents, with the hidden ones. No limit
        cuts the count.

        A document without a chunk is left out.
        """
        ...

    def scan(self, *, after: str = "", limit: int) -> Sequence[HeldChunk]:
        """The next `limit` chunks after the id `after`, by id. If there are fewer than `limit`, they are the last."""
        ...
