"""A question may find any passage: none takes an answer a time that doubles with each of its signs."""

from __future__ import annotations

import pytest

from ragbase.adapters.extractive.generator import ExtractiveGenerator
from ragbase.testing.passages import passage
from tests.unit.formats.limited import limited


@pytest.mark.parametrize(
    "text",
    [
        "![sail](wind)" * 60 + " end",
        "[sail](wind) " * 60 + "[sail",
        "- [sail](a) (b) (c) (d)\n" * 40 + "no link",
        "* > - + " * 100 + "sail",
        "](sail(wind" * 90,
    ],
)
def test_an_answer_from_a_hostile_passage(text: str) -> None:
    limited(
        lambda: [str(said) for said in ExtractiveGenerator("english").generate("What of sail?", [passage(1, text)])]
    )


@pytest.mark.parametrize("link", ["[sail](wind)", "- [sail](wind) (of a boat)", "[a](b)\n[sail](wind)", "![sail]()"])
def test_a_link_alone_is_no_answer(link: str) -> None:
    assert not list(ExtractiveGenerator("english").generate("Which sail?", [passage(1, link)]))
