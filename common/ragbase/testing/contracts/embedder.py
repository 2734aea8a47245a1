"""What every embedder promises (ports/embedder.py)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from ragbase.ports import Embedder
from ragbase.testing.examples import share

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

TEXTS = [
    "A short one.",
    "",
    " \t\n",
    "\x00",
    "emoji 🦀🚀 only: 🏳️‍🌈",
    "half of a pair: \ud83e",
    "Phở bò là món ăn của Hà Nội. 東京タワー. العربية",
    "…!?—",
    "word " * 40,
    "A bucket holds documents, and each becomes chunks.\n" * 800,
    "unbroken" * 5_000,
]
"""Short and long, empty and odd."""

BATCH_TOLERANCE = 1e-6
"""For a component of a unit vector, whatever texts are in the same batch: rounding, and no more."""


def nearness(one: Vector, other: Vector) -> float:
    return float(one @ other)


def check_vector(vector: Vector, embedder: Embedder) -> None:
    assert vector.shape == (embedder.dimension,)
    assert vector.dtype == np.float32
    assert np.isfinite(vector).all()
    assert np.linalg.norm(vector) == pytest.approx(1, abs=1e-5)


class EmbedderContract:
    """Inherit from it, and give it a fixture `embedder`."""

    def test_every_text_gets_a_unit_vector(self, embedder: Embedder) -> None:
        vectors = embedder.embed_documents(TEXTS).vectors

        assert len(vectors) == len(TEXTS)
        for vector in vectors:
            check_vector(vector, embedder)

    def test_no_texts_get_no_vectors(self, embedder: Embedder) -> None:
        assert list(embedder.embed_documents([]).vectors) == []

    @share(0.25, deadline=None, suppress_health_check=list(HealthCheck))
    @given(texts=st.lists(st.text(st.characters(), max_size=200), max_size=12))
    def test_a_vector_depends_on_its_text_alone(self, embedder: Embedder, texts: list[str]) -> None:
        together = embedder.embed_documents(texts).vectors

        assert len(together) == len(texts)
        for text, vector in zip(texts, together, strict=True):
            check_vector(vector, embedder)
            alone = embedder.embed_documents([text]).vectors[0]
            np.testing.assert_allclose(vector, alone, rtol=0, atol=BATCH_TOLERANCE)

    def test_order_and_batch_mates_change_no_vector(self, embedder: Embedder) -> None:
        forwards = embedder.embed_documents(TEXTS).vectors
        backwards = embedder.embed_documents(TEXTS[::-1]).vectors

        np.testing.assert_allclose(forwards, backwards[::-1], rtol=0, atol=BATCH_TOLERANCE)

    def test_a_full_batch_is_taken(self, embedder: Embedder) -> None:
        numbered = [f"text number {number}" for number in range(embedder.max_batch)]

        vectors = embedder.embed_documents(numbered).vectors

        assert len(vectors) == embedder.max_batch
        assert [int(np.argmax(vectors @ embedder.embed_query(text))) for text in numbered[:5]] == list(range(5))

    def test_a_query_is_nearest_to_the_document_with_its_words(self, embedder: Embedder) -> None:
        documents = [
            "The lighthouse keeper counts ships.",
            "Butter, sugar and flour make a cake.",
            "Trains leave at noon.",
        ]

        vectors = embedder.embed_documents(documents).vectors
        query = embedder.embed_query("sugar and butter for a cake")

        check_vector(query, embedder)
        assert int(np.argmax([nearness(vector, query) for vector in vectors])) == 1

    def test_threads_get_what_one_gets(self, embedder: Embedder) -> None:
        expected = [embedder.embed_query(text) for text in TEXTS]

        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(embedder.embed_query, TEXTS * 3))

        np.testing.assert_allclose(found, expected * 3, rtol=0, atol=BATCH_TOLERANCE)

    def test_it_says_what_it_is(self, embedder: Embedder) -> None:
        assert embedder.model
        assert embedder.dimension > 0
        assert embedder.max_batch > 0
        assert embedder.at_a_time > 0
