"""Which words of a question only frame it."""

from __future__ import annotations

import pytest

from ragbase.text.framing_words import FRAMING_WORDS, without_framing
from ragbase.text.function_words import FUNCTION_WORDS
from ragbase.text.terms import terms_of


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("What does the documentation say about key rotation?", "key rotation"),
        ("Tell me about key rotation", "key rotation"),
        ("I would like to know more about key rotation, please", "key rotation"),
        ("How does key rotation work in Quarry?", "key rotation Quarry"),
        ("Where can I find something on key rotation in the documentation?", "key rotation"),
        ("quarry: please explain key rotation", "quarry key rotation"),
    ],
)
def test_what_frames_a_question_is_left_out(question: str, asked: str) -> None:
    assert terms_of(without_framing(question)) == terms_of(asked)


@pytest.mark.parametrize(
    "question",
    [
        "How do I apply for a work permit?",
        "How does shift work affect the health of nurses?",
        "What are the documentation requirements of the standard?",
        "the find command",
        "How do I use the help command?",
        "find command",
        "explain plan",
        "information security policy of the company",
        "What does it mean to be idempotent?",
        "please",
        "",
        "?!",
    ],
)
def test_a_word_that_is_asked_for_stays(question: str) -> None:
    assert without_framing(question) == question


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Wat zegt de handleiding over sleutels?", "sleutels"),
        ("Was steht in der Dokumentation über Schlüssel?", "Schlüssel"),
        ("Wie funktioniert der Wechsel der Schlüssel?", "Wechsel Schlüssel"),
        ("Que dit la documentation sur les clés du dépôt ?", "clés dépôt"),
        ("Cosa dice la documentazione sulla chiave del deposito?", "chiave deposito"),
        ("¿Qué dice la documentación sobre las claves?", "claves"),
        ("O que diz a documentação sobre as chaves?", "chaves"),
        ("Vad säger dokumentationen om nycklar och hur de byts?", "nycklar byts"),
        ("Я хочу узнать, как это и где ключи меняются", "ключи меняются"),
    ],
)
def test_each_language_has_its_own(question: str, asked: str) -> None:
    function = set().union(*FUNCTION_WORDS.values())
    left = [term for term in terms_of(without_framing(question), "none") if term not in function]
    assert left == terms_of(asked, "none")


def test_the_function_words_of_each_language_with_framing_words_are_known() -> None:
    assert FRAMING_WORDS.keys() <= FUNCTION_WORDS.keys()
