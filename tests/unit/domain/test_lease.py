"""Leases while the clock is put right."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ragbase.domain.lease import DOCUMENT_LEASE, HOLD_LEASE, Lease
from ragbase.domain.passed import APART
from ragbase.domain.work import Work
from ragbase.testing.clock import START as NOW

HOUR = timedelta(hours=1)
SECOND = timedelta(seconds=1)


def test_no_lease_runs_for_longer_than_the_longest() -> None:
    assert Lease("worker", 1, NOW + HOLD_LEASE).runs(NOW)
    assert Lease("worker", 1, NOW + HOLD_LEASE + APART).runs(NOW)
    assert not Lease("worker", 1, NOW).runs(NOW)
    taken_before_the_clock_was_put_back = Lease("worker", 1, NOW + HOUR)
    assert not taken_before_the_clock_was_put_back.runs(NOW)


@pytest.mark.parametrize(
    ("held_for", "stays"), [(DOCUMENT_LEASE + SECOND, True), (DOCUMENT_LEASE - SECOND, False), (HOUR, False)]
)
def test_a_renewal_makes_a_lease_shorter_only_if_the_clock_was_put_back(held_for: timedelta, stays: bool) -> None:
    lease = Lease("worker", 1, NOW + held_for)
    work = Work(attempts=1, lease=lease, waiting_since=None, failure=None, seen_at=NOW)
    renewed = replace(lease, until=NOW + DOCUMENT_LEASE)
    assert work.renewed(renewed).lease == (lease if stays else renewed)
