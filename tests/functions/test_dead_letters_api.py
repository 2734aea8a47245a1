"""/api/dead-letters: list, show and replay what could not be delivered."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.token import Token
from ragbase.adapters.embedded.audit_log import FILE, SqliteAuditLog
from ragbase.domain.dead_letter import DeadLetter, UnreadMessage
from ragbase.domain.document import Document, Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.work import Failure
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import refused
from tests.functions.tenant_world import TenantWorld

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
NOW = datetime(2025, 6, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    yield world
    world.close()


@pytest.fixture
def operator(world: TenantWorld) -> Token:
    return world.key(None)


def lost(world: TenantWorld, operator: Token, name: str) -> DeadLetter:
    """A document whose lane has given up; the dead letter of its job."""
    id = world.upload(operator, GUIDE, name, path=name).json["id"]
    world.work()

    def fail(record: Document | None) -> Document | None:
        assert record is not None
        failure = Failure(ErrorCode.INTERNAL_ERROR, "The embedder was away: '/srv/secret place/model.bin'")
        return replace(record, status=Status.FAILED, failure=failure, attempts=MAX_RETRIES + 1)

    record = world.profile.documents.update(id, fail).after
    assert record is not None
    kept = DeadLetter(
        message=record.job,
        attempts=MAX_RETRIES + 1,
        code=ErrorCode.INTERNAL_ERROR,
        reason="The embedder was away: '/srv/secret place/model.bin'",
        first_seen=NOW,
        last_seen=NOW,
    )
    world.profile.dead_letters.keep(kept)
    return kept


def unread(world: TenantWorld, number: int) -> DeadLetter:
    kept = DeadLetter(
        message=UnreadMessage.of(b"?%d" % number, {}),
        attempts=5,
        code=ErrorCode.INTERNAL_ERROR,
        reason="This is no job." if number % 2 else "This is no event.",
        first_seen=NOW,
        last_seen=NOW + timedelta(seconds=number // 3),
    )
    world.profile.dead_letters.keep(kept)
    return kept


def listed(world: TenantWorld, operator: Token, **parameters: Any) -> Any:
    answer = world.ask(operator, "GET", "/api/dead-letters", query_string=parameters)
    assert answer.status_code == 200, answer.data
    return answer.json


def test_a_dead_letter_is_shown_and_replayed(world: TenantWorld, operator: Token, tmp_path: Path) -> None:
    kept = lost(world, operator, "red/guide.md")
    (shown,) = listed(world, operator)["deadLetters"]
    assert (shown["id"], shown["filename"], shown["documentStatus"]) == (kept.id, "red/guide.md", "FAILED")
    assert shown["reason"] == "The embedder was away: 'model.bin'", "no place on the server's disk"
    detail = world.ask(operator, "GET", f"/api/dead-letters/{kept.id}").json
    assert "red/guide.md" in str(detail["message"])
    assert {**detail, "message": None} == {**shown, "message": None}

    replayed = world.ask(operator, "POST", f"/api/dead-letters/{kept.id}/replay")

    assert (replayed.status_code, replayed.json) == (200, {"fate": "replayed"})
    assert listed(world, operator) == {"deadLetters": []}
    world.work()
    assert world.ask(operator, "GET", f"/api/documents/{kept.document_id}").json["status"] == "COMPLETED"
    refused(world.ask(operator, "POST", f"/api/dead-letters/{kept.id}/replay"), 404, "NOT_FOUND")
    with closing(SqliteAuditLog(tmp_path / FILE)) as log:
        entries = [entry.fields() for entry in log.newest(limit=20)]
    mine = [one for one in entries if one["action"] == "dead-letter.replay"]
    assert [one["outcome"] for one in mine] == ["refused", "done", "begun"]
    done: Any = mine[1]
    assert (done["document"], done["details"]["deadLetter"], done["details"]["fate"]) == (
        kept.document_id,
        kept.id,
        "replayed",
    )
    assert done["caller"] == f"key:{operator.id}"


def test_an_unreadable_message_stays(world: TenantWorld, operator: Token) -> None:
    kept = unread(world, 1)
    answer = world.ask(operator, "POST", f"/api/dead-letters/{kept.id}/replay").json
    assert answer["fate"] == "refused" and "cannot read this message" in answer["reason"]
    assert [one["id"] for one in listed(world, operator)["deadLetters"]] == [kept.id]


def test_pages_have_each_once_also_if_some_go(world: TenantWorld, operator: Token) -> None:
    kept = [unread(world, number) for number in range(250)]
    order = sorted(kept, key=lambda one: (one.last_seen, one.id), reverse=True)
    found: list[str] = []
    parameters: dict[str, Any] = {"limit": 30}
    while True:
        page = listed(world, operator, **parameters)
        found += [one["id"] for one in page["deadLetters"]]
        if "nextCursor" not in page:
            break
        parameters["cursor"] = page["nextCursor"]
        world.profile.dead_letters.remove(next(one for one in kept if one.id == found[-1]))
    assert found == [one.id for one in order]


def test_a_reason_chooses(world: TenantWorld, operator: Token) -> None:
    for number in range(4):
        unread(world, number)
    assert len(listed(world, operator, reason="NO EVENT")["deadLetters"]) == 2
    assert len(listed(world, operator, reason="internal_error: this")["deadLetters"]) == 4
    assert listed(world, operator, reason="<script>") == {"deadLetters": []}


@pytest.mark.parametrize(
    "parameters",
    [
        {"limit": "0"},
        {"limit": "101"},
        {"cursor": "../../x"},
        {"cursor": "1.0"},
        {"cursor": "9" * 17 + ".00000000-0000-0000-0000-000000000000"},
        {"reason": "x" * 201},
        {"document": "x"},
    ],
    ids=str,
)
def test_nonsense_is_refused(world: TenantWorld, operator: Token, parameters: dict[str, str]) -> None:
    answer = world.ask(operator, "GET", "/api/dead-letters", query_string=parameters)
    assert next(iter(parameters)) in refused(answer, 400, "INVALID_REQUEST")


@pytest.mark.parametrize("id", ["none", "%00", "..%2f..", "__x__", "é" * 300, "%ff"])
def test_an_unknown_one_is_not_there(world: TenantWorld, operator: Token, id: str) -> None:
    for method, path in (("GET", f"/api/dead-letters/{id}"), ("POST", f"/api/dead-letters/{id}/replay")):
        assert world.ask(operator, method, path).status_code == 404
