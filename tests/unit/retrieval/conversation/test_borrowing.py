"""Without a model, a follow-up borrows the words of the questions before it, and a whole question borrows nothing."""

from __future__ import annotations

from typing import cast

import pytest

from ragbase.domain.conversation import MAX_TURNS, FollowUp, Role, Turn
from ragbase.retrieval.conversation.standalone import standalone
from ragbase.testing.chat_model import MemoryChatModel


def asked(*questions: str) -> list[Turn]:
    return [Turn(Role.USER, question) for question in questions]


@pytest.mark.parametrize(
    ("before", "question", "text"),
    [
        (["How are backups encrypted?"], "And on Windows?", "And on Windows (backups encrypted)?"),
        (["How are backups encrypted?"], "why?", "why (backups encrypted)?"),
        (["How are backups encrypted?", "And on Windows?"], "Since when?", "Since when (Windows backups encrypted)?"),
        (
            ["How do threads share state with a mutex?"],
            "And with channels?",
            "And with channels (threads share state)?",
        ),
        (["How many died in Paris in 1466?"], "And in Baghdad?", "And in Baghdad (died 1466)?"),
        (["How many died in Paris in 1466?"], "And in 1720?", "And in 1720 (died Paris)?"),
        (["Who designed the royal castle?"], "When was it built?", "When was it built (designed royal castle)?"),
        (["¿Quién diseñó el castillo real?"], "¿Cuándo se construyó?", "¿Cuándo se construyó (diseñó castillo real)?"),
        (["Кто построил королевский замок?"], "А когда?", "А когда (построил королевский замок)?"),
        (["Wer hat das Schloss gebaut?"], "Und wann?", "Und wann (Schloss gebaut)?"),
        (["Qui a construit le château royal ?"], "Et quand ?", "Et quand (construit château royal)?"),
        (["Kraliyet kalesini kim yaptı?"], "Ne zaman?", "Ne zaman (Kraliyet kalesini yaptı)?"),
        (["谁设计了王宫？"], "什么时候建成的？", "什么时候建成的 (设计 王宫)？"),
        (["왕궁은 언제 지어졌습니까?"], "누가 지었나요?", "누가 지었나요 (왕궁은 지어졌습니까)?"),
        (["城はいつ建てられましたか？"], "高さは？", "高さは (城 建てられ)？"),
        # polite forms, and capitals
        (
            ["Quando fu costruito il ponte?"],
            "Potrebbe dirmi quanto è lungo?",
            "Potrebbe dirmi quanto è lungo (costruito ponte)?",
        ),
        (
            ["Kiedy zbudowano zamek?"],
            "Czy może mi Pan powiedzieć, ile kosztował?",
            "Czy może mi Pan powiedzieć, ile kosztował (zbudowano zamek)?",
        ),
        (["ปราสาทสร้างเมื่อไร"], "ค่าเข้าชมเท่าไรครับ", "ค่าเข้าชมเท่าไรครับ (ปราสาทสร้าง)"),
        (["When was the castle built?"], "HOW MUCH DID IT COST?", "HOW MUCH DID IT COST (castle built)?"),
    ],
)
def test_a_follow_up_borrows(before: list[str], question: str, text: str) -> None:
    alone = standalone(question, asked(*before))

    assert alone.text == alone.searched_for == text
    assert alone.follow_up is not None


@pytest.mark.parametrize(
    ("before", "question", "own"),
    [
        ("왕궁은 언제 지어졌습니까?", "왜요?", ()),
        ("왕궁은 언제 지어졌습니까?", "그것은 어디에 있습니까?", ()),
        ("왕궁은 언제 지어졌습니까?", "입장료는 얼마예요?", ("입장료는",)),
        ("Kiedy zbudowano zamek?", "O której się otwiera?", ("otwiera",)),
        ("故宮是什麼時候建成的？", "請問多少錢呢？", ("錢",)),
        ("Kale ne zaman inşa edildi?", "KİM YAPTI?", ("YAPTI",)),
        ("متى بنيت القلعة؟", "ومن بناها؟", ("بناها",)),
        ("מתי נבנתה המצודה?", "ומי בנה אותה?", ("בנה",)),
        ("Πότε χτίστηκε ο πύργος;", "Τι χρώμα έχει;", ("χρώμα",)),
    ],
)
def test_words_that_ask_are_no_words_of_its_own(before: str, question: str, own: tuple[str, ...]) -> None:
    follow_up = standalone(question, asked(before)).follow_up

    assert follow_up is not None
    assert follow_up.words == own


