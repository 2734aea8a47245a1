"""What every generator does: sentences with draft citations of the passages that they are from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, closing, contextmanager

import pytest

from ragbase.adapters.cohere.generator import CohereGenerator
from ragbase.adapters.extractive.generator import ExtractiveGenerator
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.ports import Billed, DraftSentence, Generator
from scripts.local_cloud.cohere_server import cohere_server
from tests.unit.adapters.passages import passage


@contextmanager
def cohere() -> Iterator[Generator]:
    with cohere_server() as server, closing(CohereGenerator("key", model="command-a-03-2025", url=server.url)) as made:
        yield made


@contextmanager
def extractive() -> Iterator[Generator]:
    yield ExtractiveGenerator("english", HashingEmbedder())


@contextmanager
def by_words() -> Iterator[Generator]:
    yield ExtractiveGenerator("english")


GENERATORS: Mapping[str, Callable[[], AbstractContextManager[Generator]]] = {
    "cohere": cohere,
    "extractive": extractive,
    "extractive by words": by_words,
}

EVIDENCE = (
    passage(1, "Bread is baked at four. The oven is cleaned on Sundays.", name="bakery.md"),
    passage(2, "The lighthouse is old. Its keeper counts the ships.", name="tower.md", header="Tower > Work"),
)


@pytest.fixture(params=GENERATORS)
def generator(request: pytest.FixtureRequest) -> Iterator[Generator]:
    with GENERATORS[request.param]() as generator:
        yield generator


def sentences(generator: Generator, question: str) -> list[DraftSentence]:
    parts = list(generator.generate(question, EVIDENCE))
    return [part for part in parts if isinstance(part, DraftSentence)]


def test_a_sentence_names_the_passage_that_it_is_from_and_words_of_it(generator: Generator) -> None:
    given = sentences(generator, "Who counts the ships?")
    sentence = next(one for one in given if "counts the ships" in one.text)
    (drafted,) = sentence.citations
    assert drafted.passage == "2"
    assert drafted.words in EVIDENCE[1].text


def test_the_same_question_gets_the_same_answer(generator: Generator) -> None:
    assert sentences(generator, "When is bread baked?") == sentences(generator, "When is bread baked?")


def test_a_generator_has_a_name(generator: Generator) -> None:
    assert generator.model


def test_no_sentence_is_blank_or_goes_over_lines(generator: Generator) -> None:
    for one in sentences(generator, "oven lighthouse bread ships"):
        assert one.text == one.text.strip() != ""


def test_a_question_without_a_known_word_is_answered_without_an_error(generator: Generator) -> None:
    list(generator.generate("???", EVIDENCE))


def test_a_half_of_a_surrogate_pair_does_no_harm(generator: Generator) -> None:
    evidence = (passage(1, "The keeper counts \ud83d ships."),)
    assert [part for part in generator.generate("Who counts \ud83d ships?", evidence) if not isinstance(part, Billed)]
