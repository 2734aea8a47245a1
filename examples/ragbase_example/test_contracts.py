"""The embedder and the format keep the promises of ragbase: `pip install -e '.[test]'`, then `pytest`."""

from __future__ import annotations

import pytest
from ragbase_example.subtitles import SRT
from ragbase_example.trigrams import TrigramEmbedder

from ragbase.formats.added import AddedFormat
from ragbase.testing.contracts.embedder import EmbedderContract
from ragbase.testing.contracts.format import FormatContract, Sample

FILM = b"""\
1
00:00:01,000 --> 00:00:03,500
The keeper counts the ships.

2
00:00:04,000 --> 00:00:06,000
All of them.
"""


class TestTrigrams(EmbedderContract):
    @pytest.fixture(scope="class")
    def embedder(self) -> TrigramEmbedder:
        return TrigramEmbedder()


class TestSubtitles(FormatContract):
    @pytest.fixture(scope="class")
    def added(self) -> AddedFormat:
        return SRT

    @pytest.fixture(scope="class")
    def sample(self) -> Sample:
        return Sample(FILM, ("The keeper counts the ships.", "All of them."))
