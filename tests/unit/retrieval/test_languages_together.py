"""An index whose texts are in several languages."""

from __future__ import annotations

import pytest

from ragbase.retrieval.search_result import SearchResult
from tests.unit.retrieval.indexed import Indexed

TEXTS = {
    "en.md": "The installations of the pumps are in the cellar, and they are tested in May.",
    "de.md": "Die Häuser an der Küste haben Pumpen, und sie werden im Mai geprüft.",
    "fr.md": "Les maisons sur la côte ont des pompes, et elles sont vérifiées en mai.",
    "vi.md": "Các máy bơm ở trong nhà và được kiểm tra vào tháng năm.",
}


@pytest.fixture
def world() -> Indexed:
    world = Indexed(language="auto")
    for name, text in TEXTS.items():
        world.put(name, text)
    return world


def having_words(results: list[SearchResult]) -> set[str]:
    return {one.document.name for one in results if one.breakdown.sparse_score > 0}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Wo ist das Haus an der Küste?", {"de.md"}),  # Haus and Häuser have one German stem
        ("Haus", {"de.md"}),  # too short for a language: it is tried in those of the passages
        ("maison", {"fr.md"}),
        ("installation", {"en.md"}),
        ("may bom", {"vi.md"}),
        ("Where are the pumps?", {"en.md", "de.md"}),  # Pumpen and pumps have one stem
    ],
)
def test_a_word_is_found_by_the_stem_of_each_language(world: Indexed, query: str, names: set[str]) -> None:
    assert having_words(world.search(query, top_k=10)) == names


def test_english_alone_is_found_as_in_an_english_index() -> None:
    found = []
    for language in ("english", "auto"):
        world = Indexed(language=language)
        world.put("pumps.md", TEXTS["en.md"])
        world.put("harbour.md", "The harbour closes at midnight, when the last ships have left.")
        found.append([(one.document.name, one.breakdown) for one in world.search("testing a pump installation")])
    assert found[0] == found[1] != []


@pytest.mark.parametrize(
    ("text", "query", "foreign"),
    [
        ("港口在午夜关闭,船只第二天早上才能离开。", "船只什么时候离开", "水泵"),
        ("港は真夜中に閉まり、船は翌朝まで出られません。", "真夜中の港", "発電機"),
        ("ท่าเรือปิดตอนเที่ยงคืน และเรือออกไม่ได้จนถึงเช้า", "ท่าเรือปิดกี่โมง", "จดหมาย"),
    ],
)
@pytest.mark.parametrize("language", ["english", "auto", "none"])
def test_scripts_without_spaces_are_found_by_their_words(text: str, query: str, foreign: str, language: str) -> None:
    world = Indexed(language=language)
    world.put("harbour.md", text)
    world.put("other.md", TEXTS["en.md"])
    assert having_words(world.search(query, top_k=10)) == {"harbour.md"}
    assert having_words(world.search(foreign, top_k=10)) == set()
