"""An index of whole texts, cut as every document is, that change and go at once."""

from __future__ import annotations

from itertools import count

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.chunking.chunker import MarkdownChunker
from ragbase.domain.chunk import EmbeddedChunk, Passage, embedding_text
from ragbase.domain.conversation import FollowUp
from ragbase.domain.extraction import Extraction
from ragbase.domain.identity import document_id
from ragbase.domain.metadata import NO_METADATA
from ragbase.domain.names import names_of
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.ports import Embedder
from ragbase.retrieval.active_chunks import ActiveChunks
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResults
from ragbase.testing.document_store import MemoryDocumentStore
from ragbase.testing.passages import document
from ragbase.testing.vector_store import MemoryVectorStore
from ragbase.text.named_terms import with_names
from ragbase.text.terms import index_terms


class Indexed:
    """`texts` has the text that search shows of each document, by its name."""

    def __init__(
        self, size: int = 300, overlap: int = 60, embedder: Embedder | None = None, language: str = "english"
    ) -> None:
        self.vectors = MemoryVectorStore()
        self.documents = MemoryDocumentStore()
        self.embedder: Embedder = embedder or HashingEmbedder()
        self.texts: dict[str, str] = {}
        self._language = language
        self._chunker = MarkdownChunker(size, overlap)
        self._generations = count(1)

    @property
    def chunks(self) -> ActiveChunks:
        return ActiveChunks(self.vectors, self.documents)

    def put(self, name: str, text: str) -> None:
        """A new generation, whose chunks replace those before it at once."""
        generation, id = next(self._generations), document_id("bucket", name)
        passages = self._chunker.split(Extraction(text))
        vectors = self.embedder.embed_documents([embedding_text(passage) for passage in passages]).vectors
        self.vectors.write(
            [
                EmbeddedChunk(chunk_of(passage, id, generation, place, "settings"), vector, self._terms(name, passage))
                for place, (passage, vector) in enumerate(zip(passages, vectors, strict=True))
            ]
        )
        self._show(name, generation)
        self.texts[name] = text

    def delete(self, name: str) -> None:
        self._show(name, None)
        del self.texts[name]

    def search(
        self,
        query: str,
        top_k: int = 5,
        threshold: float = 0.0,
        *,
        group_versions: bool = True,
        follow_up: FollowUp | None = None,
    ) -> SearchResults:
        return search_one_index(
            query,
            chunks=self.chunks,
            embedder=self.embedder,
            top_k=top_k,
            threshold=threshold,
            language=self._language,
            group_versions=group_versions,
            follow_up=follow_up,
        )

    def _terms(self, name: str, passage: Passage) -> str:
        terms = index_terms(embedding_text(passage), self._language)
        return with_names(terms, names_of(name, NO_METADATA), self._language)

    def _show(self, name: str, generation: int | None) -> None:
        record = document(name, generation)
        self.documents.update(record.id, lambda _: record)
        for held in self.vectors.held([record.id]).get(record.id, {}).keys() - {generation}:
            self.vectors.delete(record.id, generation=held)
