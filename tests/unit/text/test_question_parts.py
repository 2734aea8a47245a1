"""A question is divided where it asks again, and nowhere else; each part stands alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.text.asked_about import plain, words_in
from ragbase.text.question_parts import question_parts

DIVIDED = {
    # "and" before a question word
    "When was the bridge built and by whom?": ("When was the bridge built?", "by whom was the bridge built?"),
    "When and by whom was the bridge built?": ("When was the bridge built?", "by whom was the bridge built?"),
    "When, where and by whom was the bridge built?": (
        "When was the bridge built?",
        "where was the bridge built?",
        "by whom was the bridge built?",
    ),
    "What is Kafka and how much does Confluent cost?": ("What is Kafka?", "how much does Confluent cost?"),
    "What is a counter and what is a gauge?": ("What is a counter?", "what is a gauge?"),
    "What is Kubernetes and who maintains it?": ("What is Kubernetes?", "who maintains it (Kubernetes)?"),
    "In the book, what is a trait and what is an enum?": ("In the book, what is a trait?", "what is an enum?"),
    "In which countries and in what year was it sold?": (
        "In which countries was it sold?",
        "in what year was it sold?",
    ),
    "Does the plan include SSO and can I use SCIM?": ("Does the plan include SSO?", "can I use SCIM?"),
    "How much does the plan cost and is there a trial period?": (
        "How much does the plan cost?",
        "is there a trial period?",
    ),
    "Other than his work what was Tesla famous for and what is a crocodile?": (
        "Other than his work what was Tesla famous for?",
        "what is a crocodile?",
    ),
    # a greeting and a polite request are no parts
    "Hello, when was it built and by whom?": ("Hello, when was it built?", "by whom was it built?"),
    "Can you tell me, when was the bridge built and what did it cost?": (
        "Can you tell me, when was the bridge built?",
        "what did it cost (the bridge built)?",
    ),
    "Könnten Sie mir sagen, wann die Burg gebaut wurde und wie hoch der Turm ist?": (
        "Könnten Sie mir sagen, wann die Burg gebaut wurde?",
        "wie hoch der Turm ist?",
    ),
    "Скажите, пожалуйста, когда построен замок и сколько стоит билет?": (
        "Скажите, пожалуйста, когда построен замок?",
        "сколько стоит билет?",
    ),
    "Czy może mi Pan powiedzieć, kiedy zbudowano zamek i ile kosztuje bilet?": (
        "Czy może mi Pan powiedzieć, kiedy zbudowano zamek?",
        "ile kosztuje bilet?",
    ),
    "Wann wurde die Burg gebaut, wer hat sie entworfen und was kostet der Eintritt?": (
        "Wann wurde die Burg gebaut?",
        "wer hat sie entworfen (die Burg gebaut)?",
        "was kostet der Eintritt?",
    ),
    # scripts without blanks between words, and particles at the end of a word
    "ค่าเข้าชมเท่าไร และเปิดกี่โมง": ("ค่าเข้าชมเท่าไร", "เปิดกี่โมง"),
    "입장료는 얼마이고 몇 시에 열어요?": ("입장료는 얼마이고?", "몇 시에 열어요?"),
    "故宫什么时候建成的，是谁设计的？": ("故宫什么时候建成的？", "是谁设计的 (故宫 建成的)？"),
    # what is compared, where the verb is the last word
    "Kedi ile köpek arasındaki fark nedir?": ("Kedi", "köpek"),
    "बिल्ली और कुत्ते में क्या अंतर है?": ("बिल्ली", "कुत्ते"),
    "경복궁과 창덕궁의 차이는 무엇입니까?": ("경복궁", "창덕궁"),
    # several question marks, sentences and lists
    "How much does the Pro plan cost? And the Team plan?": (
        "How much does the Pro plan cost?",
        "How much does the Team plan cost?",
    ),
    "Does the plan include SSO? And SCIM?": ("Does the plan include SSO?", "Does the plan include SCIM?"),
    "Please tell me: 1) When did Tesla die? 2) Who won the cup?": ("When did Tesla die?", "Who won the cup?"),
    "What do the docs say about: 1) backups 2) key rotation": (
        "What do the docs say about backups",
        "What do the docs say about key rotation",
    ),
    # comparisons
    "What is the difference between a counter and a gauge?": ("a counter", "a gauge"),
    "compare Box<T>, Rc<T> and RefCell<T>": ("Box<T>", "Rc<T>", "RefCell<T>"),
    "pros and cons of threads versus async": ("pros and cons of threads", "pros and cons of async"),
    # what a follow-up has borrowed belongs to each part
    "When was it built and by whom (the bridge)?": (
        "When was it built (the bridge)?",
        "by whom was it built (the bridge)?",
    ),
    # other languages
    "¿Cuándo se construyó el puente y por quién?": (
        "¿Cuándo se construyó el puente?",
        "¿por quién se construyó el puente?",
    ),
    "Wann wurde die Brücke gebaut und von wem?": ("Wann wurde die Brücke gebaut?", "von wem wurde die Brücke gebaut?"),
    "Когда был построен мост и кем?": ("Когда был построен мост?", "кем был построен мост?"),
    "Cây cầu được xây dựng khi nào và bởi ai?": (
        "Cây cầu được xây dựng khi nào?",
        "Cây cầu được xây dựng bởi ai?",
    ),
    "So sánh Rc và Arc": ("Rc", "Arc"),
    "Πότε ιδρύθηκε το μουσείο; Πόσο κοστίζει το εισιτήριο;": (
        "Πότε ιδρύθηκε το μουσείο;",
        "Πόσο κοστίζει το εισιτήριο;",
    ),
    "من أسس المتحف ومتى؟": ("من أسس المتحف؟", "متى من أسس المتحف؟"),
    "박물관을 누가 설립했고 이 도시의 입장료는 얼마인가요?": (
        "박물관을 누가 설립했고?",
        "이 도시의 입장료는 얼마인가요?",
    ),
    "桥是什么时候建的，国家博物馆门票多少钱？": ("桥是什么时候建的？", "国家博物馆门票多少钱？"),
    "다리는 언제 지어졌고 누가 이 박물관을 설계했나요?": ("다리는 언제 지어졌고?", "누가 이 박물관을 설계했나요?"),
    "מתי נבנה הגשר ועל ידי מי?": ("מתי נבנה הגשר?", "על ידי מי נבנה הגשר?"),
    "متى بني الجسر وكم كلف المتحف الوطني؟": ("متى بني الجسر؟", "كم كلف المتحف الوطني؟"),
}
ONE = [
    "What is the research and development budget?",
    "Who wrote Romeo and Juliet?",
    "Where are the terms and conditions?",
    "if A and B then what?",
    "When did the partnership between Tesla, Lane and Vail form?",
    "What was the final score of the game between the Broncos and Steelers?",
    "How many points did the Broncos score in the game versus Pittsburgh?",
    "What happens when the disk is full and when the network fails?",
    "Name the engineer who designed the bridge and who built the tower",
    "Who designed the bridge and the tower that stands where the river ends?",
    "Which method is fast and is the best?",
    "Is the service free and open?",
    "They are large, spread out, and what other characteristic?",
    "Was the tape restored or did it lose its colours?",
    "Hello! I have a bridge. When was it built? Thanks!",
    "I tried to rotate the key. It failed. How do I do it?",
    "When did Tesla die? When did Tesla die?",
    "Version 1. is old 2. is new",
    "how to rotate keys",
    "¿Quién escribió Romeo y Julieta?",
    "Кто написал «Войну и мир»?",
    "Lane và Vail đã tài trợ cái gì?",
    "罗密欧与朱丽叶是谁写的？",
    "?",
    "",
]


@pytest.mark.parametrize(("question", "parts"), DIVIDED.items(), ids=str)
def test_a_question_for_several_things_has_parts_that_stand_alone(question: str, parts: tuple[str, ...]) -> None:
    assert question_parts(question).texts == parts


@pytest.mark.parametrize("question", ONE)
def test_a_question_for_one_thing_stays_one(question: str) -> None:
    assert question_parts(question).texts == ()


def test_only_a_comparison_is_also_asked_as_a_whole() -> None:
    assert question_parts("difference between threads and processes").compares
    assert not question_parts("What is a thread and what is a process?").compares


WORDS = [
    *(
        "and",
        "who",
        "what",
        "when",
        "the",
        "is",
        "bridge",
        "it",
        "their",
        "?",
        "1)",
        "2)",
        ",",
        "compare",
        "vs",
        "(",
        ")",
    ),
    *(
        "y",
        "qué",
        "谁",
        "和",
        "它",
        "그것",
        "누가",
        "지어졌고",
        "다리는",
        "nó",
        "và",
        "ai",
        "cầu",
        "мост",
        "кем",
        "и",
        "он",
    ),
]


@given(st.lists(st.sampled_from(WORDS), max_size=14))
def test_a_part_has_the_words_of_the_question_alone(words: list[str]) -> None:
    question = " ".join(words)
    given_words = set(map(plain, words_in(question)))
    for part in question_parts(question).texts:
        assert given_words.issuperset(map(plain, words_in(part)))
