"""Words hashed into a vector: an embedder without a model, for tests and for measuring everything but the model."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.ports import Embeddings

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

_WORD = re.compile(r"\w+")
_MOST_WORDS = 200_000
"""How many words the cache holds: about 30 MB."""


class HashingEmbedder:
    """Feature hashing (Weinberger et al., 2009): each word adds +1 or -1 in one of `dimension` places.

    Texts that share words are near each other. The vector of a text is the same in every process and on every machine.
    """

    def __init__(self, dimension: int = 384) -> None:
        self._dimension = dimension
        self._places = _Places(dimension)

    @property
    def model(self) -> str:
        return f"hashing-{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_batch(self) -> int:
        return 256

    @property
    def at_a_time(self) -> int:
        return 1

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        return Embeddings([self.embed_query(text) for text in texts])

    def embed_query(self, text: str) -> Vector:
        import numpy as np

        places = [self._places[word] for word in _WORD.findall(text.casefold())]
        counts = np.bincount(np.array(places, np.intp), minlength=2 * self._dimension)
        vector = (counts[: self._dimension] - counts[self._dimension :]).astype(np.float32)
        length = float(np.sqrt(vector @ vector))
        if not length:  # no words, or words that cancel out: all such texts get the same vector
            vector[0] = length = 1.0
        vector /= length
        return vector


class _Places(dict[str, int]):
    """Where a word counts: its place, plus `dimension` if it counts -1."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self._places = 2 * dimension

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        digest = hashlib.blake2b(word.encode(errors="surrogatepass"), digest_size=8).digest()
        return self.setdefault(word, int.from_bytes(digest) % self._places)
