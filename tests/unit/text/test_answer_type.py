"""What a question asks for, and what a text names, in many languages."""

from __future__ import annotations

import pytest

from ragbase.domain.answer_type import AnswerType
from ragbase.text.answer_type import asked_for
from ragbase.text.asking_phrases import ASKING_PHRASES, asking, deciding
from ragbase.text.held_kinds import AskedKind, holds

ASKED = {
    AskedKind.DATE: [
        ("When was the bridge built?", "english"),
        ("In what year did the war end?", "english"),
        ("Wann wurde die Brücke gebaut?", "german"),
        ("¿En qué año terminó la guerra?", "spanish"),
        ("В каком году закончилась война?", "russian"),
        ("Chiến tranh kết thúc vào năm nào?", "vietnamese"),
        ("战争是什么时候结束的？", "chinese"),
        ("戦争はいつ終わりましたか。", "japanese"),
        ("متى انتهت الحرب؟", "arabic"),
        ("युद्ध कब समाप्त हुआ?", "hindi"),
        ("สงครามสิ้นสุดเมื่อไร", "thai"),
        ("Savaş ne zaman bitti?", "turkish"),
        ("Πότε τελείωσε ο πόλεμος;", "greek"),
        ("Când s-a terminat războiul?", "romanian"),
    ],
    AskedKind.MONEY: [
        ("What does the lost badge cost?", "english"),
        ("How much does a visa cost?", "english"),
        ("Was kostet ein Ausweis?", "german"),
        ("¿Cuánto cuesta una visa?", "spanish"),
        ("Сколько стоит виза?", "russian"),
        ("签证多少钱？", "chinese"),
    ],
    AskedKind.DURATION: [
        ("How long is the warranty on pumps?", "english"),
        ("Wie lange dauert die Prüfung?", "german"),
        ("Combien de temps dure l'examen ?", "french"),
        ("Сколько времени длится проверка?", "russian"),
    ],
    AskedKind.NUMBER: [
        ("How many seats has the hall?", "english"),
        ("Wie viele Plätze hat der Saal?", "german"),
        ("Wie groß ist der Saal?", "german"),
        ("SALON KAÇ METRE?", "turkish"),
        ("¿Cuántos asientos tiene la sala?", "spanish"),
        ("Сколько мест в зале?", "russian"),
        ("Hội trường có bao nhiêu chỗ?", "vietnamese"),
        ("Salonda kaç koltuk var?", "turkish"),
    ],
    AskedKind.NAME: [
        ("Who repairs the machine?", "english"),
        ("Wer hat den Schlüssel?", "german"),
        ("Ποιος έχει το κλειδί;", "greek"),
        ("ΠΟΙΟΣ ΕΧΕΙ ΤΟ ΚΛΕΙΔΙ;", "greek"),
        ("KİM YAPTI?", "turkish"),
        ("Qui a la clé ?", "french"),
        ("谁有钥匙？", "chinese"),
        ("מי תיקן את המכונה?", "hebrew"),
    ],
    AskedKind.PLACE: [
        ("Where can I park?", "english"),
        ("Which city has the largest harbour?", "english"),
        ("Wo melde ich einen Unfall?", "german"),
        ("Где находится музей?", "russian"),
    ],
    AskedKind.YES_OR_NO: [
        ("Is there a shuttle to the airport?", "english"),
        ("Gibt es einen Bus zum Flughafen?", "german"),
        ("有没有去机场的班车？", "chinese"),
        ("Czy jest autobus na lotnisko?", "polish"),
    ],
    AskedKind.OTHER: [
        ("What happens when the server fails?", "english"),
        ("Why was my invoice rejected?", "english"),
        ("warranty pump", "english"),
        ("Was passiert, wenn der Server ausfällt?", "german"),
        ("Fungar det?", "no language that is known"),
    ],
}


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [(question, language, kind) for kind, questions in ASKED.items() for question, language in questions],
)
def test_the_words_of_a_question_show_what_it_asks_for(question: str, language: str, kind: AskedKind) -> None:
    assert asked_for(question, language).kind is kind


def test_a_kind_is_a_type_of_the_answer() -> None:
    assert asked_for("What does the lost badge cost?").type is AnswerType.AMOUNT
    assert {asked_for("x", "nowhere").type} == {AnswerType.OTHER}


def test_the_phrase_has_only_the_words_that_ask() -> None:
    """The words between them say what the question is about."""
    assert asked_for("What does the lost badge cost?").phrase.split() == ["what", "does", "cost"]


@pytest.mark.parametrize("language", sorted(ASKING_PHRASES))
def test_the_words_of_each_language_can_be_looked_for(language: str) -> None:
    assert asking(language).first("") is None
    assert {kind for kind, _ in asking(language).phrases} <= {kind.value for kind in AskedKind}
    deciding(language)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("It was opened in 1887.", AskedKind.DATE),
        ("Backups run every night.", AskedKind.DATE),
        ("Она открылась в июне.", AskedKind.DATE),
        ("它在春天开放。", AskedKind.DATE),
        ("A replacement is 15 EUR.", AskedKind.MONEY),
        ("Entry is free.", AskedKind.MONEY),
        ("Der Eintritt kostet nichts.", AskedKind.MONEY),
        ("The warranty lasts two years.", AskedKind.DURATION),
        ("There are three of them.", AskedKind.NUMBER),
        ("Их четыре.", AskedKind.NUMBER),
        ("The head is Ada Lovelace.", AskedKind.NAME),
        ("The plant lies near Porto.", AskedKind.PLACE),
    ],
)
def test_a_text_names_what_it_names(text: str, kind: AskedKind) -> None:
    assert holds(text, kind) is True


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("The warranty covers pumps and valves.", AskedKind.DATE),
        ("The warranty lasts two years.", AskedKind.MONEY),
        ("It has five seats.", AskedKind.DURATION),
        ("The warranty covers pumps and valves.", AskedKind.NUMBER),
        ("The head of finance approves them.", AskedKind.NAME),
        ("Гарантия покрывает насосы.", AskedKind.NUMBER),
    ],
)
def test_a_text_without_it_is_told(text: str, kind: AskedKind) -> None:
    assert holds(text, kind) is False


def test_a_script_without_capitals_shows_no_names() -> None:
    assert holds("所长批准采购。", AskedKind.NAME) is None
    assert holds("Der Leiter genehmigt den Einkauf.", AskedKind.NAME, language="german") is None


def test_what_the_question_says_itself_is_no_answer_to_it() -> None:
    assert holds("The plant in 1999 was new.", AskedKind.DATE, asked={"1999"}) is False
