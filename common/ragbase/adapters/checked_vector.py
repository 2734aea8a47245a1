"""What every vector store checks before it writes a vector or compares one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ragbase.domain.errors import ConfigurationError

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector, Vectors


def checked_vector(vector: Vector, dimension: int) -> Vector:
    """Raises ConfigurationError for a wrong dimension and ValueError for a number that is not finite."""
    if vector.shape != (dimension,):
        raise ConfigurationError(
            f"The index holds vectors of {dimension} dimensions, but this one has the shape {vector.shape}. "
            "Set `embedder` to the model that the index was made with."
        )
    check_finite(vector)
    return vector


def check_finite(vectors: Vector | Vectors) -> None:
    """Raises ValueError for a number that is not finite, in one vector or in several."""
    if not np.isfinite(vectors).all():
        raise ValueError("A vector holds a number that is not finite, so nothing can be compared with it.")
