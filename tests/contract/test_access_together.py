"""Several processes keep to one limit of attempts and of public queries, through each store that they can share."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from ragbase.access.permits import Permits
from ragbase.access.sign_in_attempts import PER_ADDRESS, SignInAttempts
from ragbase.domain.errors import TooManyRequests
from ragbase.ports import Checkpoints
from ragbase.testing.clock import VirtualClock
from tests.contract.real_servers import in_prove
from tests.contract.together import PLACES, PROCESSES, checkpoints_in, processes

LIMIT = 100


def use_up(checkpoints: Checkpoints) -> tuple[int, int]:
    """Take all permits that there are, and try the password as often as it goes. Returns how many of each."""
    clock = VirtualClock()
    permits = Permits("permits", LIMIT, timedelta(days=1), lambda: checkpoints, clock)
    taken = 0
    while not permits.take():
        taken += 1
    attempts, tried = SignInAttempts(lambda: checkpoints, clock), 0
    while tried <= PER_ADDRESS:
        try:
            attempts.begin("192.0.2.1")
        except TooManyRequests:
            break
        tried += 1
    return taken, tried


def use_up_in(place: str) -> tuple[int, int]:
    with checkpoints_in(place) as checkpoints:
        return use_up(checkpoints)


@pytest.mark.slow
@pytest.mark.parametrize("store", in_prove(PLACES))
def test_processes_together_get_what_the_limits_allow(store: str, tmp_path: Path) -> None:
    with processes() as started:
        used = list(started.map(use_up_in, [PLACES[store](tmp_path)] * PROCESSES))

    assert (sum(taken for taken, _ in used), sum(tried for _, tried in used)) == (LIMIT, PER_ADDRESS)
