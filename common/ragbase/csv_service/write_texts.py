"""Write the texts of a part into the index, and embed those that it does not have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.csv_service.shown_rows import GENERATION
from ragbase.domain.chunk import EmbeddedChunk, Passage, embedding_text
from ragbase.domain.errors import Unavailable
from ragbase.domain.extraction import Extraction
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.ports import OpenIndex
from ragbase.ports.embedder import in_calls
from ragbase.text.terms import index_terms

VERSION = "csv-rows-v1"
"""Raise it with every change that makes other chunks of any text."""

_LONGEST_HEAD = 200
"""Characters of a long row's first line that are embedded with each of its later passages."""


def write_texts(
    contents: Mapping[str, str], index: OpenIndex, chunker: MarkdownChunker, *, before_write: Callable[[], None]
) -> int:
    """Write the texts, given by their ids, as far as the index does not hold them, and return how many passages were
    embedded. A call that fails may have written some of them: call it again, and only the others are embedded.

    `before_write` is called before texts are paid for and before they are written; what it raises ends the work. At the
    end the store has to prove that a search finds every passage. Raises Unavailable if it does not.
    """
    passages = {id: passages_of(content, chunker) for id, content in contents.items()}
    missing = _missing(passages, index)
    chunks = [
        (chunk_of(passage, id, GENERATION, ordinal, index.index.name), embedding_text(passage))
        for id in missing
        for ordinal, passage in enumerate(passages[id])
    ]
    for batch in in_calls(chunks, index.embedder):
        before_write()
        embeddings = index.embedder.embed_documents([text for _, text in batch])
        before_write()
        index.vectors().write(
            [
                EmbeddedChunk(chunk, vector, index_terms(text, index.index.language))
                for (chunk, text), vector in zip(batch, embeddings.vectors, strict=True)
            ]
        )
    if chunks and _missing(passages, index):
        raise Unavailable("A search does not find all rows that were written. Load the CSV file again.")
    return len(chunks)


def passages_of(content: str, chunker: MarkdownChunker) -> list[Passage]:
    """The text as one passage or, if it is too long for one, as several. Each later passage has the first line of the
    text in front of what is embedded: it says what the row is about."""
    if chunker.unit.fits(content, 0, len(content), chunker.size):
        return [Passage(content, 0, len(content))]
    head = " ".join(content.split("\n", 1)[0][:_LONGEST_HEAD].split())
    return [
        replace(passage, header_path=(head, *passage.header_path)) if passage.char_start else passage
        for passage in chunker.split(Extraction(content))
    ]


def _missing(passages: Mapping[str, list[Passage]], index: OpenIndex) -> list[str]:
    held = index.vectors().held(list(passages))
    return [id for id, some in passages.items() if held.get(id, {}).get(GENERATION, 0) != len(some)]
