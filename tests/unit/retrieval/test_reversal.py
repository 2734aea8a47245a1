"""A sentence that turns a text into its opposite is found, in the languages of chat models; one that agrees is not."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.retrieval.reversal import is_reversed
from ragbase.text.terms import terms_of

PAIRS = {
    "English": ("The nightly backup starts at 02:30.", "The nightly backup does not start at 02:30."),
    "contracted": ("The nightly backup starts at 02:30.", "The nightly backup doesn’t start at 02:30."),
    "never": ("The door must be opened by visitors.", "The door must never be opened by visitors."),
    "no longer": ("The old key is accepted by the server.", "The old key is no longer accepted by the server."),
    "cannot": ("Deleted files can be restored.", "Deleted files cannot be restored."),
    "nobody": ("Everybody may read the log.", "Nobody may read the log."),
    "German": ("Das Backup startet um 2:30 Uhr in der Nacht.", "Das Backup startet um 2:30 Uhr in der Nacht nicht."),
    "German kein": ("Der Server braucht ein Passwort.", "Der Server braucht kein Passwort."),
    "German nie": ("Die Tür wird im Mai geöffnet.", "Die Tür wird im Mai nie geöffnet."),
    "French": ("La sauvegarde démarre à 2:30.", "La sauvegarde ne démarre pas à 2:30."),
    "French plus": ("La clé est acceptée par le serveur.", "La clé n’est plus acceptée par le serveur."),
    "Spanish": ("La copia se inicia a las 2:30.", "La copia no se inicia a las 2:30."),
    "Spanish nunca": ("La puerta se abre por la noche.", "La puerta nunca se abre por la noche."),
    "Italian": ("Il backup parte alle 2:30 di notte.", "Il backup non parte alle 2:30 di notte."),
    "Portuguese": ("O backup começa no servidor às 2:30.", "O backup não começa no servidor às 2:30."),
    "Dutch": ("De back-up start nu om 2:30 uur.", "De back-up start nu niet om 2:30 uur."),
    "Polish": ("Kopia zapasowa jest tworzona w nocy.", "Kopia zapasowa nie jest tworzona w nocy."),
    "Czech": ("Záloha se spouští v noci a je šifrovaná.", "Záloha se nespouští v noci a je šifrovaná."),
    "Romanian": ("Copia de rezervă este pornită la 2:30.", "Copia de rezervă nu este pornită la 2:30."),
    "Turkish verb": ("Sunucu bu anahtar ile başlar.", "Sunucu bu anahtar ile başlamaz."),
    "Turkish": ("Yedekleme saat 2:30 için planlı ve açık.", "Yedekleme saat 2:30 için planlı değil ve açık."),
    "Vietnamese": ("Máy chủ được sao lưu vào lúc 2:30.", "Máy chủ không được sao lưu vào lúc 2:30."),
    "Indonesian": ("Cadangan dibuat pada pukul 2:30.", "Cadangan tidak dibuat pada pukul 2:30."),
    "Russian": ("Резервная копия создаётся ночью.", "Резервная копия не создаётся ночью."),
    "Ukrainian": ("Резервна копія створюється вночі.", "Резервна копія ніколи не створюється вночі."),
    "Arabic": ("يبدأ النسخ الاحتياطي في الليل", "لا يبدأ النسخ الاحتياطي في الليل"),
    "Persian": ("پشتیبان‌گیری در شب انجام می‌شود", "پشتیبان‌گیری در شب انجام نمی‌شود"),
    "Hebrew": ("הגיבוי מתחיל בלילה", "הגיבוי לא מתחיל בלילה"),
    "Greek": ("Το αντίγραφο δημιουργείται τη νύχτα.", "Το αντίγραφο δεν δημιουργείται τη νύχτα."),
    "Hindi": ("बैकअप रात में शुरू होता है", "बैकअप रात में शुरू नहीं होता है"),
    "Chinese": ("备份在夜间开始。", "备份不在夜间开始。"),
    "Japanese": ("バックアップは夜に開始します。", "バックアップは夜に開始しません。"),
    "Korean": ("백업은 밤에 시작됩니다.", "백업은 밤에 시작되지 않습니다."),
}

reverses = partial(is_reversed, terms_of=lambda text: frozenset(terms_of(text)))


@pytest.mark.parametrize(("says", "denies"), PAIRS.values(), ids=PAIRS.keys())
def test_a_negation_more_or_less_reverses_a_sentence(says: str, denies: str) -> None:
    assert reverses(denies, [says])
    assert reverses(says, [denies])
    assert not reverses(says, [says])
    assert not reverses(denies, [denies])


@pytest.mark.parametrize(
    ("sentence", "texts"),
    [
        ("It is kept for ninety days.", ["It is kept for ninety days and is not encrypted."]),
        ("It is not encrypted.", ["It is kept for ninety days, but it isn't encrypted."]),
        (
            "The backup starts at 02:30.",
            ["The backup starts at 02:30.", "The test of the backup never starts before 09:00."],
        ),
        ("The pump runs by day.", ["The pump does not run at night. The pump runs by day."]),
        ("The backup starts at 02:30.", ["The backup starts not only at 02:30, but also at noon."]),
        ("The key never expires.", ["The key does not expire."]),
        ("Users who are not signed in see public pages.", ["Users who have not signed in see the public pages only."]),
        ("Der Kessel wird geprüft.", ["Der Kessel wird im Mai geprüft."]),
        ("O backup começa no servidor.", ["O backup começa em um servidor."]),
        ("バックアップは必ず夜に開始します。", ["バックアップは夜に開始します。"]),
        ("系统非常安全。", ["系统安全。"]),
        ("", ["The pump runs."]),
        ("No.", ["The pump runs."]),
        ("The pump does not run.", []),
    ],
)
def test_a_sentence_that_agrees_is_not_reversed(sentence: str, texts: list[str]) -> None:
    assert not reverses(sentence, texts)


def test_other_marks_between_the_same_words_reverse_nothing() -> None:
    assert not reverses(
        "limit; Default: `None`; **Added in 1.0:**", ["- limit\n\n  Default: `None`\n\n  **Added in 1.0:**"]
    )
    assert reverses("limit; The default is none", ["- limit\n\n  The default is five."])


def test_articles_tell_english_from_languages_that_have_a_word_like_them() -> None:
    assert reverses("Visitors do not need a badge or a key.", ["Visitors need a badge or a key."])
    assert reverses("Never give a guest a key.", ["Give a guest a key."])
    assert reverses("A porta não abre a um visitante.", ["A porta abre a um visitante."])


def test_a_negation_that_moves_reverses_a_sentence() -> None:
    assert reverses("The backup starts at 03:30, not at 02:30.", ["The backup starts at 02:30, not at 03:30."])
    assert reverses(
        "It is kept for ninety days but is not encrypted.", ["It is encrypted and is kept for ninety days."]
    )


WORDS = st.sampled_from(
    ["pump", "runs", "not", "never", "no", "and", "but", "isn't", "nicht", "kein", "不", "ない", "02:30"]
)
ENDS = st.sampled_from([" ", ", ", ". ", "\n", "。", "; ", " – "])


@given(st.lists(st.tuples(WORDS, ENDS), max_size=20).map(lambda pairs: "".join(map("".join, pairs))))
def test_a_text_never_reverses_itself(text: str) -> None:
    assert not reverses(text, [text])
    assert not reverses(" ".join(text.split()), ["Something else is not here.", text])
