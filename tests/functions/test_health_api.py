"""/api/health and /api/rate: how each part of the deployment is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.adapters.hashing.embedder import HashingEmbedder
from ragbase.adapters.rate_limiter import RateLimiter
from ragbase.domain.dead_letter import DeadLetter, UnreadMessage
from ragbase.domain.document import Status
from ragbase.domain.errors import ErrorCode, Unavailable
from ragbase.domain.rate import ServiceRate
from ragbase.domain.work import Failure
from ragbase.messages.api.reconciliation import Reconciliation
from ragbase.sources.source_state import SourceState
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from ragbase.upkeep.reconcile.last_report import keep_report
from tests.functions.tenant_world import TenantWorld

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def world(tmp_path: Path, clock: VirtualClock) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), clock)
    yield world
    world.close()


@pytest.fixture
def operator(world: TenantWorld) -> Token:
    return world.key(None)


def checks(world: TenantWorld, operator: Token) -> dict[str, Any]:
    answer = world.ask(operator, "GET", "/api/health")
    assert answer.status_code == 200, answer.data
    assert answer.json["ok"] is all(one["ok"] or not one["needed"] for one in answer.json["checks"])
    return {one["name"]: one for one in answer.json["checks"]}


def test_all_is_well(world: TenantWorld, operator: Token) -> None:
    world.upload(operator, GUIDE, path="guide.md")
    world.work()
    found = checks(world, operator)
    assert [name for name, check in found.items() if not check["ok"]] == []
    assert found["records"]["found"] == "1 document"
    assert found["failed documents"]["found"] == found["lanes"]["found"] == found["dead letters"]["found"] == "none"


def test_what_waits_for_somebody_is_named_with_its_remedy(
    world: TenantWorld, operator: Token, clock: VirtualClock, tmp_path: Path
) -> None:
    ids = [world.upload(operator, GUIDE + name, path=name.decode()).json["id"] for name in (b"a.md", b"b.md", b"c.md")]
    world.work()

    def change(id: str, **fields: Any) -> None:
        world.profile.documents.update(id, lambda one: replace(one, **fields) if one is not None else None)

    change(ids[0], status=Status.FAILED, failure=Failure(ErrorCode.INTERNAL_ERROR, "A test says so."))
    change(ids[1], status=Status.PENDING, updated_at=clock.now() - timedelta(hours=2))
    change(ids[2], status=Status.PENDING, updated_at=clock.now())
    world.profile.dead_letters.keep(
        DeadLetter(
            message=UnreadMessage.of(b"?", {}),
            attempts=5,
            code=ErrorCode.INTERNAL_ERROR,
            reason="This is no job.",
            first_seen=clock.now(),
            last_seen=clock.now(),
        )
    )
    (tmp_path / "sources.toml").write_text('[docs]\naddress = "https://docs.example.com/"\n')
    failed = SourceState(started_at=clock.now(), ended_at=clock.now(), has_failed=True, error="It does not answer.")
    world.profile.checkpoints.save("source-docs", failed.to_json().decode())
    world.keys.create("robot", scopes=[Scope.READ], lasting=timedelta(days=3))
    report: dict[str, Any] = dict.fromkeys(
        ("in_step", "in_motion", "missing", "stale", "orphaned", "stuck", "unlabelled"), 0
    )
    left = Reconciliation(**report, left=2, complete=True, examples=(), errors=())
    keep_report(left, world.profile.checkpoints, now=clock.now())
    found = checks(world, operator)
    waiting = {name: check["found"] for name, check in found.items() if not check["ok"]}
    assert waiting == {
        "failed documents": "1 document is FAILED",
        "lanes": "1 document has waited for an hour",
        "dead letters": "1 undeliverable message is kept",
        "reconcile": "2 differences were left by the last comparison",
        "sources": "1 source has failed",
        "keys": "1 key is over in less than two weeks",
    }
    assert all(found[name]["remedy"] and not found[name]["needed"] for name in waiting)


def test_a_part_that_fails_is_named_and_stops_no_other(
    world: TenantWorld, operator: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("/srv/a place/model.bin cannot be read.")

    monkeypatch.setattr(HashingEmbedder, "embed_query", fail)
    answer = world.ask(operator, "GET", "/api/health")
    assert answer.json["ok"] is False
    found = {one["name"]: one for one in answer.json["checks"]}
    assert found["embedder"]["ok"] is False and found["embedder"]["remedy"] == "model.bin cannot be read."
    assert found["records"]["ok"] and found["audit log"]["ok"]


def test_an_embedder_of_this_machine_has_no_rate(world: TenantWorld, operator: Token) -> None:
    assert world.ask(operator, "GET", "/api/rate").json == {}


def test_the_rate_book_is_shown(world: TenantWorld, operator: Token, clock: VirtualClock) -> None:
    checkpoints = world.profile.checkpoints
    limiter = RateLimiter("Cohere", ServiceRate(2_000, 0.1), lambda: checkpoints, clock, sleep=lambda _: None)
    world.profile.__dict__["rate_limiter"] = limiter
    limiter.wait(96)
    clock.advance(timedelta(seconds=2))
    assert world.ask(operator, "GET", "/api/rate").json["rate"] == {
        "service": "Cohere",
        "documents": 1_800,
        "queries": 200,
        "sent": 96,
        "booked": 0,
    }
    assert checks(world, operator)["rate"]["found"].startswith("96 of 1,800 texts")
    limiter.refused(30.0)
    assert "closedUntil" in world.ask(operator, "GET", "/api/rate").json["rate"]
    assert "has refused calls" in checks(world, operator)["rate"]["found"]
