"""A sentence that says something else than its place is found out, with the reason; one that agrees is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.chunking.sentences import sentence_spans
from ragbase.domain.answer import Unsupported
from ragbase.retrieval.meaning.check import CitedPlace, disagreements
from ragbase.text.terms import analysed_together, terms_in
from scripts.bench.corpus import DATA
from scripts.bench.meaning import HALVES, by_hand, measure

ROOT = Path(__file__).parents[4]


def reasons(sentence: str, place: str, titles: tuple[str, ...] = (), passage: str | None = None) -> set[str]:
    spoken = analysed_together([passage or place], "english")
    found = disagreements(
        sentence, CitedPlace([place], titles, [passage or place]), lambda text: frozenset(terms_in(text, spoken))
    )
    return set(found)


@pytest.mark.parametrize(
    ("place", "sentence", "reason"),
    [
        ("The plan costs 5 euros a month.", "The plan costs 7 euros a month.", Unsupported.NUMBER),
        ("The plan costs 5 euros a month.", "The plan costs 5 dollars a month.", Unsupported.NUMBER),
        ("A worker needs 4 GB of memory.", "A worker needs 4 MB of memory.", Unsupported.NUMBER),
        ("Plan A costs 5 euros and plan B 7 euros.", "Plan A costs 7 euros and plan B 5 euros.", Unsupported.NUMBER),
        ("It is kept for ninety days.", "It is kept for sixty days.", Unsupported.NUMBER),
        ("The office is on the third floor.", "The office is on the fourth floor.", Unsupported.NUMBER),
        ("The backup starts at 2:30 p.m.", "The backup starts at 02:30.", Unsupported.NUMBER),
        ("It was signed on 3 May 2024.", "It was signed on 2024-05-04.", Unsupported.DATE),
        ("It was signed in May 2024.", "It was signed on 3 May 2024.", Unsupported.DATE),
        ("The shop opens on Monday.", "The shop opens on Friday.", Unsupported.DATE),
        ("青云塔星期一不开放。", "青云塔星期二不开放。", Unsupported.DATE),
        ("城は火曜日に閉まります。", "城は水曜日に閉まります。", Unsupported.DATE),
        ("궁은 화요일에 쉽니다.", "궁은 월요일에 쉽니다.", Unsupported.DATE),
        ("ปราสาทปิดวันจันทร์", "ปราสาทปิดวันอังคาร", Unsupported.DATE),
        ("टिकट पचास रुपये का है।", "टिकट 60 रुपये का है।", Unsupported.NUMBER),
        ("입장료는 삼천 원입니다.", "입장료는 4,000원입니다.", Unsupported.NUMBER),
        ("The war ended on 1 September.", "The war ended on 31 September.", Unsupported.DATE),
        ("The bridge was built by Clara Weston.", "The bridge was built by Clara Winters.", Unsupported.NAME),
        ("Set `retry_limit` to change it.", "Set `retry_delay` to change it.", Unsupported.NAME),
        ("订单存储在 PostgreSQL 数据库中。", "订单存储在 MySQL 数据库中。", Unsupported.NAME),
        ("Logging is not enabled by default.", "Logging is enabled by default.", Unsupported.NEGATION),
        ("Logging is disabled by default.", "Logging is enabled by default.", Unsupported.NEGATION),
        ("Visitors must wear a badge.", "Visitors may wear a badge.", Unsupported.MODALITY),
        ("Visitors should wear a badge.", "Visitors must wear a badge.", Unsupported.MODALITY),
        ("The cache is sometimes stale.", "The cache is always stale.", Unsupported.MODALITY),
        ("Besucher dürfen im Hof parken.", "Besucher müssen im Hof parken.", Unsupported.MODALITY),
        ("At least three replicas are needed.", "At most three replicas are needed.", Unsupported.DIRECTION),
        ("It keeps no more than five copies.", "It keeps more than five copies.", Unsupported.DIRECTION),
        ("Check the oil before you start the engine.", "Check the oil after you start it.", Unsupported.DIRECTION),
        ("Check the oil before the engine.", "Check the engine before the oil.", Unsupported.DIRECTION),
        ("Prices rose by 4 percent.", "Prices fell by 4 percent.", Unsupported.DIRECTION),
    ],
)
def test_a_sentence_that_says_something_else_is_found_out(place: str, sentence: str, reason: Unsupported) -> None:
    assert reason in reasons(sentence, place)


@pytest.mark.parametrize(
    ("place", "sentence"),
    [
        ("It is kept for ninety days.", "It is kept for 90 days."),
        ("टिकट पचास रुपये का है।", "टिकट 50 रुपये का है।"),
        ("입장료는 삼천 원입니다.", "입장료는 3,000원입니다."),
        ("월요일에 쉽니다.", "천사는 월요일에 쉽니다."),  # an angel, not 1,004
        ("It takes 90 minutes.", "It takes 1.5 hours."),
        ("The office is on the third floor.", "The office is on the 3rd floor."),
        ("The backup starts at 2:30 p.m.", "The backup starts at 14:30."),
        ("Das Backup beginnt um 9 Uhr.", "Das Backup beginnt um 9:00 Uhr."),
        ("The pool is 25 metres long.", "The pool is 25m long."),
        ("The ship was built in Norway for a bank.", "A bank had the Norwegian ship built."),
        ("In May 2024 all visitors have to register.", "All visitors must register in May 2024."),
        ("Plan A costs 5 euros and plan B 7 euros.", "Plan B costs €7, and plan A costs €5."),
        ("It was signed on 3 May 2024.", "It was signed on May 3rd, 2024."),
        ("It was signed on Friday, 3 May 2024.", "It was signed on 2024-05-03, a Friday."),
        ("The oil is checked before the engine is started.", "The engine is started after the oil is checked."),
        ("Logging is disabled by default.", "Logging is not enabled by default."),
        ("Logging is not disabled by default.", "Logging is enabled by default."),
        ("It is impossible to rename a bucket.", "A bucket cannot be renamed."),
        ("A file may have no more than 20 MB.", "A file may have at most 20 MB."),
        ("A file may not be larger than 20 MB.", "A file may have at most 20 MB."),
        ("Guests are not allowed to park here.", "Guests are forbidden to park here."),
        ("Visitors must wear a badge.", "Visitors are required to wear a badge."),
        ("A second reviewer is optional.", "A second reviewer is not required."),
        ("The staff of the World Health Organization meet.", "The staff of the WHO meet."),
        ("Завод в Туле поставляет насосы.", "Насосы поставляет завод из Тулы."),
    ],
)
def test_a_sentence_that_says_the_same_in_other_words_is_not(place: str, sentence: str) -> None:
    assert reasons(sentence, place) == set()


def test_the_headings_and_the_passage_give_what_the_place_leaves_out() -> None:
    assert reasons("In 2024 the fee was 5 euros.", "The fee was 5 euros.") == {Unsupported.NUMBER}
    assert reasons("In 2024 the fee was 5 euros.", "The fee was 5 euros.", titles=("Fees of 2024",)) == set()
    sentence, place = "Clara Weston was born in Oslo in 1950.", "She was born in Oslo in 1950 and grew up there."
    assert reasons(sentence, place) == {Unsupported.NAME}
    assert reasons(sentence, place, passage=f"Clara Weston is a painter. {place}") == set()


@pytest.mark.parametrize("half", HALVES.values(), ids=HALVES.keys())
def test_the_pairs_by_hand_are_judged_as_documented(half: str) -> None:
    figures = measure(by_hand(DATA / half), show=False)
    detected = figures["detected_by_kind"]
    assert isinstance(detected, dict)
    assert float(str(figures["false_alarms"])) <= 0.1
    assert all(detected[kind] >= 0.85 for kind in ("number", "date", "negation"))
    assert all(detected[kind] >= 0.8 for kind in ("name", "modality", "direction"))


def _texts() -> list[str]:
    pages = [(ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("ranking.md", "limits.md")]
    return [*pages, *{pair.passage for half in HALVES.values() for pair in by_hand(DATA / half)}]


def test_no_sentence_disagrees_with_itself() -> None:
    """Nor if it is compared as another one is: "that is all" is added, and the place has it, too."""
    marked = [
        text[start:end]
        for text in _texts()
        for start, end in sentence_spans(text)
        if reasons(f"{text[start:end]} .x", f"{text[start:end]} x.", passage=text) - {Unsupported.WORDS}
    ]
    assert marked == []


PIECES = st.sampled_from(
    [
        *("May", "3", "2024", "not", "disabled", "must", "may", "4 GB", "Weston", "before", "after", "at least", "and"),
        *(
            "no more than 5",
            "31/12/2024",
            "1.250 €",
            "五百万",
            "двадцать",
            "٣٥٠",
            "½",
            "km2",
            "`a_b`",
            ",",
            ".",
            "(",
            "\n",
        ),
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=6)), max_size=15).map(" ".join))
def test_any_text_can_be_read_and_repeats_itself(text: str) -> None:
    assert reasons(text, text) <= {Unsupported.WORDS}


HOSTILE = [
    *("9" * 3_900, "1" + ".000" * 900, "5" + " million" * 480, "hundred " * 480, "May " + "1" * 3_800, "12:" * 1_200),
    *("三" * 1_900 + "万" * 1_900, "a" * 3_900, "x_" * 1_900, "not " * 900, "- " * 1_900, "(" * 3_900, "a, b " * 780),
    "9" * 100_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:8])
def test_a_text_that_no_person_writes_is_read_too(text: str) -> None:
    assert reasons(f"The pump has {text} valves.", f"The pump had {text} valves.") <= set(Unsupported)


def test_a_sentence_without_end_is_supported_only_if_it_repeats_its_place() -> None:
    text = "The pump leaks, " * 400
    assert reasons(text, text) == set()
    assert reasons(f"{text} May", text) == {Unsupported.WORDS}
