"""Documents on other subjects do not take answers away, however many join the index; nor do they answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.ports import Candidates
from ragbase.retrieval.calibration import MINILM
from ragbase.retrieval.languages.background import background_of
from ragbase.retrieval.scoring import Scorer
from ragbase.testing.vector_store import MemoryVectorStore

if TYPE_CHECKING:
    from ragbase.domain.chunk import Vector

pytestmark = pytest.mark.slow

UNRELATED = [3_000, pytest.param(15_000, marks=pytest.mark.prove)]
QUESTIONS = 40
DIMENSION = 384
_DIRECTIONS = 128
"""So few that the nearest of 15,000 unrelated passages has a cosine of about .35, as with real texts."""


@dataclass(frozen=True)
class Question:
    vector: Vector
    terms: Sequence[str]


class Texts:
    """Makes passages and questions. Common words are in many passages, each in fewer than the one before."""

    def __init__(self) -> None:
        self._random = np.random.default_rng(14)

    def direction(self) -> Vector:
        vector = np.zeros(DIMENSION, np.float32)
        vector[:_DIRECTIONS] = self._random.normal(size=_DIRECTIONS)
        return vector / np.linalg.norm(vector)

    def near(self, vector: Vector, cosine: float) -> Vector:
        other = self.direction()
        other -= (other @ vector) * vector
        sine = np.sqrt(np.float32(1 - cosine**2))
        near: Vector = np.float32(cosine) * vector + sine * other / np.float32(np.linalg.norm(other))
        return near

    def common(self, count: int) -> list[str]:
        return [f"common{rank}" for rank in self._random.zipf(1.3, size=count) % 5000]

    def cosine(self) -> float:
        return float(self._random.uniform(0.4, 0.7))

    def unrelated(self, count: int) -> Iterator[EmbeddedChunk]:
        for number in range(count):
            yield embedded(f"unrelated {number}", self.direction(), self.common(40))


def embedded(text: str, vector: Vector, terms: Sequence[str]) -> EmbeddedChunk:
    chunk = Chunk(
        id=text,
        document_id=text.split(maxsplit=1)[0],
        generation=1,
        ordinal=0,
        text=text,
        char_start=0,
        char_end=len(text),
        header_path=(),
        page=None,
        text_hash=text,
    )
    return EmbeddedChunk(chunk, vector, " ".join(terms))


@pytest.fixture(scope="module")
def texts() -> Texts:
    return Texts()


@pytest.fixture(scope="module")
def own(texts: Texts) -> list[Question]:
    """Each has two words of its passage, a common one, and one that stands nowhere."""
    return [
        Question(texts.direction(), [f"a{number}", f"b{number}", *texts.common(1), f"nowhere{number}"])
        for number in range(QUESTIONS)
    ]


@pytest.fixture(scope="module")
def foreign(texts: Texts) -> list[Question]:
    return [
        Question(texts.direction(), [f"foreign{number}", f"elsewhere{number}", *texts.common(2)])
        for number in range(QUESTIONS)
    ]


@pytest.fixture(scope="module")
def small(texts: Texts, own: Sequence[Question]) -> MemoryVectorStore:
    store = MemoryVectorStore()
    for number, question in enumerate(own):
        terms = [f"a{number}", f"b{number}", f"c{number}", *texts.common(37)]
        store.write([embedded(f"own {number}", texts.near(question.vector, texts.cosine()), terms)])
    return store


@pytest.fixture(scope="module", params=UNRELATED)
def large(texts: Texts, small: MemoryVectorStore, request: pytest.FixtureRequest) -> MemoryVectorStore:
    store = MemoryVectorStore()
    store.write([*small.read("own", 1), *texts.unrelated(request.param)])
    return store


def answered(store: MemoryVectorStore, questions: Sequence[Question]) -> float:
    """The share of the questions that get a passage at a threshold of 0.5."""
    return float(np.mean([any(_confidences(store, question)) for question in questions]))


def _confidences(store: MemoryVectorStore, question: Question) -> Iterator[bool]:
    candidates: Candidates = store.search(question.vector, question.terms, 30)
    scorer = Scorer(question.terms, candidates, MINILM, background_of(question.vector, MINILM.languages))
    return (scorer.score(hit).confidence >= 0.5 for hit in candidates.hits)


def test_answers_survive_unrelated_passages(
    small: MemoryVectorStore, large: MemoryVectorStore, own: Sequence[Question]
) -> None:
    alone = answered(small, own)
    assert alone >= 0.95
    assert answered(large, own) >= alone - 0.02


def test_unrelated_passages_answer_no_foreign_question(
    small: MemoryVectorStore, large: MemoryVectorStore, foreign: Sequence[Question]
) -> None:
    assert answered(small, foreign) <= 0.05
    assert answered(large, foreign) <= 0.05
