"""The book of a rate: no window holds more than the limit, and no turn comes later than it must."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragbase.domain.rate import WINDOW, RateBook, ServiceRate

LIMIT = 10

wishes = st.lists(st.tuples(st.integers(0, 40), st.integers(1, LIMIT), st.integers(0, 30)), max_size=40)
"""Seconds since the wish before, inputs, and the seconds that it can wait."""


def has_room(booked: Counter[int], second: int, inputs: int) -> bool:
    with_it = booked + Counter({second: inputs})
    windows = range(second - WINDOW + 1, second + 1)
    return all(sum(with_it[start + place] for place in range(WINDOW)) <= LIMIT for start in windows)


@pytest.mark.slow
@given(wishes)
def test_a_turn_is_the_earliest_that_keeps_every_window_within_the_limit(wishes: list[tuple[int, int, int]]) -> None:
    book, now, all_turns = RateBook(), 1_000, Counter[int]()
    for pause, inputs, patience in wishes:
        now += pause
        turn = book.turn(inputs, LIMIT, first=now, last=now + patience)

        possible = [second for second in range(now, now + patience + 1) if has_room(all_turns, second, inputs)]
        assert turn == (possible[0] if possible else None)
        if turn is not None:
            book = book.with_turn(turn, inputs, now=now)
            all_turns[turn] += inputs


def test_a_quiet_service_takes_the_whole_limit_at_once_and_then_nothing_for_a_window() -> None:
    book = RateBook().with_turn(100, LIMIT, now=100)

    assert book.turn(1, LIMIT, first=100, last=100 + WINDOW - 1) is None
    assert book.turn(LIMIT, LIMIT, first=100, last=200) == 100 + WINDOW


def test_a_closed_book_has_no_turn_before_it_opens() -> None:
    book = RateBook().closed(120)

    assert book.turn(1, LIMIT, first=100, last=119) is None
    assert book.turn(1, LIMIT, first=100, last=130) == 120
    assert book.closed(110) is book, "a shorter wait does not open it earlier"


def test_a_book_forgets_what_no_longer_counts() -> None:
    book = RateBook().with_turn(100, 3, now=100).with_turn(100 + WINDOW, 4, now=100 + WINDOW)

    assert book.booked == {100 + WINDOW: 4}


def test_it_says_what_was_sent_within_a_minute_and_what_is_booked_ahead() -> None:
    book = RateBook({39: 1, 41: 2, 100: 4, 101: 8})

    assert book.within_a_minute(100) == 6
    assert book.ahead(100) == 8


@pytest.mark.parametrize(
    ("rate", "for_documents", "books", "largest_call"),
    [
        (ServiceRate(2_000, 0.05), 1_900, 1, 95),
        (ServiceRate(2_000, 0.0), 2_000, 1, 95),
        (ServiceRate(100_000, 0.05), 95_000, 16, 95),
        (ServiceRate(50, 0.1), 45, 1, 45),
        (ServiceRate(1, 0.9), 1, 1, 1),
    ],
)
def test_a_whole_number_of_full_calls_uses_up_the_limit(
    rate: ServiceRate, for_documents: int, books: int, largest_call: int
) -> None:
    assert (rate.for_documents, rate.books, rate.largest_call(96)) == (for_documents, books, largest_call)
    assert rate.books * rate.book_limit <= rate.for_documents <= rate.inputs


@given(st.integers(1, 10_000_000), st.floats(0, 0.9))
def test_full_calls_lose_little_of_any_rate(inputs: int, share: float) -> None:
    rate = ServiceRate(inputs, share)
    largest = rate.largest_call(96)

    assert 1 <= largest <= 96
    assert rate.book_limit - (rate.book_limit // largest) * largest < rate.book_limit / largest
