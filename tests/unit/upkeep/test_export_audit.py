"""The exports of the audit log: each day once, as it is, and as anybody can check it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

import pytest

from ragbase.domain.audit import Action, AuditOutcome, Deed, hash_of
from ragbase.domain.errors import Unavailable
from ragbase.ports import StoredObject
from ragbase.testing.audit_log import MemoryAuditLog
from ragbase.testing.bucket import MemoryBucket
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.upkeep import export_audit
from ragbase.upkeep.export_audit import GRACE

DAY = timedelta(days=1)


class World:
    def __init__(self) -> None:
        self.clock = VirtualClock(datetime(2026, 3, 1, 12, tzinfo=UTC))
        self.log = MemoryAuditLog()
        self.bucket = MemoryBucket("exports", lambda _: None, self.clock)
        self.checkpoints = MemoryCheckpoints()

    def ask(self, count: int = 1) -> None:
        asked = Deed(at=self.clock.now(), action=Action.QUERY, outcome=AuditOutcome.DONE, caller="password")
        self.log.append([asked] * count)

    def export(self) -> int:
        return export_audit.export_audit(self.log, self.bucket, self.checkpoints, self.clock)

    def files(self) -> dict[str, list[int]]:
        """The numbers of the entries of each file."""
        found = {}
        for one in self.bucket.list():
            lines = self.bucket.read(one.name, one.generation).decode().splitlines()
            found[one.name] = [json.loads(line)["number"] for line in lines]
        return found


@pytest.fixture
def world() -> World:
    return World()


def test_a_day_is_exported_once_it_is_over(world: World) -> None:
    world.ask()
    assert world.export() == 0
    world.clock.advance(timedelta(hours=12, minutes=30))
    world.ask()
    assert (world.export(), world.files()) == (0, {})  # an entry of yesterday may still come
    world.clock.advance(GRACE)
    assert world.export() == 1
    assert world.files() == {"2026-03-01/00001.jsonl": [1]}
    assert world.export() == 0


def test_days_without_a_call_are_caught_up(world: World) -> None:
    for _ in range(3):
        world.ask(2)
        world.clock.advance(DAY)
    world.export()
    assert world.files() == {f"2026-03-0{day}/00001.jsonl": [2 * day, 2 * day - 1] for day in (1, 2, 3)}


def test_a_long_day_has_several_files(world: World) -> None:
    with patch.object(export_audit, "TOGETHER", 2):
        world.ask(5)
        world.clock.advance(2 * DAY)
        assert world.export() == 3
    assert list(world.files().values()) == [[5, 4], [3, 2], [1]]


def test_an_interrupted_export_goes_on(world: World) -> None:
    for _ in range(2):
        world.ask()
        world.clock.advance(DAY)
    put, calls = world.bucket.put, []

    def put_once(name: str, data: bytes, **options: Any) -> StoredObject:
        calls.append(name)
        if len(calls) > 1:
            raise Unavailable("The bucket is away.")
        return put(name, data, **options)

    with patch.object(world.bucket, "put", put_once), pytest.raises(Unavailable):
        world.export()
    assert list(world.files()) == ["2026-03-02/00001.jsonl"]
    assert world.export() == 1
    assert list(world.files()) == ["2026-03-01/00001.jsonl", "2026-03-02/00001.jsonl"]


def test_a_damaged_entry_does_not_stop_the_others(world: World) -> None:
    world.ask(3)
    world.log.entries[1] = replace(world.log.entries[1], text="[")
    world.clock.advance(2 * DAY)
    world.export()
    assert world.files() == {"2026-03-01/00001.jsonl": [3, 1]}


def test_each_line_can_be_checked_alone(world: World) -> None:
    world.ask(3)
    world.clock.advance(2 * DAY)
    world.export()
    (file,) = world.bucket.list()
    for line in world.bucket.read(file.name, file.generation).decode().splitlines():
        entry = json.loads(line)
        claimed = entry.pop("hash")
        assert hash_of(json.dumps(entry, sort_keys=True, separators=(",", ":"))) == claimed
