"""What every reranker promises (ports/reranker.py)."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from ragbase.domain.limits import MAX_RERANKED
from ragbase.ports import Reranker

TEXTS = ["Bread is baked at four.", "The keeper counts the ships.", "Nothing of this kind."]
QUESTION = "Who counts the ships?"


class RerankerContract:
    """Inherit from it, and give it a fixture `reranker`."""

    def test_the_text_that_answers_has_the_best_score(self, reranker: Reranker) -> None:
        given = reranker.rerank(QUESTION, TEXTS)
        assert max(range(len(TEXTS)), key=given.scores.__getitem__) == 1
        assert all(0 <= score <= 1 for score in given.scores)
        assert given.billed_units >= 0

    def test_scores_come_in_the_order_of_the_texts(self, reranker: Reranker) -> None:
        turned = reranker.rerank(QUESTION, TEXTS[::-1]).scores
        assert list(turned)[::-1] == pytest.approx(list(reranker.rerank(QUESTION, TEXTS).scores), abs=1e-6)

    def test_texts_may_be_equal_or_blank(self, reranker: Reranker) -> None:
        scores = reranker.rerank(QUESTION, [TEXTS[1], " ", TEXTS[1]]).scores
        assert scores[0] == pytest.approx(scores[2], abs=1e-6)
        assert scores[0] > scores[1]

    def test_without_texts_nothing_is_asked(self, reranker: Reranker) -> None:
        given = reranker.rerank(QUESTION, [])
        assert (list(given.scores), given.billed_units) == ([], 0)

    def test_more_texts_than_a_search_unit_has_are_refused(self, reranker: Reranker) -> None:
        assert 0 < len(reranker.rerank(QUESTION, TEXTS[:1] * MAX_RERANKED).scores) <= MAX_RERANKED
        with pytest.raises(ValueError, match="100"):
            reranker.rerank(QUESTION, TEXTS[:1] * (MAX_RERANKED + 1))

    def test_several_threads_may_ask(self, reranker: Reranker) -> None:
        alone = list(reranker.rerank(QUESTION, TEXTS).scores)
        with ThreadPoolExecutor(4) as pool:
            for given in pool.map(lambda _: reranker.rerank(QUESTION, TEXTS), range(8)):
                assert list(given.scores) == pytest.approx(alone, abs=1e-6)

    def test_a_reranker_has_a_name(self, reranker: Reranker) -> None:
        assert reranker.model
