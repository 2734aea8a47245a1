"""The language of a text."""

from __future__ import annotations

import unicodedata

import pytest

from ragbase.text.languages import language_of
from ragbase.text.terms import terms_of

TEXTS = {
    "danish": "Havnen lukkes af vagten, og nogle af skibene kan ikke sejle, når de ikke ved, hvad der sker.",
    "dutch": "De haven sluit om middernacht, en de schepen die er zijn kunnen niet voor de ochtend uitvaren.",
    "english": "The harbour closes at midnight, and the ships cannot leave before the next morning.",
    "french": "Le port ferme à minuit, et les bateaux ne peuvent pas partir avant le lendemain matin.",
    "german": "Der Hafen schließt um Mitternacht, und die Schiffe können erst am nächsten Morgen auslaufen.",
    "italian": "Il porto chiude a mezzanotte, e le navi non possono partire prima della mattina dopo.",
    "portuguese": "O porto fecha à meia-noite, e os navios não podem sair antes da manhã seguinte.",
    "russian": "Порт закрывается в полночь, и корабли не могут выйти до следующего утра, если они не готовы.",
    "spanish": "El puerto cierra a medianoche, y los barcos no pueden salir hasta la mañana siguiente.",
    "swedish": "Hamnen stänger vid midnatt, och fartygen kan inte segla förrän nästa morgon när det är ljust.",
    "vietnamese": "Cảng đóng cửa vào nửa đêm, và các con tàu không được rời đi trước sáng hôm sau.",
}


@pytest.mark.parametrize(("language", "text"), TEXTS.items())
def test_a_sentence_says_its_language(language: str, text: str) -> None:
    assert language_of(text) == language
    assert language_of(unicodedata.normalize("NFD", text.upper())) == language


@pytest.mark.parametrize(
    "text", ["", "42", "HashMap::insert(key, value)", "Rio de Janeiro", "Der Spiegel", "港は真夜中に閉まります。"]
)
def test_what_is_not_clear_has_no_language(text: str) -> None:
    assert language_of(text) is None


def test_with_auto_each_text_has_the_stems_and_stop_words_of_its_language() -> None:
    assert terms_of(TEXTS["english"], "auto") == terms_of(TEXTS["english"], "english")
    german = terms_of(TEXTS["german"], "auto")
    assert {"schiff", "haf"} < set(german)
    assert not {"der", "und", "die", "am"} & set(german)
    assert "các" in terms_of(TEXTS["vietnamese"], "auto")


def test_an_index_with_one_language_keeps_its_terms() -> None:
    assert "und" in terms_of(TEXTS["german"], "german")
    assert "the" in terms_of(TEXTS["english"], "none")
