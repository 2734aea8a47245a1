"""Chunks for tests: small, and described by a few words."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.identity import chunk_id, text_hash
from ragbase.domain.labels import Labels

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

DIMENSION = 8


def unit(*numbers: float) -> Vector:
    """The unit vector in this direction; what is not given is 0."""
    padded = [*numbers, *(0.0,) * (DIMENSION - len(numbers))]
    return np.array(padded, dtype=np.float32) / np.float32(math.hypot(*padded))


def vector_of(text: str) -> Vector:
    """A unit vector of its own for each text."""
    digest = hashlib.blake2b(text.encode(), digest_size=2 * DIMENSION).digest()
    return unit(*(np.frombuffer(digest, dtype=np.int16) + 0.5))


def embedded(
    document: str = "document",
    ordinal: int = 0,
    *,
    generation: int = 1,
    text: str = "some text",
    terms: str | None = None,
    vector: Vector | None = None,
    header_path: tuple[str, ...] = (),
    page: int | None = None,
    row: int | None = None,
    table_header: str = "",
    labels: Labels | None = None,
) -> EmbeddedChunk:
    """A chunk whose terms are the words of its text, and whose vector is that of its text, if not given."""
    return EmbeddedChunk(
        Chunk(
            id=chunk_id(document, generation, ordinal, "settings"),
            document_id=document,
            generation=generation,
            ordinal=ordinal,
            text=text,
            char_start=ordinal * 100,
            char_end=ordinal * 100 + len(text),
            header_path=header_path,
            page=page,
            row=row,
            text_hash=text_hash(text),
            table_header=table_header,
        ),
        vector_of(text) if vector is None else vector,
        text if terms is None else terms,
        labels,
    )


def document(name: str, texts: Sequence[str], *, generation: int = 1) -> list[EmbeddedChunk]:
    """One generation of a document, with one chunk for each text."""
    return [embedded(name, ordinal, generation=generation, text=text) for ordinal, text in enumerate(texts)]
