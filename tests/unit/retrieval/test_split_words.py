"""Words that invisible letters or markup split are found, whichever way they are asked."""

from __future__ import annotations

import pytest

from tests.unit.retrieval.indexed import Indexed

TEXTS = {
    "ship": "The Donau\u00addampf\u00adschiff leaves Linz at noon, and the band plays on its upper deck.",
    "water": "The tank holds H~2~O under a blanket of CO<sub>2</sub>, which keeps the oxygen away.",
    "floor": "A crew paints 40 m² of the hull in an hour, and rests in the shade after that.",
    "tea": "او می\u200cخواهد چای بنوشد و کتاب\u200cها را بخواند، اما باران می\u200cبارد.",
}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Donaudampfschiff", "ship"),
        ("Donau\u200bdampf\u00adschiff", "ship"),
        ("H2O", "water"),
        ("H₂O", "water"),
        ("CO₂", "water"),
        ("m<sup>2</sup> of the hull", "floor"),
        ("می\u200cخواهد", "tea"),
        ("میخواهد", "tea"),
        ("کتاب", "tea"),
    ],
)
def test_a_word_is_found_however_it_is_written(question: str, name: str) -> None:
    indexed = Indexed()
    for one, text in TEXTS.items():
        indexed.put(one, text)
    found = indexed.search(question, threshold=0.5)
    assert found and found[0].sources[0].chunk.text == TEXTS[name]
