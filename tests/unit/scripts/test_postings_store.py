"""The benches' fast store finds what the memory store finds."""

from __future__ import annotations

import numpy as np
import pytest

from ragbase.domain.chunk import EmbeddedChunk, Passage
from ragbase.domain.identity import document_id
from ragbase.pipeline.make_chunks import chunk_of
from ragbase.testing.vector_store import MemoryVectorStore
from scripts.bench.postings_store import PostingsStore


@pytest.mark.parametrize("asked", [["wing"], ["wing", "flow", "wing"], ["nobody"], []])
@pytest.mark.parametrize("nearest", [0, 7])
def test_the_candidates_are_those_of_the_memory_store(asked: list[str], nearest: int) -> None:
    chance = np.random.default_rng(1)
    words = ["wing", "flow", "heat", "lift", "shock"]
    chunks = []
    for number in range(40):
        terms = " ".join(chance.choice(words, size=3 + number % 9))
        vector = chance.normal(size=8).astype(np.float32)
        passage = Passage(text=terms, char_start=0, char_end=len(terms))
        chunk = chunk_of(passage, document_id("bench", str(number)), 1, 0, "bench")
        chunks.append(EmbeddedChunk(chunk, vector / np.linalg.norm(vector), terms))
    slow, fast = MemoryVectorStore(), PostingsStore()
    slow.write(chunks)
    fast.write(chunks)
    question = chunks[3].vector

    assert fast.search(question, asked, 5, nearest=nearest) == slow.search(question, asked, 5, nearest=nearest)