@pytest.mark.parametrize(
    ("before", "question"),
    [
        ("Wie lange hält der Akku?", "Wann wurde das Brandenburger Tor gebaut?"),
        ("Hoe lang gaat de accu mee?", "Wanneer werd het Rijksmuseum in Amsterdam geopend?"),
        ("Hoe lang gaat de accu mee?", "Wanneer werd het oude raadhuis gebouwd?"),
        ("Hur länge räcker batteriet?", "När byggdes den gamla bron över floden?"),
        ("Πόσο διαρκεί η μπαταρία;", "Πότε χτίστηκε ο πύργος της παλιάς πόλης;"),
    ],
)
def test_an_article_points_at_nothing(before: str, question: str) -> None:
    assert standalone(question, asked(before)).searched_for is None


@pytest.mark.parametrize(
    "question",
    [
        "How is a new project created with the command line?",
        "When did Tesla leave his home?",
        "Who wrote Bohemian Rhapsody?",
        "¿Cuántos países controlan la selva amazónica?",
        "Как называются волоски гребневиков?",
        "In welchem Jahr wurde die Börse in Warschau gegründet?",
    ],
)
def test_a_whole_question_stays_as_it_is(question: str) -> None:
    alone = standalone(question, asked("How are backups encrypted?"))

    assert (alone.text, alone.searched_for, alone.follow_up) == (question, None, None)


def test_the_subject_of_before_the_last_whole_question_is_left() -> None:
    alone = standalone("And then?", asked("Who wrote the manual of the mast?", "How is the rain gauge calibrated?"))

    assert alone.text == "And then (rain gauge calibrated)?"


def test_what_an_answer_says_is_not_borrowed() -> None:
    history = [Turn(Role.USER, "How are backups encrypted?"), Turn(Role.ASSISTANT, "With a salary of a million.")]

    assert "salary" not in standalone("Why?", history).text


def test_a_history_without_questions_completes_nothing() -> None:
    assert standalone("Why?", [Turn(Role.ASSISTANT, "Hello!")]).searched_for is None


def test_the_documents_of_the_last_answer_and_the_own_words_are_kept() -> None:
    history = [
        Turn(Role.USER, "How are backups encrypted?"),
        Turn(Role.ASSISTANT, "With age.", ("a",)),
        Turn(Role.USER, "And restored?"),
        Turn(Role.ASSISTANT, "By the command.", ("b", "c")),
    ]

    follow_up = standalone("How long does it take?", history).follow_up

    assert follow_up == FollowUp(("take",), points_back=True, asks=True, documents=frozenset({"b", "c"}))


def test_the_longest_question_stays_short_enough_to_be_searched() -> None:
    alone = standalone("Why?", asked(" ".join(f"word{number}" for number in range(900))))

    assert len(alone.text) < 1_000
    assert "word1 " in alone.text


def test_a_history_that_is_too_long_is_an_error() -> None:
    with pytest.raises(ValueError, match="Leave out the oldest"):
        standalone("Why?", asked("How are backups encrypted?") * (MAX_TURNS + 1))


def test_a_role_may_be_its_plain_word() -> None:
    before = [Turn(cast("Role", "user"), "How are backups encrypted?"), Turn(cast("Role", "assistant"), "So.", ("id",))]

    alone = standalone("And on Windows?", before)

    assert alone.text == "And on Windows (backups encrypted)?"
    assert alone.follow_up is not None and alone.follow_up.documents == {"id"}
    model = MemoryChatModel(lambda *_: "How are backups on Windows encrypted?")
    assert standalone("And on Windows?", before, model=model).text == "How are backups on Windows encrypted?"
