"""The script of <ragbase-ask>: what no page of another site would like to have in it."""

from __future__ import annotations

import json
import re

from ragbase.domain.limits import MAX_QUERY_LENGTH
from ragbase.interfaces.console.ask_element import SCRIPT, STRINGS, STYLE, ask_element
from tests.page_blocks import block_of
from tests.unit.interfaces.console.test_page_files import FOREIGN, MARKUP, places

WORDS = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in STRINGS.glob("*.json")}
TEXT = ask_element().script.decode()


def test_it_is_one_module_that_brings_everything() -> None:
    assert not re.search(r"^\s*import\b|\bimport\(|\bexport\b", TEXT, re.MULTILINE)
    assert "__WORDS__" not in TEXT and "__STYLE__" not in TEXT
    assert json.dumps(STYLE.read_text(encoding="utf-8")) in TEXT
    assert not re.search(r"@import|url\(", STYLE.read_text(encoding="utf-8"))


def test_it_makes_no_markup_keeps_nothing_and_names_no_other_host() -> None:
    assert not MARKUP.findall(TEXT)
    assert not FOREIGN.findall(TEXT)
    assert not re.findall(r"localStorage|sessionStorage|indexedDB|document\.cookie|sendBeacon|\.style\b", TEXT)


def test_its_languages_say_the_same_and_every_word_is_used() -> None:
    assert WORDS.keys() == {"en", "vi"}
    assert list(WORDS["en"]) == list(WORDS["vi"])
    for name, string in WORDS["en"].items():
        assert places(string) == places(WORDS["vi"][name]), name
    script = SCRIPT.read_text(encoding="utf-8")
    quoted = set(re.findall(r'"(\w+)"', script))
    assert WORDS["en"].keys() <= quoted
    assert set(re.findall(r'(?:#say|\btell)\("(\w+)"', script)) <= WORDS["en"].keys()


def test_the_documentation_has_its_address_and_hash() -> None:
    element = block_of("docs/access.md", "On a page of yours", 3).text
    assert f'ragbase-ask-{ask_element().version}.js" integrity="{ask_element().integrity}"' in element


def test_it_knows_the_limit_of_a_question() -> None:
    assert f"const MOST = {MAX_QUERY_LENGTH};" in TEXT
