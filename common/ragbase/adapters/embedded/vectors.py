"""The vectors of a snapshot: those that a file has, mapped into memory, and those that were added since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ragbase.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """The rows of `kept`, then the first `used` rows of `added`. The rest of `added` is room for more: an addition
    fills it, and makes a new value. So of two values that were made of one, only the first may be used."""

    kept: Floats
    added: Floats
    used: int = 0

    @classmethod
    def of(cls, kept: Floats) -> Vectors:
        return cls(kept, np.empty((0, kept.shape[1]), dtype=np.float32))

    def __len__(self) -> int:
        return len(self.kept) + self.used

    def cosines(self, vector: Vector) -> Floats:
        """Each one's cosine with `vector`, which is a unit vector as all of them are."""
        # Not @: its threads wait for one another if the cores are busy. It took 16 ms, not 0.6, at 8,000 chunks.
        cosines = np.empty(len(self), dtype=np.float32)
        first = len(self.kept)
        np.vecdot(self.kept, vector, out=cosines[:first])
        np.vecdot(self.added[: self.used], vector, out=cosines[first:])
        return cosines

    def add(self, blobs: Sequence[bytes]) -> Vectors:
        """With these, which are float32 each. Raises ConfigurationError if they are of another dimension."""
        vectors = np.frombuffer(b"".join(blobs), dtype=np.float32)
        dimension = self.kept.shape[1]
        if len(vectors) != len(blobs) * dimension:
            raise wrong_dimension(len(blobs[0]) // vectors.itemsize, dimension)
        used = self.used + len(blobs)
        added = _with_room(self.added, self.used, used)
        added[self.used : used] = vectors.reshape(len(blobs), dimension)
        return Vectors(self.kept, added, used)

    def keep(self, kept: npt.NDArray[np.bool_]) -> Vectors:
        """Only those that are `kept`, an array over all of them."""
        return Vectors.of(
            np.concatenate([part[flags] for part, flags in zip(self.parts, self._cut(kept), strict=True)])
        )

    @property
    def parts(self) -> tuple[Floats, Floats]:
        """All of them, in two arrays."""
        return self.kept, self.added[: self.used]

    def _cut(self, flags: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        return flags[: len(self.kept)], flags[len(self.kept) :]


def wrong_dimension(index: int, model: int) -> ConfigurationError:
    """The error for a model whose vectors do not fit those in the index."""
    return ConfigurationError(
        f"The index holds vectors of {index} dimensions, and the embedding model makes vectors of {model}. An index "
        "holds one model's vectors: set `embedder` to the model it was made with."
    )


def _with_room(matrix: Floats, used: int, needed: int) -> Floats:
    """The matrix, or one twice as long that begins with its `used` rows. Doubling keeps the cost of each row low."""
    if needed <= len(matrix):
        return matrix
    larger = np.empty((max(needed, 2 * len(matrix)), matrix.shape[1]), dtype=np.float32)
    larger[:used] = matrix[:used]
    return larger
