"""What users do in a simulated world, at random: uploads, overwrites, deletions, renames, questions and more."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from tests.simulated_world.contents import BAD, GOOD, NAMES


class Act(StrEnum):
    PUT = "put"
    DELETE = "delete"
    RENAME = "rename"
    RETRY = "retry"
    REPLAY = "replay the dead letters"
    RECONCILE = "reconcile and repair"
    JANITOR = "janitor"
    REINDEX = "reindex"
    BACKFILL = "backfill"
    GIVE = "give a text"
    UNREADABLE = "say that it is unreadable"
    QUERY = "query"
    WATCH = "ask for everything, again and again"


_WEIGHTS = {
    Act.PUT: 8,
    Act.DELETE: 3,
    Act.RENAME: 2,
    Act.RETRY: 2,
    Act.REPLAY: 1,
    Act.RECONCILE: 1,
    Act.JANITOR: 1,
    Act.REINDEX: 1,
    Act.BACKFILL: 1,
    Act.GIVE: 3,
    Act.UNREADABLE: 1,
    Act.QUERY: 3,
    Act.WATCH: 3,
}
_PAUSES = (0.0, 0.03, 0.3, 3.0, 40.0, 400.0)
"""Seconds between two operations: they come during a port call, during the work on a document, after a backoff, or
after a lease."""
_BAD_SHARE = 0.4
"""The share of histories with bad files."""
_LENGTHS = (4, 8, 16, 32)
_IN_FOLDERS = {
    name: f"{folder}{name}" for name, folder in zip(NAMES, itertools.cycle(("red/", "blue/", "")), strict=False)
}


@dataclass(frozen=True, slots=True)
class Operation:
    """`at` is in seconds from the start, `text` names the content of a put or a given text, `to` is the new name of a
    rename."""

    number: int
    at: float
    act: Act
    name: str
    text: str = ""
    to: str = ""

    def __str__(self) -> str:
        match self.act:
            case Act.PUT:
                return f"put {self.name} ({self.text})"
            case Act.RENAME:
                return f"rename {self.name} to {self.to}"
            case Act.GIVE:
                return f"give {self.name} a text ({self.text})"
            case Act.DELETE | Act.RETRY | Act.UNREADABLE:
                return f"{self.act} {self.name}"
        return str(self.act)


def history(random: Random) -> list[Operation]:
    """Operations, ordered by time. They use only a few names and texts, so that they disturb each other."""
    names = random.sample(NAMES, random.randint(1, 4))
    texts = random.sample(list(GOOD), random.randint(1, 4))
    if random.random() < _BAD_SHARE:
        texts += random.sample(list(BAD), random.randint(1, 2))
    pauses = random.sample(_PAUSES, 2)
    acts, weights = list(_WEIGHTS), list(_WEIGHTS.values())
    operations, at = [], 0.0
    for number in range(random.choice(_LENGTHS)):
        act = Act.PUT if number == 0 else random.choices(acts, weights)[0]
        operations.append(
            Operation(number, at, act, random.choice(names), text=random.choice(texts), to=random.choice(names))
        )
        at += random.choice(pauses) * (0.5 + random.random())
    return operations


def in_folders(operation: Operation) -> Operation:
    """The same operation, with its names in the folders of tenants: in each are two of all names."""
    return replace(operation, name=_IN_FOLDERS[operation.name], to=_IN_FOLDERS.get(operation.to, operation.to))


def with_accents(operation: Operation) -> Operation:
    """The same operation, with names that Unicode can write in several forms."""
    return replace(operation, name=f"\u00e9{operation.name}", to=f"\u00e9{operation.to}" if operation.to else "")
