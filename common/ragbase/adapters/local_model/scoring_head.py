"""The head of a cross-encoder of sentence-transformers whose graph ends at the hidden states, such as Ettin: a dense
layer with GELU, a norm, and a dense layer to one score (huggingface.co/cross-encoder/ettin-reranker-17m-v1, "Full Model
Architecture"). It reads the state of the first token."""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.domain.errors import ConfigurationError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float32]

DENSE = "2_Dense/model.safetensors"
NORM = "3_LayerNorm/model.safetensors"
SCORE = "4_Dense/model.safetensors"
HEAD = (DENSE, NORM, SCORE)

_EPSILON = 1e-5
"""PyTorch's, of a layer of this kind."""
_LONGEST_HEADER = 1_000_000


class ScoringHead:
    """Scores the hidden states of pairs. Raises ConfigurationError for files that are no such head."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._dense = _tensor(files[DENSE], "linear.weight", 2)
        self.width = self._dense.shape[1]
        inner = self._dense.shape[0]
        self._norm = _tensor(files[NORM], "norm.weight", 1), _tensor(files[NORM], "norm.bias", 1)
        self._score = _tensor(files[SCORE], "linear.weight", 2), _tensor(files[SCORE], "linear.bias", 1)
        shapes = [one.shape for one in (*self._norm, *self._score)]
        if shapes != [(inner,), (inner,), (1, inner), (1,)]:
            raise ConfigurationError(
                f"{files[DENSE].parent.parent} has no head that ragbase can run: its layers have the shapes "
                f"{self._dense.shape} and {shapes}. They have to end in one score."
            )

    def __call__(self, states: Floats) -> Floats:
        """A score, before any sigmoid, for each state (pairs, width)."""
        import numpy as np

        x = states @ self._dense.T
        # PyTorch's GELU is the exact one.
        x = 0.5 * x * (1.0 + np.vectorize(math.erf, otypes=[np.float32])(x / math.sqrt(2.0)))
        x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + _EPSILON)
        weight, bias = self._norm
        x = x * weight + bias
        weight, bias = self._score
        scores: Floats = np.asarray(x @ weight.T + bias, np.float32)[:, 0]
        return scores


def _tensor(path: Path, name: str, dimensions: int) -> Floats:
    try:
        return _read(path, name, dimensions)
    except (OSError, ValueError, KeyError, TypeError, struct.error) as error:
        raise ConfigurationError(
            f"{path} is no file of a cross-encoder's head ({type(error).__name__}: {error}). Get it again."
        ) from error


def _read(path: Path, name: str, dimensions: int) -> Floats:
    """A tensor of 32-bit floats, from a file in the format safetensors: the length of a header, the header as JSON, and
    the data (huggingface.co/docs/safetensors)."""
    import numpy as np

    raw = path.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    if length > _LONGEST_HEADER:
        raise ValueError("its header is too long")
    entry = json.loads(raw[8 : 8 + length])[name]
    if entry["dtype"] != "F32":
        raise ValueError(f"{name} is {entry['dtype']}, not F32")
    begin, end = entry["data_offsets"]
    tensor = np.frombuffer(raw[8 + length :][begin:end], "<f4").reshape(entry["shape"])
    if tensor.ndim != dimensions or not np.isfinite(tensor).all():
        raise ValueError(f"{name} has the shape {tensor.shape}, or numbers that are none")
    return tensor
