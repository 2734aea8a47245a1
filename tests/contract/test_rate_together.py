"""Several processes keep to one rate, through each store that processes can share."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NoReturn

import pytest

from ragbase.adapters.rate_limiter import RateLimiter
from ragbase.domain.rate import ServiceRate
from ragbase.ports import Checkpoints
from ragbase.testing.clock import VirtualClock
from tests.contract.real_servers import in_prove
from tests.contract.together import PLACES, PROCESSES, checkpoints_in, processes

RATE = ServiceRate(2_000, 0.05)


class _NoRoom(Exception):
    """A turn would have to be waited for."""


def _stop(seconds: float) -> NoReturn:
    raise _NoRoom


def take_turns(checkpoints: Checkpoints, seed: int) -> int:
    """Take as many turns as there are, at one moment. Returns the inputs."""
    rate_limiter = RateLimiter(
        "cohere", RATE, lambda: checkpoints, VirtualClock(), sleep=_stop, chance=random.Random(seed)
    )
    taken, call = 0, RATE.largest_call(96)
    while True:
        try:
            rate_limiter.wait(call)
        except _NoRoom:
            return taken
        taken += call


def take_turns_in(place: str, seed: int) -> int:
    with checkpoints_in(place) as checkpoints:
        return take_turns(checkpoints, seed)


@pytest.mark.slow
@pytest.mark.parametrize("store", in_prove(PLACES))
def test_processes_take_together_what_the_rate_allows_and_no_more(store: str, tmp_path: Path) -> None:
    place = PLACES[store](tmp_path)

    with processes() as started:
        taken = list(started.map(take_turns_in, [place] * PROCESSES, range(PROCESSES)))

    assert sum(taken) == RATE.for_documents
