"""Passages that are measured in tokens."""

from __future__ import annotations

from itertools import pairwise

import pytest
import quicktok  # type: ignore[import-untyped]  # it has no types
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.chunking.tokens import TOKENS
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.extraction import Extraction
from ragbase.domain.padding import without_padding
from tests.unit.chunking.documents import Written, documents, says_nothing

texts = st.one_of(
    documents().map(lambda document: document.text),
    st.lists(
        st.one_of(st.text(max_size=40), st.sampled_from(["\n" * 40, " " * 90, "x" * 90, "word ", "船。", "👩‍👩‍👧"])),
        max_size=40,
    ).map("".join),
)


def count(text: str) -> int:
    return len(quicktok.get_encoding("cl100k_base").encode_ordinary(text))


@pytest.mark.slow
@given(texts, st.integers(16, 120), st.floats(0, 0.5, allow_nan=False))
def test_size_and_overlap_hold_in_tokens_and_nothing_is_left_out(text: str, size: int, share: float) -> None:
    chunker = MarkdownChunker(size, int(size * share), TOKENS)
    passages = chunker.split(Extraction(text))
    covered = 0
    for passage in passages:
        assert passage.text == text[passage.char_start : passage.char_end]
        assert count(without_padding(passage.text)) <= size
        assert says_nothing(text[covered : passage.char_start])
        covered = passage.char_end
    assert says_nothing(text[covered:])
    for before, after in pairwise(passages):
        assert count(text[after.char_start : before.char_end]) <= chunker.overlap


@given(documents(), st.integers(16, 200), st.floats(0, 0.5, allow_nan=False))
def test_blocks_that_fit_stay_whole(document: Written, size: int, share: float) -> None:
    passages = MarkdownChunker(size, int(size * share), TOKENS).split(Extraction(document.text))
    for start, end in document.blocks:
        if count(document.text[start:end]) <= size:
            whole = any(passage.char_start <= start and end <= passage.char_end for passage in passages)
            assert whole or says_nothing(document.text[start:end])
            for passage in passages:
                assert not start < passage.char_start < end
                assert not start < passage.char_end < end


def test_running_text_fills_its_passages() -> None:
    passages = MarkdownChunker(100, 20, TOKENS).split(Extraction("The wind fills the sail of the boat. " * 200))
    assert all(50 < count(passage.text) <= 100 for passage in passages[:-1])


def test_a_text_that_is_no_utf_8_is_cut_too() -> None:
    (passage,) = MarkdownChunker(16, 0, TOKENS).split(Extraction("a \ud800 b"))
    assert passage.text == "a \ud800 b"


def test_the_unit_is_part_of_the_fingerprint() -> None:
    assert MarkdownChunker(512, 50, TOKENS).fingerprint != MarkdownChunker(512, 50).fingerprint


def test_impossible_settings_are_refused_in_their_unit() -> None:
    with pytest.raises(ConfigurationError, match="Chunks of 0 tokens"):
        MarkdownChunker(0, 0, TOKENS)
