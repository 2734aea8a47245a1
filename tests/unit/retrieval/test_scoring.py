"""Scores are absolute: facts about the query, the passage and the index, and no other result, decide."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.chunk import Chunk
from ragbase.ports import Candidates, Hit
from ragbase.retrieval.bm25 import PRIOR_PASSAGES, bm25, inverse_frequency
from ragbase.retrieval.calibration import HASHING, MINILM, UNKNOWN, Calibration, calibration_of
from ragbase.retrieval.scoring import Score, Scorer

CHUNK = Chunk(
    id="c",
    document_id="d",
    generation=1,
    ordinal=0,
    text="",
    char_start=0,
    char_end=0,
    header_path=(),
    page=None,
    text_hash="",
)


def index(passages: int = 1000, frequency: dict[str, int] | None = None, hits: Sequence[Hit] = ()) -> Candidates:
    return Candidates(
        hits=hits,
        passages=passages,
        average_length=100.0,
        frequency=frequency or {},
        exhausted=True,
    )


def hit(cosine: float, terms: str = "", text: str = "") -> Hit:
    return Hit(chunk=replace(CHUNK, id=text, text=text), cosine=cosine, terms=terms)


def crowd(cosine: float, passages: int = 30) -> list[Hit]:
    """Passages with different texts, none of which has a term of the query."""
    return [hit(cosine - one / 1000, "other", text=f"passage {one}") for one in range(passages)]


cosines = st.floats(-1, 1)
words = st.lists(st.sampled_from("abcdefg"), max_size=12)


@given(
    query=words,
    passage=words,
    cosine=cosines,
    passages=st.integers(1, 10**7),
    near=st.lists(cosines, max_size=40),
    background=cosines,
    calibration=st.sampled_from([MINILM, HASHING]),
)
def test_every_score_is_in_0_to_1(
    *,
    query: list[str],
    passage: list[str],
    cosine: float,
    passages: int,
    near: list[float],
    background: float,
    calibration: Calibration,
) -> None:
    frequency = {term: min(passages, 3) for term in query}
    hits = [hit(one, " ".join(passage), text=str(number)) for number, one in enumerate(near)]
    scorer = Scorer(query, index(passages, frequency, hits), calibration, background)
    score = scorer.score(hit(cosine, " ".join(passage)))
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


def test_the_word_that_counts_the_most_is_not_among_the_other_words() -> None:
    scorer = Scorer(["a", "b", "c"], index(frequency={"a": 2, "b": 2, "c": 2}), MINILM, background=0.6)
    filler = ["x"] * 94
    one, two = (scorer.facts(hit(0.3, " ".join([*terms, *filler]))) for terms in (["a"] * 12, ["a", "b"]))
    assert one.words > 0 and one.other_words == 0
    assert two.other_words == pytest.approx(two.words / 2)


def test_words_that_are_close_together_are_more_evidence_than_words_far_apart() -> None:
    scorer = Scorer(["a", "b", "c"], index(frequency={"a": 2, "b": 2, "c": 2}), MINILM, background=0.0)
    filler = ["x"] * 50

    def judged(*terms: str) -> Score:
        return scorer.score(hit(0.3, " ".join(terms)))

    together = judged("a", "b", "c", *filler, *filler)
    at_the_end = judged(*filler, *filler, "c", "x", "a", "b")
    two_of_them = judged("a", *filler, *filler, "b", "c")
    apart = judged("a", *filler, *filler, "b", *filler, *filler, "c")
    assert at_the_end.confidence == pytest.approx(together.confidence)
    assert apart.confidence < two_of_them.confidence < together.confidence
    assert apart.confidence == pytest.approx(judged("a").confidence)
    assert two_of_them.breakdown.sparse_score == pytest.approx(together.breakdown.sparse_score, abs=0.01)


def test_where_in_a_short_passage_a_word_stands_means_nothing() -> None:
    scorer = Scorer(["a", "b"], index(frequency={"a": 2, "b": 2}), MINILM)
    ends, together = (hit(0.3, " ".join(terms)) for terms in (["a", *["x"] * 50, "b"], ["a", "b", *["x"] * 50]))
    assert scorer.score(ends).confidence == pytest.approx(scorer.score(together).confidence)


@pytest.mark.parametrize("near", [0, 5, 30])
def test_documents_that_join_do_not_change_the_confidence_of_a_passage_with_other_words(near: int) -> None:
    best = hit(0.4, "a b", text="answer")
    scorer = Scorer(["a", "b"], index(frequency={"a": 1, "b": 1}, hits=[best]), MINILM)
    joined = Scorer(["a", "b"], index(frequency={"a": 1, "b": 1}, hits=[best, *crowd(0.39, near)]), MINILM)
    assert joined.score(best).confidence == pytest.approx(scorer.score(best).confidence, abs=0.05)


@pytest.mark.parametrize("passages", [1, 10, 1_000, 100_000, 1_000_000])
def test_what_is_on_topic_passes_and_what_is_not_does_not_at_any_size_of_index(passages: int) -> None:
    terms = ["a", "b"]
    best = hit(0.65, "a b c")
    here = Scorer(terms, index(passages, {"a": 1, "b": 1}, [best, *crowd(0.2, min(passages - 1, 30))]), MINILM)
    assert here.score(best).confidence >= 0.5
    nearest = hit(0.25, "a c")
    elsewhere = Scorer([*terms, "x"], index(passages, {"a": 1}, [nearest, *crowd(0.2, min(passages - 1, 30))]), MINILM)
    assert elsewhere.score(nearest).confidence < 0.5


def test_a_model_that_finds_all_texts_of_a_language_alike_is_believed_less_than_the_words() -> None:
    """With a background of .5, a cosine of .6 says nothing by itself."""
    frequency = {"a": 2, "b": 2, "c": 2}

    def confidence(terms: str, others: float, background: float) -> float:
        one = hit(0.6, terms, text="the nearest")
        candidates = index(frequency=frequency, hits=[one, *crowd(others)])
        return Scorer(list(frequency), candidates, MINILM, background).score(one).confidence

    assert confidence("x y", 0.55, background=0.5) < 0.5
    assert confidence("a b c", 0.55, background=0.5) >= 0.5
    assert confidence("x y", 0.2, background=0.1) >= 0.5


def test_a_query_far_from_every_language_is_judged_as_one_with_no_background() -> None:
    """Calibrated cosines can be negative. A model cannot see more than all."""
    shares = [hit(0.3, "a b"), hit(0.3, "a"), hit(0.5)]
    far, none = (Scorer(["a", "b"], index(), MINILM, background) for background in (-0.4, 0.0))
    assert [far.score(one).confidence for one in shares] == [none.score(one).confidence for one in shares]


def test_copies_of_a_passage_are_no_evidence_against_it() -> None:
    terms, best = {"a": 1, "b": 1}, hit(0.45, "a", text="answer")
    copies = [replace(best, chunk=replace(best.chunk, id=str(number))) for number in range(29)]
    alone = Scorer(list(terms), index(frequency=terms, hits=[best]), MINILM).score(best)
    copied = Scorer(list(terms), index(frequency=terms, hits=[best, *copies]), MINILM).score(best)
    assert copied.confidence == pytest.approx(alone.confidence)


def test_a_neighbour_of_a_passage_that_answers_is_shown_and_one_that_is_far_from_it_is_not() -> None:
    terms = {"a": 1, "b": 1}
    best, neighbour, far = hit(0.6, "a b", text="1"), hit(0.26, "b", text="2"), hit(0.15, "", text="3")
    alone = Scorer(list(terms), index(frequency=terms, hits=[neighbour, *crowd(0.15)]), MINILM)
    assert alone.score(neighbour).confidence < 0.5
    together = Scorer(list(terms), index(frequency=terms, hits=[best, neighbour, *crowd(0.15)]), MINILM)
    shown = [together.score(one).confidence for one in (best, neighbour, far)]
    assert shown[0] >= shown[1] >= 0.5 > shown[2]


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
    assert calibration_of("nobody-calibrated-this") is UNKNOWN


@given(query=words, passage=words, functions=st.frozensets(st.sampled_from("abcdefg")), cosine=cosines)
def test_function_words_are_no_evidence_for_a_passage_and_none_against_it(
    query: list[str], passage: list[str], functions: frozenset[str], cosine: float
) -> None:
    frequency = dict.fromkeys(query, 3)
    scorer = Scorer(query, index(frequency=frequency, hits=crowd(0.2)), MINILM, 0.5, functions)
    others = ["x" if term in functions else term for term in passage]  # as long: length counts in BM25
    expected = scorer.score(hit(cosine, " ".join(others))).confidence
    assert scorer.score(hit(cosine, " ".join(passage))).confidence == expected


def test_a_rare_function_word_does_not_hide_that_all_others_are_there() -> None:
    query, frequency = ["năm", "xây", "cầu", "gì"], {"năm": 300, "xây": 5, "cầu": 5}
    candidates = index(frequency=frequency, hits=crowd(0.45))
    passage = hit(0.6, "xây cầu")
    told = Scorer(query, candidates, MINILM, 0.5, frozenset({"năm", "gì"})).score(passage)
    assert told.confidence > Scorer(query, candidates, MINILM, 0.5).score(passage).confidence


def test_a_passage_that_lacks_the_identifier_is_less_evidence_than_one_that_has_it_or_its_parts() -> None:
    terms, frequency = ["owner", "web-17"], {"owner": 30, "web-17": 1}
    scorer = Scorer(terms, index(30, frequency), MINILM, identifiers={"web-17": ("web", "17")})
    whole, parts, neighbour = (
        scorer.score(hit(0.5, text)).confidence
        for text in ("owner web-17 web 17", "owner web 17", "owner web-16 web 16")
    )
    assert whole > parts > 0.5 > neighbour
