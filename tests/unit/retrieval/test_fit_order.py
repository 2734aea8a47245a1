"""How much the cosine counts for the order, by questions that the index asks itself."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.domain.calibration import FittedCalibration, OrderFit
from ragbase.ports import Embeddings
from ragbase.retrieval.calibrate import sample
from ragbase.retrieval.calibration import MINILM, calibration_of
from ragbase.retrieval.cloze_questions import cloze_questions
from ragbase.retrieval.fit_order import LEAST_QUESTIONS, RankedQuestion, fit_order
from ragbase.retrieval.order_questions import MOST_QUESTIONS, OrderQuestions, Partition
from tests.unit.retrieval.indexed import Indexed

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

RANK = MINILM.rank
SUBJECTS = ("harbour", "mill", "bakery", "school", "tower", "garden", "bridge", "library", "market", "station")
DEEDS = ("opens", "closes", "rests", "moves", "grows", "waits", "sings", "works", "turns", "stands")


def questions(kind: str, count: int = 120) -> list[RankedQuestion]:
    """Of 20 candidates, one answers. Its facts are so much above the others', which differ by chance."""
    chance = np.random.default_rng(8)
    above, noise = KINDS[kind]
    asked = []
    for _ in range(count):
        facts = np.zeros((20, 4))
        facts[:, :3] = chance.normal((0.3, 20, 0.4), noise, (20, 3))
        facts[0, :3] += above
        asked.append(RankedQuestion(facts, np.arange(20) == 0))
    return asked


KINDS = {
    "as MiniLM": ((0.13, 2.1, 0.11), (0.1, 4, 0.15)),
    "sees more": ((0.1, 2.1, 0.11), (0.05, 16, 0.4)),
    "sees nothing": ((0.0, 6.0, 0.3), (0.2, 4, 0.15)),
    "no difference": ((0.0, 0.0, 0.0), (0.1, 4, 0.15)),
}
"""What an answer has more in cosine, BM25 and coverage, and how much these differ by chance."""


@pytest.mark.parametrize("labelled", [False, True])
def test_a_model_that_tells_more_gets_more_weight_and_one_that_tells_nothing_less(labelled: bool) -> None:
    better, worse = (fit_order(questions(kind), RANK, labelled=labelled) for kind in ("sees more", "sees nothing"))
    assert better is not None and worse is not None
    assert 1 < better.cosine <= 4 and 0.5 <= worse.cosine < 1
    assert better.fitted > better.usual
    assert (better.questions, better.labelled) == (120, labelled)


@pytest.mark.parametrize(
    "asked", [questions("as MiniLM"), questions("no difference"), questions("sees more", LEAST_QUESTIONS - 1), []]
)
@pytest.mark.parametrize("labelled", [False, True])
def test_without_a_win_beyond_noise_the_constants_stay(asked: Sequence[RankedQuestion], labelled: bool) -> None:
    assert fit_order(asked, RANK, labelled=labelled) is None


def test_the_same_questions_give_the_same_fit() -> None:
    assert fit_order(questions("sees more"), RANK) == fit_order(questions("sees more"), RANK)


def test_a_question_without_an_answer_among_the_candidates_counts_nothing() -> None:
    lost = RankedQuestion(np.ones((3, 4)), np.zeros(3, bool))
    none = RankedQuestion(np.zeros((0, 4)), np.zeros(0, bool))
    assert lost.ndcg(np.ones(4)) == none.ndcg(np.ones(4)) == 0
    equal = RankedQuestion(np.ones((4, 4)), np.array([False, True, False, True]))
    assert equal.ndcg(np.ones(4)) == pytest.approx((1 / 2 + 1 / np.log2(5)) / (1 + 1 / np.log2(3))), (
        "the wrong ones first"
    )


