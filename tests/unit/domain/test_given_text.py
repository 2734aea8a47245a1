"""Given texts in a record: which transitions take them, and which end them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from hypothesis import given as examples
from hypothesis import strategies as st

from ragbase.domain.claim_transitions import completed
from ragbase.domain.document import Document, Status, Transition
from ragbase.domain.errors import ErrorCode
from ragbase.domain.extractor_transitions import failed_elsewhere, given
from ragbase.domain.given_text import GivenText, given_generation
from ragbase.domain.lane import Lane
from ragbase.domain.transitions import failed, reopened, retried
from ragbase.domain.work import Failure
from tests.unit.domain.transitions import (
    FAILURE,
    LATER,
    LEASE,
    NOW,
    OTHER,
    PAID,
    after,
    arrive,
    claim,
    flip,
    remove,
    shown,
)

GAVE_UP = Failure(ErrorCode.INTERNAL_ERROR, "A bug.")


def text(number: int, of: int) -> GivenText:
    return GivenText(generation=number, of=of, hash=f"hash of {number}", page_count=1, ocr_applied=False)


def give(number: int, of: int) -> Transition:
    """Somebody gives this text who has seen the record as it is."""

    def transition(record: Document | None) -> Document | None:
        return given(text(number, of), seen=record, now=LATER)(record) if record is not None else None

    return transition


def flip_given(number: int, of: int) -> Transition:
    return completed(replace(shown(number), given=text(number, of)), LEASE, usage=PAID, now=LATER)


GIVEN = (arrive(1), claim(1), flip(1), give(-7, 1))


def test_a_given_text_is_wanted_while_search_shows_what_it_showed() -> None:
    record = after(*GIVEN)
    assert (record.status, record.generation, record.wanted, record.attempts) == (Status.PENDING, 1, -7, 0)
    assert record.wants(-7) and not record.wants(1) and record.shows(1) and record.is_of(1)
    assert record.job.generation == -7


def test_a_given_text_supersedes_a_lane() -> None:
    record = after(arrive(1), claim(1), give(-7, 1))
    assert record.lease is None and flip(1)(record) is record


def test_a_given_text_is_refused_if_the_record_has_moved_on() -> None:
    seen = after(arrive(1))
    for record in (after(arrive(1), arrive(2)), after(arrive(1), remove(1)), after(arrive(1), give(-7, 1))):
        assert given(text(-8, 1), seen=seen, now=LATER)(record) is record


def test_a_document_that_the_router_refused_gets_a_lane() -> None:
    record = replace(after(arrive(1), claim(1), failed(1, FAILURE, now=NOW)), lane=None)
    after_it = give(-7, 1)(record)
    assert after_it is not None and after_it.lane is Lane.FAST and after_it.failure is None


def test_a_new_version_of_the_file_ends_the_given_text() -> None:
    record = after(*GIVEN, claim(-7), flip_given(-7, 1), arrive(2))
    assert record.given_text is None and record.wanted == 2 and record.shows(-7)


def test_the_event_of_the_same_version_does_not_end_it() -> None:
    record = after(*GIVEN)
    assert arrive(1)(record) is record


def test_a_given_text_that_fails_hides_nothing_of_its_file() -> None:
    record = after(*GIVEN, claim(-7), failed(-7, FAILURE, now=LATER))
    assert (record.status, record.failure, record.wanted) == (Status.COMPLETED, FAILURE, -7)
    assert record.shows(1)
    assert after(arrive(1), claim(1), flip(1), arrive(2), give(-7, 2), failed(-7, FAILURE, now=LATER)).active is None


def test_a_retry_tries_the_given_text_again() -> None:
    record = after(*GIVEN, claim(-7), failed(-7, FAILURE, now=LATER), retried(now=LATER))
    assert record.needs_work and record.wants(-7)


def test_a_repair_goes_back_to_what_search_shows_only_if_the_text_itself_was_bad() -> None:
    bad = after(*GIVEN, claim(-7), failed(-7, FAILURE, now=LATER), reopened(1, now=LATER))
    assert bad.needs_work and bad.wants(1) and bad.given_text is None
    unlucky = after(*GIVEN, claim(-7), failed(-7, GAVE_UP, now=LATER), reopened(1, now=LATER))
    assert unlucky.needs_work and unlucky.wants(-7)


def test_a_failure_elsewhere_ends_the_work_of_a_document_without_a_text() -> None:
    record = after(arrive(1), claim(1), failed_elsewhere(1, FAILURE, now=LATER))
    assert (record.status, record.failure, record.lease) == (Status.FAILED, FAILURE, None)
    again = failed_elsewhere(1, FAILURE, now=LATER)
    assert again(record) is record
    for other in (after(*GIVEN), after(arrive(1), claim(1), flip(1)), after(arrive(2)), after(arrive(1), remove(1))):
        assert again(other) is other


@examples(revision=st.integers(1, 5), other=st.integers(1, 5), seconds=st.integers(0, 5))
def test_numbers_are_below_zero_and_differ_by_revision_and_moment(revision: int, other: int, seconds: int) -> None:
    one = given_generation("id", revision, "hash", NOW)
    another = given_generation("id", other, "hash", NOW + timedelta(seconds=seconds))
    assert -(2**52) <= one < 0
    assert (one == another) == (revision == other and not seconds)


_NUMBERS = st.integers(1, 3)
_STEPS = st.one_of(
    st.builds(arrive, _NUMBERS),
    st.builds(remove, _NUMBERS),
    st.builds(claim, st.integers(-4, 3), st.sampled_from([LEASE, OTHER])),
    st.builds(flip, _NUMBERS),
    st.builds(give, st.integers(-4, -1), _NUMBERS),
    st.builds(flip_given, st.integers(-4, -1), _NUMBERS),
    st.builds(lambda number, failure: failed(number, failure, now=LATER), st.integers(-4, 3), st.just(FAILURE)),
    st.builds(lambda number: failed(number, GAVE_UP, now=LATER), st.integers(-4, 3)),
    st.builds(lambda number: failed_elsewhere(number, FAILURE, now=LATER), _NUMBERS),
    st.builds(lambda number: reopened(number, now=LATER), st.integers(-4, 3)),
    st.just(retried(now=LATER)),
)


@examples(steps=st.lists(_STEPS, max_size=12))
def test_the_record_stays_sound_whatever_is_given(steps: list[Transition]) -> None:
    record: Document | None = None
    for step in steps:
        before, record = record, step(record)
        if record is None:
            continue
        assert record.given_text is None or record.given_text.of == record.generation
        assert record.active is None or not record.tombstone
        if record.status is Status.FAILED:
            assert record.active is None and record.failure is not None
        if record.status is Status.COMPLETED and not record.tombstone:
            assert record.shows_its_file
        if before is not None and before.shows_its_file and record.is_of(before.generation):
            assert record.shows_its_file, "nothing hides a text of what the bucket holds"
