"""What chance gives in an index is measured for each language of its passages, and takes away evidence there alone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ragbase.adapters.local_model.embedder import LocalEmbedder
from ragbase.adapters.minilm.embedder import minilm
from ragbase.domain.calibration import FittedCalibration
from ragbase.retrieval.chance import chance_levels
from ragbase.retrieval.search_one_index import search_one_index
from ragbase.retrieval.search_result import SearchResults
from tests.models import model_folder
from tests.unit.retrieval.indexed import Indexed

RUSSIAN = {
    "mill": "Насос мельницы смазывают весной, а клапан меняют каждые два года по просьбе мельника.",
    "port": "Порт города Оулу имеет глубину девять метров, и летом туда приходят суда с зерном и лесом.",
    "leave": "Каждому сотруднику положено двадцать пять дней отпуска в год, о котором он просит заранее.",
    "backup": "Ночная копия базы данных начинается в половине третьего и хранится на другом континенте.",
}
ENGLISH = {
    "ferry": "The ferry to the island leaves at seven in the morning and takes cars and bicycles on board.",
    "library": "The library lends each book for four weeks, and a reader may ask for two weeks more.",
}
OWN = "Когда смазывают насос мельницы?"


@pytest.fixture(scope="module")
def model() -> LocalEmbedder:
    return minilm(model_folder("minilm"))


@pytest.fixture(scope="module")
def mixed(model: LocalEmbedder) -> Indexed:
    found = Indexed(embedder=model)
    for name, text in (RUSSIAN | ENGLISH).items():
        found.put(name, text)
    return found


def levels(of: Indexed, texts: dict[str, str]) -> dict[str, float]:
    return chance_levels(texts.values(), partitions=[of.chunks], embedder=of.embedder, language="english")


def found(of: Indexed, question: str, chance: dict[str, float] | None) -> SearchResults:
    fitted = FittedCalibration(
        model=of.embedder.model, fitted_at=datetime.now(UTC), passages=len(of.texts), chance_levels=chance
    )
    return search_one_index(
        question, chunks=of.chunks, embedder=of.embedder, top_k=5, threshold=0.0, language="english", fitted=fitted
    )


@pytest.mark.slow
def test_a_level_is_measured_for_each_language_of_the_passages_but_english(mixed: Indexed) -> None:
    assert levels(mixed, RUSSIAN | ENGLISH).keys() == {"russian"}
    assert levels(mixed, ENGLISH) == {}
    assert levels(mixed, {}) == {}


def test_an_index_without_passages_has_no_level(model: LocalEmbedder) -> None:
    assert levels(Indexed(embedder=model), RUSSIAN) == {}


def test_an_index_where_many_words_meet_by_chance_has_a_higher_level(model: LocalEmbedder, mixed: Indexed) -> None:
    everyday = Indexed(embedder=model)
    everyday.put("dog", "Собаку отучают лаять по ночам, если осенью листья краснеют, и завтра пойдёт снег.")
    everyday.put("pool", "Бассейн открывается в воскресенье, а пиццы пекут из муки, и автобус идёт до пляжа.")
    everyday.put("hair", "Голову моют часто, пианино изобрели давно, а столица Австралии называется иначе.")
    assert levels(everyday, everyday.texts)["russian"] > levels(mixed, RUSSIAN)["russian"] + 1


def test_the_more_chance_gives_the_less_a_question_in_that_language_finds(mixed: Indexed) -> None:
    plain, low, high, higher = (
        found(mixed, OWN, chance)[0] for chance in (None, {"russian": -2.0}, {"russian": 0.5}, {"russian": 2.0})
    )
    assert plain.chunk == low.chunk == high.chunk == higher.chunk
    assert plain.confidence == pytest.approx(low.confidence)
    assert low.confidence > high.confidence > higher.confidence


def test_a_level_changes_neither_the_order_nor_questions_in_other_languages(mixed: Indexed) -> None:
    english = "When does the ferry leave?"
    for question in (OWN, english):
        plain, high = found(mixed, question, {}), found(mixed, question, {"russian": 2.0})
        assert [one.chunk for one in plain] == [one.chunk for one in high]
    assert [one.confidence for one in found(mixed, english, {})] == [
        one.confidence for one in found(mixed, english, {"russian": 2.0})
    ]


def test_a_word_or_two_count_as_in_the_language_of_the_nearest_passages(mixed: Indexed) -> None:
    plain, high = (found(mixed, "насос", chance)[0] for chance in ({}, {"russian": 3.0}))
    assert high.confidence < plain.confidence
