"""Several processes keep to one rate, through each store that processes can share."""

from __future__ import annotations

import multiprocessing
import os
import random
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import NoReturn

import pytest

from ragbase.adapters.embedded.checkpoints import SqliteCheckpoints
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.google.checkpoints import FirestoreCheckpoints
from ragbase.adapters.rate_limiter import RateLimiter
from ragbase.domain.rate import ServiceRate
from ragbase.ports import Checkpoints
from ragbase.testing.clock import VirtualClock
from tests.contract.adapters import fresh_project, shared_firestore

PROCESSES = 4
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


def take_from_sqlite(place: str, seed: int) -> int:
    with closing(Database(Path(place))) as database:
        return take_turns(SqliteCheckpoints(database), seed)


def take_from_firestore(place: str, seed: int) -> int:
    os.environ["FIRESTORE_EMULATOR_HOST"], project = place.split(" ")
    return take_turns(FirestoreCheckpoints(project), seed)


STORES: Mapping[str, tuple[Callable[[str, int], int], Callable[[Path], str]]] = {
    "sqlite": (take_from_sqlite, lambda folder: str(folder / "ragbase.db")),
    "firestore": (take_from_firestore, lambda _: f"{shared_firestore()} {fresh_project()}"),
}
"""What one process does, and the place that it is told."""


@pytest.fixture
def processes() -> Iterator[ProcessPoolExecutor]:
    # A forked process would share the connections of Google's clients with this one.
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as processes:
        yield processes


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_processes_take_together_what_the_rate_allows_and_no_more(
    store: str, processes: ProcessPoolExecutor, tmp_path: Path
) -> None:
    take, place_in = STORES[store]
    place = place_in(tmp_path)

    taken = list(processes.map(take, [place] * PROCESSES, range(PROCESSES)))

    assert sum(taken) == RATE.for_documents
