"""Words that are asked without accents."""

from __future__ import annotations

import math
from typing import Any

import pytest

from ragbase.domain.identity import document_id
from ragbase.domain.search_filter import SearchFilter
from ragbase.ports import Candidates
from ragbase.retrieval.calibration import HASHING
from ragbase.retrieval.languages.background import USUAL
from ragbase.retrieval.search_one_index import search_one_index
from tests.unit.retrieval.indexed import Indexed

CAPITAL = "Thủ đô của nước này là Hà Nội."
OTHERS = ["Món phở có bánh và thịt bò.", "The harbour closes at noon.", "Der Hafen schließt am Mittag."]


def world_of(*texts: str) -> Indexed:
    world = Indexed()
    for number, text in enumerate(texts):
        world.put(f"{number}.md", text)
    return world


def test_a_question_without_accents_finds_as_much_as_one_with_them() -> None:
    world = world_of(CAPITAL, *OTHERS)
    (plain, *_), (marked, *_) = world.search("thu nuoc ha noi"), world.search("thủ nước hà nội")
    assert plain.chunk.text == marked.chunk.text == CAPITAL
    assert plain.breakdown.sparse_score == marked.breakdown.sparse_score


def test_accents_in_a_question_are_meant() -> None:
    world = world_of("Con ma ở trong rừng.", "Má ở ngoài chợ.", "Mạ ở ngoài đồng.")
    found = [one.chunk.text for one in world.search("má nào") if one.breakdown.sparse_score > 0]
    assert found == ["Má ở ngoài chợ."]


def test_one_word_stands_for_a_few_others_at_most() -> None:
    """Each is a look-up in the store."""
    letters = "áàảãạăắằẳẵặâấầẩẫậ"
    world = world_of(*(f"m{letter}" for letter in letters))
    found = [one for one in world.search("ma", top_k=30) if one.breakdown.sparse_score > 0]
    assert 1 <= len(found) < len(letters)


def test_a_filter_changes_no_score_of_a_question_without_accents() -> None:
    world = world_of(CAPITAL, "Ở Nam Bộ có đất phù sa.", *OTHERS)
    query = "thu nuoc dat"
    within = SearchFilter(document_ids=frozenset({document_id("bucket", "0.md")}))
    everything = {one.document.name: one for one in world.search(query)}
    (only,) = search_one_index(
        query, chunks=world.chunks, embedder=world.embedder, top_k=5, threshold=0.0, language="english", within=within
    )
    assert (only.confidence, only.breakdown) == (everything["0.md"].confidence, everything["0.md"].breakdown)


def test_the_nearest_of_the_whole_index_are_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    world = world_of(CAPITAL, *OTHERS)
    wanted: list[int] = []
    search = world.vectors.search

    def counting(*arguments: Any, nearest: int, **options: Any) -> Candidates:
        wanted.append(nearest)
        return search(*arguments, nearest=nearest, **options)

    monkeypatch.setattr(world.vectors, "search", counting)
    within = SearchFilter(document_ids=frozenset({document_id("bucket", "0.md")}))
    search_one_index(
        "thu nuoc",
        chunks=world.chunks,
        embedder=world.embedder,
        top_k=5,
        threshold=0.0,
        language="english",
        within=within,
    )
    assert (len(wanted) > 1, sum(map(bool, wanted))) == (True, 1)


def test_a_question_in_english_is_answered_as_if_other_words_had_no_marks() -> None:
    plain = world_of("The resume of Zoe is long.", *OTHERS).search("resume of Zoe")
    marked = world_of("The résumé of Zoë is long.", *OTHERS).search("resume of Zoe")
    assert marked[0].breakdown.sparse_score == plain[0].breakdown.sparse_score > 0


def test_function_words_of_a_question_are_no_evidence_for_a_passage() -> None:
    world = world_of(*OTHERS, "Ai là người đã vào năm nào.")
    best = world.search("Ai là người đã xây cầu vào năm nào?")[0]
    assert best.breakdown.sparse_score > 0
    # What is left of the confidence comes from the cosine.
    weights = HASHING.confidence
    evidence = math.log(best.confidence / (1 - best.confidence))
    sees = 1 - USUAL / 0.5
    assert evidence == pytest.approx(sees * weights.cosine * best.breakdown.dense_score + weights.bias)
