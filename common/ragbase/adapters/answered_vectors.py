"""The vectors in the answer of a service, checked: it may put anything into an answer."""

from __future__ import annotations

import base64
from typing import Any

from ragbase.domain.errors import ConfigurationError, TransientError, Unavailable
from ragbase.ports import Embeddings

DIMENSION_SETTING = "RAGBASE_EMBEDDING_DIMENSION"


class NoVector(TransientError):
    """The answer has no usable vector for the text at `place`, counted from 0. `made` has those of the texts before
    it."""

    def __init__(self, message: str, place: int, made: Embeddings) -> None:
        super().__init__(message)
        self.place = place
        self.made = made


class TooFewVectors(TransientError):
    """A call has more or fewer vectors than texts. Some services embed only the first text of a call, or all as one.
    `billed_tokens` were paid for nothing."""

    def __init__(self, message: str, billed_tokens: int) -> None:
        super().__init__(message)
        self.billed_tokens = billed_tokens


def unpacked(service: str, values: Any) -> list[Any]:
    """Vectors that came as base64 of little-endian 32-bit floats. Raises Unavailable if one did not."""
    import numpy as np

    try:
        return [np.frombuffer(base64.b64decode(text, validate=True), "<f4") for text in values or ()]
    except (TypeError, ValueError) as error:
        raise Unavailable(f"{service} answered with an embedding that is not base64 of floats.") from error


def unit_embeddings(service: str, values: Any, *, count: int, dimension: int, billed_tokens: int) -> Embeddings:
    """`values` (lists of numbers, or arrays) as `count` unit vectors.

    Raises ConfigurationError, naming the setting, for vectors of another dimension, because calling again would not
    change it. Raises Unavailable if none of several vectors can be used, TooFewVectors for another number of vectors,
    and NoVector if a text has none, or one without a direction.
    """
    import numpy as np

    found = len(values) if isinstance(values, list) else 0
    if found != count:
        wrong_number = f"{service} answered with {found} embeddings for {count} texts."
        raise TooFewVectors(wrong_number, billed_tokens) if found else Unavailable(wrong_number)
    sizes = [len(vector) if isinstance(vector, list | np.ndarray) else 0 for vector in values]
    if {*sizes, 0} != {dimension, 0} and any(sizes):
        named = " or ".join(map(str, sorted(set(sizes))))
        raise ConfigurationError(
            f"{service} answered with embeddings of {named} dimensions where {DIMENSION_SETTING} is {dimension}. "
            f"Set {DIMENSION_SETTING} to what the model makes, or choose another model."
        )
    try:
        with np.errstate(over="ignore"):  # numbers beyond 32 bits become infinite, and are found below
            vectors = np.zeros((count, dimension), np.float32)
            for row in np.flatnonzero(sizes):
                vectors[row] = values[row]
            lengths = np.linalg.norm(vectors, axis=1)
    except (TypeError, ValueError) as error:
        raise Unavailable(f"{service} answered with an embedding that does not consist of numbers.") from error
    usable = np.isfinite(lengths) & (lengths > 0)
    if usable.all():
        return Embeddings(list(vectors / lengths[:, None]), billed_tokens)
    unusable = f"{service} answered with an embedding that is empty, not finite, or zero"
    if count > 1 and not usable.any():
        raise Unavailable(f"{unusable}.")
    place = int(np.flatnonzero(~usable)[0])
    made = Embeddings(list(vectors[:place] / lengths[:place, None]), billed_tokens)
    raise NoVector(unusable, place, made)
