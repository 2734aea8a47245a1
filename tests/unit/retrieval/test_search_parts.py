"""Each part of a question is searched, gated and answered by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from types import SimpleNamespace
from typing import cast

import pytest

from ragbase.adapters.extractive.generator import ExtractiveGenerator
from ragbase.domain.answer import NO_INFORMATION, GeneratedAnswer, QuestionPart
from ragbase.domain.conversation import FollowUp
from ragbase.domain.errors import Unavailable
from ragbase.domain.evidence import EvidencePassage
from ragbase.domain.limits import MAX_SEARCHES
from ragbase.ports import ChatModel, DraftSentence, Generator, OpenIndex
from ragbase.retrieval.answer import answer, whole
from ragbase.retrieval.context import EvidenceLimits
from ragbase.retrieval.retriever import Retriever
from ragbase.retrieval.search_parts import search_parts
from ragbase.retrieval.search_result import SearchResults
from ragbase.testing.chat_model import MemoryChatModel
from ragbase.text.question_parts import question_parts
from tests.unit.retrieval.indexed import Indexed

BRIDGE = "The old bridge over the river Tyne was built in 1849 by Robert Stephenson.\n"
MUSEUM = "The entrance to the Victoria museum costs twelve pounds on every day of the week.\n"
BOTH = "When was the bridge over the Tyne built and how much does the entrance to the Victoria museum cost?"
FIRST = "When was the bridge over the Tyne built and what do crocodiles eat?"
NONE = "What is baking soda and what do crocodiles eat?"


class World(Indexed):
    """It notes what was searched for."""

    def __init__(self) -> None:
        super().__init__()
        self.put("bridge.md", BRIDGE)
        self.put("museum.md", MUSEUM)
        self.asked: list[str] = []

    def find(self, text: str, follow_up: FollowUp | None = None) -> SearchResults:
        self.asked.append(text)
        return self.search(text, threshold=0.5, follow_up=follow_up)

    def parts(self, question: str, top_k: int = 5, model: ChatModel | None = None) -> SearchResults:
        return search_parts(question, self.find, top_k=top_k, model=lambda: model)

    def answer(self, question: str, generator: Generator | None = None, tokens: int = 2_000) -> GeneratedAnswer:
        return whole(
            answer(
                question,
                self.parts(question),
                generator=lambda: generator or ExtractiveGenerator("english"),
                chunks_of=lambda _: self.chunks,
                limits=EvidenceLimits(tokens),
                language="english",
            )
        )


@pytest.fixture
def world() -> World:
    return World()


def statuses(parts: Sequence[QuestionPart]) -> list[bool]:
    return [part.covered for part in parts]


@pytest.mark.parametrize(
    ("question", "covered"), [(BOTH, [True, True]), (FIRST, [True, False]), (NONE, [False, False])]
)
def test_each_part_passes_the_threshold_or_not(world: World, question: str, covered: list[bool]) -> None:
    found = world.parts(question)
    assert statuses(found.parts) == covered
    assert bool(found) == any(covered)
    assert [part.near_miss is None for part in found.parts] == covered
    assert (found.near_miss is None) == any(covered)


def test_the_results_have_the_scores_that_each_part_gives_them(world: World) -> None:
    found = world.parts(BOTH)
    alone = {
        one.chunk.id: one.score for part in found.parts for one in reversed(world.search(part.text, threshold=0.5))
    }
    assert [one.rank for one in found] == [1, 2]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert all(one.score >= alone[one.chunk.id] for one in found)


def test_each_part_has_a_result_however_many_the_others_have(world: World) -> None:
    for number in range(6):
        world.put(f"{number}.md", f"The old bridge number {number} over the river Tyne was built in 18{number}9.\n")
    found = world.parts(BOTH, top_k=2)
    assert {one.document.name for one in found} > {"museum.md"}
    assert len(found) == 2


def test_a_question_with_one_part_is_searched_for_as_it_is(world: World) -> None:
    found = world.parts("Who built the bridge over the river Tyne?")
    assert world.asked == ["Who built the bridge over the river Tyne?"]
    assert found.parts == ()
    assert found == world.search("Who built the bridge over the river Tyne?", threshold=0.5)


def test_at_most_so_many_searches_are_made_and_the_rest_is_named(world: World) -> None:
    found = world.parts(
        "1) Who was Ada? 2) Who was Bob? 3) Who was Eve? 4) Who was Kim? 5) Who was Max? 6) Who was Ivo?"
    )
    assert len(world.asked) == MAX_SEARCHES
    assert [part.searched for part in found.parts] == [True] * 4 + [False] * 2
    world.asked.clear()
    compared = world.parts("compare bread, butter, cheese, ham and jam")
    assert len(world.asked) == MAX_SEARCHES
    assert [part.searched for part in compared.parts] == [True] * 3 + [False] * 2


def test_a_comparison_is_searched_for_as_a_whole_too(world: World) -> None:
    question = "What is the difference between the bridge over the Tyne and a crocodile?"
    found = world.parts(question)
    assert world.asked[-1] == question
    assert statuses(found.parts) == [True, False]


def test_the_answer_quotes_for_each_part_and_says_what_is_open(world: World) -> None:
    both = world.answer(BOTH)
    assert [sentence.text for sentence in both.sentences] == [BRIDGE.strip(), MUSEUM.strip()]
    assert statuses(both.parts) == [True, True]
    first = world.answer(FIRST)
    assert first.text == f'{BRIDGE.strip()} The documents do not answer: "what do crocodiles eat?".'
    assert world.answer(NONE).text == NO_INFORMATION


class Counts:
    model = "stand-in"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def generate(self, question: str, evidence: Sequence[EvidencePassage]) -> Iterator[DraftSentence]:
        self.asked.append(question)
        yield from ()


def test_a_model_is_asked_once_about_the_parts_that_are_covered(world: World) -> None:
    model = Counts()
    world.answer(BOTH, model)
    world.answer(FIRST, model)
    world.answer(NONE, model)
    first, second = (part.text for part in world.parts(BOTH).parts)
    assert model.asked == [f"{first}\n{second}", first]


def test_each_part_has_evidence_also_if_the_budget_is_small(world: World) -> None:
    names = {passage.document.name for passage in world.answer(BOTH, tokens=1).evidence}
    assert names == {"bridge.md", "museum.md"}


def test_a_retriever_says_the_parts(world: World) -> None:
    retriever = Retriever(world.embedder, world.chunks, generator=ExtractiveGenerator("english"))
    assert statuses(retriever.search(FIRST).parts) == [True, False]
    assert statuses(retriever.generate(FIRST).parts) == [True, False]


class _Together:
    """The embedder of an index, that takes several questions at once."""

    def __init__(self) -> None:
        self.asked: list[Sequence[str]] = []

    def embed_queries(self, texts: Sequence[str]) -> None:
        self.asked.append(texts)


def test_the_parts_are_embedded_together_in_one_index(world: World) -> None:
    first, second = (SimpleNamespace(embedder=_Together()) for _ in range(2))
    current = iter([first, second, second, second])
    search_parts(FIRST, world.find, top_k=5, current=lambda: cast(OpenIndex, next(current)))
    texts = list(question_parts(FIRST).texts)
    assert [one.embedder.asked for one in (first, second)] == [[texts], [texts]]
    assert world.asked == [*texts, *texts]  # another index became the current one


def says(text: str) -> Callable[[str, str], str]:
    return lambda instructions, message: text


def test_a_model_says_where_the_parts_are(world: World) -> None:
    lines = "When was the bridge over the Tyne built?\nWhat do crocodiles eat?"
    model = MemoryChatModel(says(lines))
    assert [part.text for part in world.parts(FIRST, model=model).parts] == lines.splitlines()
    world.parts("Who built the bridge?", model=model)
    assert len(model.asked) == 1


@pytest.mark.parametrize(
    "model",
    [
        MemoryChatModel(says("When was the bridge over the Tyne built?\nWhat do crocodiles eat in Paris?")),
        MemoryChatModel(says("When was the bridge over the Tyne built?")),  # it leaves out the other one
        MemoryChatModel(says("")),
        MemoryChatModel(says("I am sorry, I cannot help with that.")),
        MemoryChatModel(says(""), Unavailable("It does not answer.")),
    ],
)
def test_what_a_model_makes_up_or_leaves_out_is_not_searched_for(world: World, model: ChatModel) -> None:
    world.parts(FIRST, model=model)
    assert world.asked == list(question_parts(FIRST).texts)
