"""A date is the same however it is written."""

from __future__ import annotations

import pytest

from ragbase.retrieval.meaning.dates import dates_in, weekdays_in


@pytest.mark.parametrize(
    "text",
    [
        "signed on 3 May 2024 in Vienna",
        "on May 3rd, 2024",
        "2024-05-03",
        "am 03.05.2024",
        "am 3. Mai 2024",
        "le 3 mai 2024",
        "el 3 de mayo de 2024",
        "em 3 de maio de 2024",
        "3 maggio 2024",
        "3 mei 2024",
        "3 maja 2024 r.",
        "3. května 2024",
        "3. 5. 2024",
        "3 mai 2024",
        "3 Mayıs 2024",
        "ngày 3 tháng 5 năm 2024",
        "3 Mei 2024",
        "3 мая 2024 года",
        "3 травня 2024 року",
        "3 مايو 2024",
        "3 מאי 2024",
        "3 Μαΐου 2024",
        "3 मई 2024",
        "2024年5月3日",
        "2024년 5월 3일",
    ],
)
def test_a_date_is_read_in_the_languages_of_chat_models(text: str) -> None:
    (date,) = dates_in(text)
    assert (2024, 5, 3) in date.options


def test_day_and_month_that_may_be_exchanged_are_two_dates() -> None:
    (date,) = dates_in("on 03/05/2024")
    assert date.options == {(2024, 5, 3), (2024, 3, 5)}
    (plain,) = dates_in("on 23/05/2024")
    assert plain.options == {(2024, 5, 23)}


def test_what_a_date_leaves_open_agrees() -> None:
    (day,), (month,), (other,) = dates_in("3 May 2024"), dates_in("May 2024"), dates_in("June 2024")
    assert day.agrees(month)
    assert day.adds(month) == {3}
    assert not day.agrees(other)


@pytest.mark.parametrize("text", ["You may not enter.", "version 1.2.3", "a march of 5 miles", "10:30", "in 2024"])
def test_other_words_and_numbers_are_no_dates(text: str) -> None:
    assert dates_in(text) == []


def test_a_range_has_both_of_its_days() -> None:
    (date,) = dates_in("from 4 to 8 May 2024")
    assert date.options == {(2024, 5, 4), (2024, 5, 8)}


def test_weekdays_are_known() -> None:
    assert weekdays_in("Every Tuesday and samedi, aber nicht am Montag") == {1, 5, 0}
