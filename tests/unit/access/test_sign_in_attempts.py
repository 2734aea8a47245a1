"""Attempts to sign in, on a virtual clock."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from ragbase.access.sign_in_attempts import (
    IN_TOTAL,
    KNOWN_FOR,
    MOST_KNOWN,
    PER_ADDRESS,
    WINDOW,
    AttemptBook,
    SignInAttempts,
)
from ragbase.domain.errors import TooManyRequests
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock

ADDRESSES = [f"192.0.2.{number}" for number in range(40)]
STEPS = st.lists(
    st.tuples(st.sampled_from(ADDRESSES), st.booleans(), st.sampled_from([0, 0, 1, 20, 400])), max_size=400
)
"""Who tries, whether the password is right, and how many seconds pass before."""


@given(steps=STEPS)
def test_no_window_has_more_wrong_passwords_than_the_limits(steps: list[tuple[str, bool, int]]) -> None:
    clock, checkpoints = VirtualClock(), MemoryCheckpoints()
    wrong: dict[str, list[float]] = defaultdict(list)
    known: set[str] = set()
    strangers: list[float] = []
    for address, is_right, pause in steps:
        clock.advance(timedelta(seconds=pause))
        now = clock.now().timestamp()
        attempts = SignInAttempts(lambda: checkpoints, clock)  # each time another process
        try:
            attempts.look(address)
            attempts.begin(address)
        except TooManyRequests as refusal:
            assert 1 <= refusal.retry_after <= WINDOW
            continue
        if is_right:
            attempts.succeeded(address)
            known.add(address)
            wrong[address].clear()
        else:
            wrong[address].append(now)
            strangers += [now] if address not in known else []
    for times in (*wrong.values(), strangers):
        limit = IN_TOTAL if times is strangers else PER_ADDRESS
        assert all(sum(begin <= time < begin + WINDOW for time in times) <= limit for begin in times)


def test_retry_after_is_the_first_second_with_room() -> None:
    book = AttemptBook()
    for second in range(PER_ADDRESS):
        book = book.with_attempt("a", second)
    wait = book.wait("a", 100.0)
    assert wait == WINDOW - 100
    assert book.wait("a", 100.0 + wait) == 0
    assert book.wait("a", 100.0 + wait - 1) == 1


def test_the_book_is_bounded() -> None:
    book = AttemptBook()
    for number in range(2 * MOST_KNOWN):
        book = book.with_sign_in(f"known {number}", number)
    assert len(book.known) == MOST_KNOWN and f"known {MOST_KNOWN}" in book.known
    for number in range(IN_TOTAL + MOST_KNOWN * PER_ADDRESS):
        for address in (f"known {MOST_KNOWN + number % MOST_KNOWN}", f"stranger {number}"):
            if not book.wait(address, 200.0):
                book = book.with_attempt(address, 200.0)
    assert sum(map(len, book.failed.values())) == IN_TOTAL + MOST_KNOWN * PER_ADDRESS


def test_an_address_is_forgotten_in_time() -> None:
    book = AttemptBook().with_sign_in("home", 0.0)
    for now, is_known in ((KNOWN_FOR - 1, True), (KNOWN_FOR, False)):
        crowded = book
        for number in range(IN_TOTAL):
            crowded = crowded.with_attempt(str(number), now)
        assert (crowded.wait("home", now) == 0) is is_known


def test_a_clock_that_went_back_asks_for_no_longer_wait_than_the_window() -> None:
    book = AttemptBook()
    for _ in range(PER_ADDRESS):
        book = book.with_attempt("a", 10_000.0)
    assert book.wait("a", 0.0) == WINDOW
