"""Scores are absolute: facts about the query, the passage and the index, and no other result, decide."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.chunk import Chunk
from ragbase.ports import Candidates, Hit
from ragbase.retrieval.calibration import HASHING, MINILM, Calibration, calibration_of
from ragbase.retrieval.scoring import PRIOR_PASSAGES, Scorer, bm25, inverse_frequency

CHUNK = Chunk(
    id="c",
    document_id="d",
    generation=1,
    part=0,
    ordinal=0,
    text="",
    char_start=0,
    char_end=0,
    header_path=(),
    page=None,
    text_hash="",
)
ON_TOPIC = (0.15, 0.11)
"""The background of a question on the index's subject, in mean and standard deviation."""
FOREIGN = (0.0, 0.05)


def index(
    passages: int = 1000,
    frequency: dict[str, int] | None = None,
    background: tuple[float, float] | None = ON_TOPIC,
) -> Candidates:
    return Candidates(
        hits=[],
        passages=passages,
        average_length=100.0,
        frequency=frequency or {},
        background=background,
        exhausted=True,
    )


def hit(cosine: float, terms: str = "") -> Hit:
    return Hit(chunk=CHUNK, cosine=cosine, terms=terms)


cosines = st.floats(-1, 1)
words = st.lists(st.sampled_from("abcdefg"), max_size=12)


@given(
    query=words,
    passage=words,
    cosine=cosines,
    passages=st.integers(1, 10**7),
    background=st.none() | st.tuples(cosines, st.floats(0, 1)),
    calibration=st.sampled_from([MINILM, HASHING]),
)
def test_every_score_is_in_0_to_1(
    *,
    query: list[str],
    passage: list[str],
    cosine: float,
    passages: int,
    background: tuple[float, float] | None,
    calibration: Calibration,
) -> None:
    frequency = {term: min(passages, 3) for term in query}
    score = Scorer(query, index(passages, frequency, background), calibration).score(hit(cosine, " ".join(passage)))
    for value in (
        score.confidence,
        score.breakdown.dense_score,
        score.breakdown.sparse_score,
        score.breakdown.combined_score,
    ):
        assert 0.0 <= value <= 1.0


@given(cosines, st.floats(0, 0.5))
def test_a_nearer_passage_never_ranks_lower(cosine: float, more: float) -> None:
    scorer = Scorer(["a"], index(frequency={"a": 5}), MINILM)
    farther, nearer = scorer.score(hit(cosine, "a")), scorer.score(hit(cosine + more, "a"))
    assert nearer.breakdown.combined_score >= farther.breakdown.combined_score


@given(cosines)
def test_more_of_the_query_in_the_passage_raises_every_score_of_words(cosine: float) -> None:
    scorer = Scorer(["a", "b"], index(frequency={"a": 5, "b": 5}), MINILM)
    none, half, all_ = (scorer.score(hit(cosine, terms)) for terms in ("x y", "a y", "a b"))
    assert none.breakdown.sparse_score == 0.0
    assert none.breakdown.sparse_score < half.breakdown.sparse_score < all_.breakdown.sparse_score
    assert none.breakdown.combined_score < half.breakdown.combined_score < all_.breakdown.combined_score
    assert none.confidence < half.confidence < all_.confidence


def test_a_rare_word_of_the_query_counts_for_more_than_a_common_one() -> None:
    scorer = Scorer(["rare", "common"], index(frequency={"rare": 1, "common": 500}), MINILM)
    assert scorer.score(hit(0.4, "rare")).confidence > scorer.score(hit(0.4, "common")).confidence


@pytest.mark.parametrize("passages", [1, 10, 1_000, 100_000, 1_000_000])
def test_what_is_on_topic_passes_and_what_is_not_does_not_at_any_size_of_index(passages: int) -> None:
    terms = ["a", "b"]
    here = Scorer(terms, index(passages, {"a": 1, "b": 1}, ON_TOPIC if passages > 1 else (0.65, 0.0)), MINILM)
    assert here.score(hit(0.65, "a b c")).confidence >= 0.5
    elsewhere = Scorer([*terms, "x"], index(passages, {"a": max(1, passages // 2)}, FOREIGN), MINILM)
    assert elsewhere.score(hit(0.2, "a c")).confidence < 0.5


def test_without_a_background_the_calibration_stands_in_for_it() -> None:
    terms = ["a", "b"]
    unknown = Scorer(terms, index(frequency={"a": 1, "b": 1}, background=None), MINILM)
    assert unknown.score(hit(0.65, "a b")).confidence >= 0.5
    assert unknown.score(hit(0.2, "x")).confidence < 0.5


def test_a_query_of_stop_words_alone_is_judged_by_meaning() -> None:
    score = Scorer([], index(), MINILM).score(hit(0.8, "a b"))
    assert score.breakdown.sparse_score == 0.0
    assert score.confidence >= 0.5


def test_words_that_the_index_lacks_count_against_a_passage() -> None:
    """Otherwise a passage would cover a question about something else by the one word that both have."""
    whole = Scorer(["a"], index(1, {"a": 1}), MINILM).score(hit(0.35, "a b"))
    part = Scorer(["a", "x", "y"], index(1, {"a": 1}), MINILM).score(hit(0.35, "a b"))
    assert part.confidence < whole.confidence


def test_bm25_by_its_definition() -> None:
    assert bm25(2, 100, 100.0) == pytest.approx(2 * 2.2 / (2 + 1.2))
    assert bm25(1, 50, 100.0) > bm25(1, 100, 100.0) > bm25(1, 200, 100.0)
    assert inverse_frequency(10, 3) == pytest.approx(math.log(1 + (10 + PRIOR_PASSAGES - 3 + 0.5) / 3.5))


def test_constants_are_found_by_the_model_in_an_embedders_name() -> None:
    assert calibration_of("sentence-transformers/all-MiniLM-L6-v2@int8") is MINILM
    assert calibration_of("hashing-384") is HASHING
    assert calibration_of("nobody-calibrated-this") is MINILM
