"""Text becomes chunks in the vector store; only texts that the document never had are embedded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

from ragbase import analysis
from ragbase.domain.chunk import Chunk, EmbeddedChunk, Extraction, Passage, embedding_text
from ragbase.domain.document import Usage
from ragbase.domain.identity import chunk_id, text_hash
from ragbase.ports import Embedder, VectorStore

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector


class Chunker(Protocol):
    """Splits an extraction into passages. `fingerprint` names everything that decides where it cuts."""

    @property
    def fingerprint(self) -> str: ...

    def split(self, extraction: Extraction) -> list[Passage]: ...


def fingerprint_of(chunker: Chunker, model: str, language: str) -> str:
    """What decides the chunks and vectors of a text. Raises ConfigurationError for a language that is not known."""
    analysis.index_terms("", language)
    return f"{chunker.fingerprint}|{model}|{analysis.VERSION}-{language}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Chunks, embeds and writes the text of documents."""

    chunker: Chunker
    embedder: Embedder
    vectors: VectorStore
    language: str

    @property
    def fingerprint(self) -> str:
        return fingerprint_of(self.chunker, self.embedder.model, self.language)

    def write(
        self,
        extraction: Extraction,
        *,
        document_id: str,
        generation: int,
        known: Mapping[str, Vector] = MappingProxyType({}),
    ) -> Iterator[tuple[int, Usage]]:
        """Write the chunks of a generation a batch at a time; yield after each how many chunks it had and what it cost.

        A batch holds as many new texts as one call of the embedder takes. What was written before an interruption is
        found by its hash the next time, as are the texts that an edit left as they were, and neither is paid again.
        `known` has embeddings of the same model from elsewhere, by text hash.
        """
        chunks = [
            (_chunk(passage, document_id, generation, ordinal), embedding_text(passage))
            for ordinal, passage in enumerate(self.chunker.split(extraction))
        ]
        held = self.vectors.embeddings(document_id)
        if held:
            self._clear_longer_attempt(document_id, generation, len(chunks))
        known = {**known, **held}
        for batch in self._batches(chunks, known):
            new = {chunk.text_hash: text for chunk, text in batch if chunk.text_hash not in known}
            usage = self._embed(new, known)
            self.vectors.write([self._embedded(chunk, text, known[chunk.text_hash]) for chunk, text in batch])
            yield len(batch), usage

    def _clear_longer_attempt(self, document_id: str, generation: int, chunk_count: int) -> None:
        """Other settings may have cut the generation into more chunks, before an interruption or a failure. Those that
        are not replaced now would be shown beside the new ones."""
        if self.vectors.held([document_id]).get(document_id, {}).get(generation, 0) > chunk_count:
            self.vectors.delete(document_id, generation=generation)

    def _batches(
        self, chunks: Sequence[tuple[Chunk, str]], known: dict[str, Vector]
    ) -> Iterator[list[tuple[Chunk, str]]]:
        batch: list[tuple[Chunk, str]] = []
        new: set[str] = set()
        for chunk, text in chunks:
            if chunk.text_hash not in known:
                new.add(chunk.text_hash)
            if len(new) > self.embedder.max_batch:
                yield batch
                batch, new = [], {chunk.text_hash}
            batch.append((chunk, text))
        if batch:
            yield batch

    def _embed(self, new: dict[str, str], known: dict[str, Vector]) -> Usage:
        if not new:
            return Usage()
        embeddings = self.embedder.embed_documents(list(new.values()))
        known.update(zip(new, embeddings.vectors, strict=True))
        return Usage(embedded_texts=len(new), billed_tokens=embeddings.billed_tokens)

    def _embedded(self, chunk: Chunk, text: str, vector: Vector) -> EmbeddedChunk:
        return EmbeddedChunk(chunk, vector, analysis.index_terms(text, self.language))


def _chunk(passage: Passage, document_id: str, generation: int, ordinal: int) -> Chunk:
    return Chunk(
        id=chunk_id(document_id, generation, 0, ordinal),
        document_id=document_id,
        generation=generation,
        part=0,
        ordinal=ordinal,
        text=passage.text,
        char_start=passage.char_start,
        char_end=passage.char_end,
        header_path=passage.header_path,
        page=passage.page,
        text_hash=text_hash(embedding_text(passage)),
    )