def test_only_the_rank_score_changes() -> None:
    order = OrderFit(2.0, 0.5, 120, 0.5, 0.6)
    fitted = FittedCalibration(model="all-MiniLM-L6-v2", fitted_at=datetime.now(UTC), passages=1, order=order)
    changed = calibration_of("all-MiniLM-L6-v2", fitted)
    assert (changed.rank.cosine, changed.rank.coverage) == (2 * RANK.cosine, RANK.coverage / 2)
    assert replace(changed, rank=RANK) == MINILM
    assert calibration_of("all-MiniLM-L6-v2", replace(fitted, order=None)) == MINILM


class Blind(HashingEmbedder):
    """Its cosines say nothing, and differ much: it has few dimensions."""

    dimension = 8

    def embed_query(self, text: str) -> Vector:
        return self.embed_documents([text]).vectors[0]

    def embed_documents(self, texts: Sequence[str]) -> Embeddings:
        made = [np.random.default_rng(abs(hash_of(text))).normal(size=self.dimension) for text in texts]
        return Embeddings([np.asarray(one / np.linalg.norm(one), np.float32) for one in made])


def hash_of(text: str) -> int:
    return sum(place * ord(letter) for place, letter in enumerate(text, start=1))


def paragraphs(count: int) -> dict[str, str]:
    """Each document speaks of a subject with words of its own."""
    chance = random.Random(3)
    made = {}
    for number in range(count):
        words = [chance.choice(SUBJECTS), *(f"{chance.choice(DEEDS)}{chance.randrange(40)}" for _ in range(6))]
        sentences = [f"The {' '.join(chance.sample(words, 5))} of place{chance.randrange(90)} today." for _ in range(4)]
        made[f"{number}.md"] = " ".join(sentences)
    return made


@pytest.fixture(scope="module")
def indexed() -> Indexed:
    indexed = Indexed(size=1000, overlap=100, embedder=Blind())
    for name, text in paragraphs(150).items():
        indexed.put(name, text)
    return indexed


@pytest.mark.slow
def test_an_index_asks_itself_and_finds_out_that_its_model_says_nothing(indexed: Indexed) -> None:
    nothing = FittedCalibration(model="blind", fitted_at=datetime.now(UTC), passages=0)
    asked = OrderQuestions([Partition(indexed.vectors, indexed.chunks)], indexed.embedder, "english", nothing)
    found = list(asked.sentences())
    assert LEAST_QUESTIONS <= len(found) <= MOST_QUESTIONS
    assert all(one.answers.sum() == 1 and len(one.facts) > 1 for one in found)
    order = fit_order(found, RANK)
    assert order is not None and order.cosine < 1


def test_labels_say_which_passage_answers(indexed: Indexed) -> None:
    nothing = FittedCalibration(model="blind", fitted_at=datetime.now(UTC), passages=0)
    asked = OrderQuestions([Partition(indexed.vectors, indexed.chunks)], indexed.embedder, "english", nothing)
    text = indexed.texts["7.md"]
    question = asked.labelled(text.partition(".")[0], lambda chunk: chunk.text.startswith(text[:40]))
    assert question.answers.sum() == 1
    best = int(question.facts[:, 2].argmax())
    assert question.answers[best]


def test_a_sentence_is_asked_of_the_passage_without_it(indexed: Indexed) -> None:
    chunks = sample([indexed.vectors])
    asked = cloze_questions(chunks, 30)
    assert len(asked) == 30
    assert asked == cloze_questions(chunks, 30)
    for one in asked:
        assert one.text in one.source.chunk.text
        assert one.text not in one.answer.text
        assert one.gives_away(one.source.chunk)
        assert not one.gives_away(replace(one.answer, id="another"))


@pytest.mark.parametrize(
    "text",
    [
        "One sentence is not enough to take one away from the passage that has it.",
        "Short. Short. Short. Short. Short. Short. Short. Short.",
        "- an item of a list that has no end\n" * 6,
        "| a | row | of a table that is rather wide |\n" * 6,
    ],
)
def test_a_passage_without_prose_asks_nothing(text: str) -> None:
    indexed = Indexed(size=1000, overlap=100)
    indexed.put("a.md", text)
    assert cloze_questions(sample([indexed.vectors]), 10) == []
