"""Several processes keep to one limit of attempts and of public queries, through each store that they can share."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from ragbase.access.permits import Permits
from ragbase.access.sign_in_attempts import PER_ADDRESS, SignInAttempts
from ragbase.adapters.embedded.checkpoints import SqliteCheckpoints
from ragbase.adapters.embedded.database import Database
from ragbase.adapters.google.checkpoints import FirestoreCheckpoints
from ragbase.domain.errors import TooManyRequests
from ragbase.ports import Checkpoints
from ragbase.testing.clock import VirtualClock
from tests.contract.adapters import fresh_project, shared_firestore

PROCESSES = 4
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


def use_up_sqlite(place: str) -> tuple[int, int]:
    with closing(Database(Path(place))) as database:
        return use_up(SqliteCheckpoints(database))


def use_up_firestore(place: str) -> tuple[int, int]:
    os.environ["FIRESTORE_EMULATOR_HOST"], project = place.split(" ")
    return use_up(FirestoreCheckpoints(project))


STORES: Mapping[str, tuple[Callable[[str], tuple[int, int]], Callable[[Path], str]]] = {
    "sqlite": (use_up_sqlite, lambda folder: str(folder / "ragbase.db")),
    "firestore": (use_up_firestore, lambda _: f"{shared_firestore()} {fresh_project()}"),
}
"""What one process does, and the place that it is told."""


@pytest.fixture
def processes() -> Iterator[ProcessPoolExecutor]:
    # A forked process would share the connections of Google's clients with this one.
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as processes:
        yield processes


@pytest.mark.slow
@pytest.mark.parametrize("store", STORES)
def test_processes_together_get_what_the_limits_allow(
    store: str, processes: ProcessPoolExecutor, tmp_path: Path
) -> None:
    use, place_in = STORES[store]

    used = list(processes.map(use, [place_in(tmp_path)] * PROCESSES))

    assert (sum(taken for taken, _ in used), sum(tried for _, tried in used)) == (LIMIT, PER_ADDRESS)
