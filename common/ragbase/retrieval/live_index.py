"""What search shows: of all the chunks that the vector store holds, those of the documents' active generations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ragbase.domain.document import Document
from ragbase.ports import Candidates, DocumentStore, Hit, VectorStore

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

CANDIDATES = 30
"""How many chunks are asked for by meaning and by words, each, at least; more changed no nDCG@10 (docs/ranking.md)."""
_CANDIDATES_A_RESULT = 3
_WIDER = 4
"""By what factor more are asked for where too few of them can be shown."""
_WIDENINGS = 3
"""How often: 30 become 1,920 at most, where that many are copies of one another or of documents long gone."""
_ROUNDS = 3
"""How often one query searches again after documents that flip meanwhile. It takes two flips within milliseconds of
one another, round after round, to need more."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the store knows of a query, its hits only live ones, and the records of their documents by id."""

    candidates: Candidates
    documents: Mapping[str, Document]


class LiveIndex:
    """Vector store and records, read in this order: first hits, then the records that decide about them.

    One batched read of the records decides for all hits, so a document is shown in one generation, the one active at
    that read. Where a document flipped between the two reads, hits of its generation before come up and are dropped,
    though it was live throughout; so the search is done again. It is enough when the active generation was the same at
    two reads in a row: its chunks were written before it became active and stay while it is, so the search between the
    reads saw them all, and what was dropped is only what nobody has cleared away yet.
    """

    def __init__(self, vectors: VectorStore, documents: DocumentStore) -> None:
        self._vectors = vectors
        self._documents = documents

    def search(self, vector: Vector, terms: Sequence[str], *, wanted: int) -> Found:
        """The live chunks that may answer, at least `wanted` different texts of them where there are so many."""
        limit = max(CANDIDATES, _CANDIDATES_A_RESULT * wanted)
        found = self._search(vector, terms, limit)
        for _ in range(_WIDENINGS):
            hits = found.candidates.hits
            if found.candidates.exhausted or _different_texts(hits, enough=wanted) == wanted:
                break
            limit *= _WIDER
            found = self._search(vector, terms, limit)
        return found

    def _search(self, vector: Vector, terms: Sequence[str], limit: int) -> Found:
        outdated: Mapping[str, int] = {}
        for _ in range(_ROUNDS):
            candidates = self._vectors.search(vector, terms, limit)
            documents = self._documents.get_many(list({hit.chunk.document_id: None for hit in candidates.hits}))
            outdated_before, outdated = outdated, _outdated(candidates.hits, documents)
            if outdated.items() <= outdated_before.items():
                break
        live = [hit for hit in candidates.hits if _is_live(hit, documents)]
        return Found(replace(candidates, hits=live), documents)


def _is_live(hit: Hit, documents: Mapping[str, Document]) -> bool:
    document = documents.get(hit.chunk.document_id)
    return document is not None and document.shows(hit.chunk.generation)


def _outdated(hits: Sequence[Hit], documents: Mapping[str, Document]) -> dict[str, int]:
    """The documents of which an older generation than the active one came up: the active one, by id."""
    active = {id: document.active.generation for id, document in documents.items() if document.active is not None}
    return {
        hit.chunk.document_id: active[hit.chunk.document_id]
        for hit in hits
        if hit.chunk.generation < active.get(hit.chunk.document_id, 0)
    }


def _different_texts(hits: Sequence[Hit], *, enough: int) -> int:
    """How many there are among the hits; no more than `enough` are counted."""
    texts: set[str] = set()
    for hit in hits:
        if len(texts) == enough:
            break
        texts.add(same_text(hit.chunk.text))
    return len(texts)


def same_text(text: str) -> str:
    """What two texts have in common that a reader would call equal: their words, whatever the space between them."""
    return " ".join(text.split())
