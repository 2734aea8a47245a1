"""What search shows: of all chunks in the vector store, those of the documents' active generations."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from ragbase.domain.document import Document
from ragbase.domain.errors import IndexGone
from ragbase.ports import Candidates, Hit, VectorStore
from ragbase.retrieval.overlap import Shown, text_of
from ragbase.retrieval.same_text import grouped_by_text, most_alike, same_text

if TYPE_CHECKING:
    from ragbase.domain.chunk import Chunk, Vector
    from ragbase.domain.search_filter import SearchFilter

CANDIDATES = 30
"""A search reads at least this many chunks by meaning, and this many by words. More changed no nDCG@10
(docs/ranking.md)."""
_CANDIDATES_A_RESULT = 3
_WIDER = 4
"""How many times more are read if too few of them can be shown."""
_WIDENINGS = 3
"""How often: 30 become at most 1,920, if so many are copies of each other or stale chunks."""
_SEARCHES = 20
"""How often one question may search. Each search finds, and leaves out in the next one, up to 1,920 chunks of documents
that show nothing."""
_ROUNDS = 4
"""How often one query searches while documents flip: once more for chunks that were replaced before it began, and are
not hidden yet, and once more for each of two flips. More would help only if a document flipped in every round."""


def candidates_for(wanted: int) -> int:
    """How many chunks a search for this many results reads by meaning, and as many by words."""
    return max(CANDIDATES, _CANDIDATES_A_RESULT * wanted)


class Records(Protocol):
    """What search reads of the documents: a DocumentStore has more."""

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        """As DocumentStore.get_many."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """What the store finds for a query, with hits on active chunks only, and the records of their documents by id."""

    candidates: Candidates
    documents: Mapping[str, Document]


class ActiveChunks:
    """Searches the vector store, then reads the records, which decide which hits are shown.

    One batched read of the records decides for all hits. So a document is shown in one generation: the one that is
    active at that read. If a document flips between the search and the read, its hits are of the generation before and
    are dropped, although search should show the document; so the search is done again. It is enough if the active
    generation was the same at two reads in a row. Its chunks were written before it became active, and stay while it is
    active, so the search between the two reads saw them all. Then only stale chunks were dropped.

    A store may choose its candidates and read them afterwards. So chunks that a flip has replaced can still be read for
    as long as a search may take (pipeline/remove_stale_chunks.py). A search that has chosen them gets a hit that
    shows it the flip.
    """

    def __init__(self, vectors: VectorStore, documents: Records) -> None:
        self._vectors = vectors
        self._documents = documents

    def search(
        self,
        vector: Vector,
        terms: Sequence[str],
        *,
        wanted: int,
        within: SearchFilter | None = None,
        nearest: int = CANDIDATES,
    ) -> Found:
        """The active chunks that may answer, with at least `wanted` texts to show if there are so many: equal ones and
        those that overlap by more than half count once. With `within`, only those of documents that match it, and
        beside them so many of the `nearest` of the whole index.

        The store narrows its search to `within`, and the record decides. Documents that it refuses are taken out of the
        filter, and the facts about the index stay.

        Documents that show nothing may have thousands of chunks that fit better: their first attempt goes on, or they
        are FAILED. They are left out as soon as they take the place of others. Then they do not make the words of the
        question look common, either.
        """
        limit = candidates_for(wanted)
        widest = limit * _WIDER**_WIDENINGS
        beside = 0 if within is None else nearest
        without: set[str] = set()
        for _ in range(_SEARCHES):
            found, inactive, refused = self._search(vector, terms, limit, without, within, beside=beside)
            is_enough = _has_different_texts(found.candidates.hits, wanted)
            if is_enough and (not beside or found.candidates.nearest or not inactive):
                break
            if not inactive and not refused and (found.candidates.exhausted or limit == widest):
                break
            without |= inactive
            if within is not None:
                within = within.but_not(refused)
            limit = min(limit * _WIDER, widest)
        return found

    def around(self, chunk: Chunk) -> Sequence[Chunk]:
        """The chunk with the one before it and the one after it, as the store has them now; none of them if the index
        is gone."""
        first = max(chunk.ordinal - 1, 0)
        return self.part_of(chunk, first=first, limit=chunk.ordinal + 2 - first)

    def shown(self, chunks: Sequence[Chunk], within: SearchFilter | None = None) -> Sequence[Chunk]:
        """These chunks, which follow each other, read again; none of them if search shows others in their place by now,
        or nothing of the document, or a document that `within` refuses.

        The record is read after the chunks: its generation was active when they were read, or later.
        """
        first = chunks[0]
        held = self.part_of(first, first=first.ordinal, limit=len(chunks))
        return held if self.document_of(first, within) is not None and list(held) == list(chunks) else []

    def document_of(self, chunk: Chunk, within: SearchFilter | None = None) -> Document | None:
        """The record of the chunk's document; None if search shows another generation of it by now, or nothing, or if
        `within` refuses it."""
        document = self._documents.get_many([chunk.document_id]).get(chunk.document_id)
        if document is None or not document.shows(chunk.generation):
            return None
        return document if within is None or within.matches(document) else None

    def part_of(self, chunk: Chunk, *, first: int, limit: int) -> Sequence[Chunk]:
        """Chunks of the same generation as this one, from the place `first` on; none if the index is gone."""
        try:
            return self._vectors.chunks(chunk.document_id, chunk.generation, first=first, limit=limit)
        except IndexGone:
            return []

    def _search(
        self,
        vector: Vector,
        terms: Sequence[str],
        limit: int,
        without: Collection[str],
        within: SearchFilter | None,
        *,
        beside: int,
    ) -> tuple[Found, set[str], set[str]]:
        """What is found, with so many of the nearest `beside` it, the documents with hits that show nothing, and those
        that do not match the filter."""
        outdated: Mapping[str, int] = {}
        for _ in range(_ROUNDS):
            candidates = self._vectors.search(vector, terms, limit, without=without, within=within, nearest=beside)
            read = [*candidates.hits, *candidates.nearest]
            documents = self._documents.get_many(list({hit.chunk.document_id: None for hit in read}))
            outdated_before, outdated = outdated, _outdated(read, documents)
            if outdated.items() <= outdated_before.items():
                break
        shown = {id for id, document in documents.items() if document.active is not None}
        found = {hit.chunk.document_id for hit in candidates.hits}
        inactive = {hit.chunk.document_id for hit in read} - shown
        refused = {id for id in found & shown if within is not None and not within.matches(documents[id])}
        live = [hit for hit in candidates.hits if hit.chunk.document_id not in refused and _is_live(hit, documents)]
        near = [hit for hit in candidates.nearest if _is_live(hit, documents) and _is_reached(hit, documents, within)]
        return Found(replace(candidates, hits=live, nearest=near), documents), inactive, refused


def _is_live(hit: Hit, documents: Mapping[str, Document]) -> bool:
    document = documents.get(hit.chunk.document_id)
    return document is not None and document.shows(hit.chunk.generation)


def _is_reached(hit: Hit, documents: Mapping[str, Document], within: SearchFilter | None) -> bool:
    """A chunk without labels is of any document, for all that a store knows."""
    return within is None or within.reach.has(documents[hit.chunk.document_id].name)


def _outdated(hits: Sequence[Hit], documents: Mapping[str, Document]) -> dict[str, int]:
    """The documents with hits of a generation before the active one: their active generations, by id.

    A hit that is neither of the active generation nor of the one that the document waits for is of one before. If it is
    of the latter, the active generation was active when that chunk was written, so the search saw all of it.
    """
    generations = {(hit.chunk.document_id, hit.chunk.generation) for hit in hits}
    return {
        document.id: document.active.generation
        for id, generation in generations
        if (document := documents.get(id)) is not None
        and document.active is not None
        and not document.needs(generation)
    }


def _has_different_texts(hits: Sequence[Hit], wanted: int) -> bool:
    """Whether the hits have so many different texts, without those that others have by more than half."""
    # The first passage of each text that characters are counted in is new, and may have copies in others.
    counted_in = {text_of(hit.chunk) for hit in hits}
    if len(counted_in) >= wanted * most_alike(hit.chunk for hit in hits):  # mostly
        return True
    copies = grouped_by_text((hit.chunk, hit.chunk) for hit in hits)
    seen, count = Shown(), 0
    for chunks in sorted(copies, key=lambda one: -len(same_text(one[0].text))):  # a longer one gives way less often
        if count == wanted:
            break
        if not seen.adds_little(chunks):
            seen.add(chunks)
            count += 1
    return count == wanted
