"""Embeds texts by the groups of three letters in them: words of one stem are near each other, in any language."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector
    from ragbase.settings import Config

DIMENSION = 512


class TrigramEmbedder:
    """Implements ragbase.ports.Embedder."""

    model = f"trigrams-{DIMENSION}"
    """It begins with the name of the entry point. Change it with every change of the vectors."""
    dimension = DIMENSION
    max_batch = 256
    at_a_time = 1

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        import numpy as np

        words = f" {' '.join(text.casefold().split())} "
        vector = np.zeros(DIMENSION, dtype=np.float32)
        for start in range(len(words) - 2):
            trigram = words[start : start + 3].encode(errors="surrogatepass")
            vector[int.from_bytes(hashlib.blake2b(trigram, digest_size=4).digest()) % DIMENSION] += 1
        if not vector.any():  # a text without letters has a vector, too
            vector[0] = 1
        return vector / np.linalg.norm(vector)


def trigrams(config: Config) -> TrigramEmbedder:
    """What the entry point refers to. It takes the settings of ragbase; this embedder needs none."""
    return TrigramEmbedder()
