"""The language of a text."""

from __future__ import annotations

import os
import subprocess
import sys
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


@pytest.mark.parametrize("text", ["", "42", "HashMap::insert(key, value)", "Rio de Janeiro", "Der Spiegel"])
def test_what_is_not_clear_has_no_language(text: str) -> None:
    assert language_of(text) is None


OTHERS = {
    "arabic": "يغلق الميناء عند منتصف الليل",
    "czech": "Přístav se zavírá o půlnoci a lodě nesmějí odplout dříve než ráno.",
    "finnish": "Satama suljetaan keskiyöllä, eivätkä laivat voi lähteä ennen aamua.",
    "greek": "Το λιμάνι κλείνει τα μεσάνυχτα",
    "hindi": "बंदरगाह आधी रात को बंद हो जाता है",
    "hungarian": "A kikötő éjfélkor bezár, és a hajók reggelig nem indulhatnak el.",
    "japanese": "港は真夜中に閉まります。",
    "korean": "항구는 자정에 문을 닫습니다",
    "polish": "Port zamyka się o północy, a statki nie mogą wypłynąć przed rankiem.",
    "romanian": "Portul se închide la miezul nopții, iar corăbiile nu pot pleca înainte de dimineață.",
    "thai": "ท่าเรือปิดเวลาเที่ยงคืน",
    "turkish": "Liman gece yarısı kapanır ve gemiler sabahtan önce ayrılamaz.",
    "ukrainian": "Порт зачиняється опівночі, і кораблі не можуть вийти до ранку.",
}


@pytest.mark.parametrize(("language", "text"), OTHERS.items())
def test_letters_tell_a_language_whose_function_words_do_not(language: str, text: str) -> None:
    assert language_of(text) == language


@pytest.mark.parametrize("setting", ["english", "german", "auto"])
def test_each_text_has_the_stems_of_its_own_language_whatever_the_setting(setting: str) -> None:
    assert {"harbour", "close", "ship"} < set(terms_of(TEXTS["english"], setting))
    assert {"schiff", "haf"} < set(terms_of(TEXTS["german"], setting))
    assert {"puert", "barc"} < set(terms_of(TEXTS["spanish"], setting))
    assert {"gemi", "sabah"} < set(terms_of(OTHERS["turkish"], setting))
    assert "các" in terms_of(TEXTS["vietnamese"], setting)


def test_a_text_that_is_not_clear_has_the_stems_of_the_setting() -> None:
    assert terms_of("Rechnungen", "german") == ["rechnung"]
    assert terms_of("Rechnungen", "english") == ["rechnungen"]
    assert terms_of("invoices", "english") == terms_of("invoices", "auto") == ["invoic"]


def test_only_english_stop_words_are_dropped() -> None:
    assert "und" in terms_of(TEXTS["german"], "german")
    assert "the" not in terms_of(TEXTS["english"], "german")
    assert "the" in terms_of(TEXTS["english"], "none")


@pytest.mark.parametrize("text", [TEXTS["english"], TEXTS["spanish"]])
def test_paths_and_addresses_have_no_words_of_a_language(text: str) -> None:
    """Nor do typographic signs around words change anything."""
    names = "docs/und/der die.das @nicht x_auf/ein il-un.la www.der.die.example/und/oder"
    assert language_of(f"{text} {names}") == language_of(text)
    quoted = text.replace(" ", " “", 1).replace(",", "”,", 1)
    assert language_of(f"{quoted} – … {names}") == language_of(text)


_THREADS = """
import threading
from py3langid.langid import LanguageIdentifier
from ragbase.text.languages import language_of

loads, load, gate = [], LanguageIdentifier.from_model_file.__func__, threading.Barrier(6)

def counted(*arguments, **options):
    loads.append(1)
    return load(*arguments, **options)

LanguageIdentifier.from_model_file = classmethod(counted)

def tell():
    gate.wait()
    language_of("quittance loyer mensuel appartement chambre cuisine balcon cave jardin terrasse grenier atelier")

threads = [threading.Thread(target=tell) for _ in range(6)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(len(loads))
"""


@pytest.mark.slow
def test_threads_that_begin_together_load_the_model_once() -> None:
    """Each load takes half a second of a processor. A new process has not loaded it yet."""
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", _THREADS], env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=True
    )
    assert done.stdout.strip() == b"1"
