"""Several processes at once, and the places for checkpoints that they can share."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path

from ragbase.adapters.embedded.checkpoints import SqliteCheckpoints
from ragbase.adapters.embedded.database import Database
from ragbase.ports import Checkpoints
from tests.shared_servers import fresh_project, shared_firestore

PROCESSES = 4
PLACES: Mapping[str, Callable[[Path], str]] = {
    "sqlite": lambda folder: f"sqlite {folder / 'ragbase.db'}",
    "firestore": lambda _: f"firestore {shared_firestore()} {fresh_project()}",
}
"""A fresh place, in words that each process is told."""


@contextmanager
def checkpoints_in(place: str) -> Iterator[Checkpoints]:
    """As one process opens them."""
    kind, _, where = place.partition(" ")
    if kind == "sqlite":
        with closing(Database(Path(where))) as database:
            yield SqliteCheckpoints(database)
    else:
        from ragbase.adapters.google.checkpoints import FirestoreCheckpoints

        os.environ["FIRESTORE_EMULATOR_HOST"], project = where.split(" ")
        yield FirestoreCheckpoints(project)


@contextmanager
def processes() -> Iterator[ProcessPoolExecutor]:
    # A forked process would share the connections of Google's clients with this one.
    with ProcessPoolExecutor(PROCESSES, multiprocessing.get_context("spawn")) as processes:
        yield processes
