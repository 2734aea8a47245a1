"""The size of chunks, as people write it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.chunk_size import ChunkSize, ChunkUnit


@given(st.integers(100, 10_000), st.integers(0, 2_000), st.sampled_from(ChunkUnit))
def test_a_size_is_read_as_it_is_written(size: int, overlap: int, unit: ChunkUnit) -> None:
    written = ChunkSize(size, min(overlap, size // 2), unit)
    assert ChunkSize.read(str(written)) == written


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "SIZE/OVERLAP UNIT"),
        ("512", "SIZE/OVERLAP UNIT"),
        ("512/50", "SIZE/OVERLAP UNIT"),
        ("512/50 words", "SIZE/OVERLAP UNIT"),
        ("-512/50 tokens", "SIZE/OVERLAP UNIT"),
        ("٥١٢/50 tokens", "SIZE/OVERLAP UNIT"),
        ("9" * 5_000 + "/50 tokens", "SIZE/OVERLAP UNIT"),
        ("99/0 tokens", "from 100 to 10000"),
        ("10001/0 characters", "from 100 to 10000"),
        ("512/257 tokens", "at most half of it"),
        ("9000/2001 tokens", "at most 2000"),
    ],
)
def test_what_is_no_size_is_refused_with_the_rule(text: str, rule: str) -> None:
    with pytest.raises(ValueError, match=rule):
        ChunkSize.read(text)
