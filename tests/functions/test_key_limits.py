"""Limits of a day for each key and each tenant, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import EnvironBuilder

from ragbase.access.caller import Scope
from ragbase.access.daily_limits import parse_limits
from ragbase.access.token import Token
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.guard import first_look
from ragbase.ports import Billed, DraftSentence
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import Guarded, bearer, refused
from tests.functions.tenant_world import TenantWorld

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
QUESTION = "When does the nightly backup start?"


@pytest.fixture
def world(tmp_path: Path, clock: VirtualClock) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), clock, tenant_limits="uploads=3, bytes=1KB")
    yield world
    world.close()


def key(world: TenantWorld, *limits: str, tenant: str | None = None) -> Token:
    return world.keys.create("robot", scopes=Scope, tenant=tenant, limits=parse_limits(limits))[1]


def over(answer: Any, limit: str) -> None:
    assert limit in refused(answer, 429, "TOO_MANY_REQUESTS")
    assert 0 < int(answer.headers["Retry-After"]) <= 86_400


def used(world: TenantWorld) -> dict[str, int]:
    (kept,) = (one for one in world.keys.all() if one.limits)
    return {str(what): amount for what, amount in world.keys.used_today(kept).items()}


def test_requests_are_counted_and_refused_until_the_day_ends(world: TenantWorld, clock: VirtualClock) -> None:
    robot, other = key(world, "requests=5"), key(world)
    for _ in range(5):
        assert world.ask(robot, "GET", "/api/documents/unknown").status_code == 404
    for _ in range(3):
        answer = world.ask(robot, "GET", "/api/documents")
        over(answer, "the API key robot: 5 requests a day (UTC)")
    assert world.ask(other, "GET", "/api/documents").status_code == 200
    assert used(world) == {"requests": 5}
    clock.advance(timedelta(seconds=int(answer.headers["Retry-After"])))
    assert world.ask(robot, "GET", "/api/documents").status_code == 200
    assert used(world) == {"requests": 1}


def test_uploads_and_bytes_are_counted_however_they_are_sent(world: TenantWorld) -> None:
    robot = key(world, "uploads=3", "bytes=300")
    assert world.upload(robot, GUIDE, path="a.md").status_code == 202
    begun = world.ask(robot, "POST", "/api/uploads", json={"path": "b.md", "size": len(GUIDE)})
    assert begun.status_code == 201
    assert world.client.put(begun.json["url"], data=GUIDE, headers=begun.json["headers"]).status_code == 202
    assert used(world)["bytes"] == 2 * len(GUIDE)
    over(world.ask(robot, "POST", "/api/uploads", json={"path": "c.md", "size": 300}), "300 bytes a day")
    over(world.upload(robot, GUIDE + bytes(300), path="c.md"), "300 bytes a day")
    assert used(world) == {"bytes": 2 * len(GUIDE), "uploads": 2}
    assert world.upload(robot, b"# A note that is long enough to be one of its own\n", path="c.md").status_code == 202
    over(world.upload(robot, b"# Another one that is long enough to be a note\n", path="d.md"), "3 uploads a day")
    assert world.ask(robot, "GET", "/api/documents").json["total"] == 3


def test_a_file_over_a_limit_is_refused_at_its_headers(world: TenantWorld) -> None:
    """A server asks before it takes the body (interfaces/http/first_look.py)."""
    robot, look = key(world, "uploads=2", "bytes=300"), first_look(world.client.application)

    def refusal(length: int, path: str = "/api/documents") -> str:
        headers = list({**bearer(robot), "Content-Length": str(length)}.items())
        environ = EnvironBuilder(path=path, method="POST", headers=headers).get_environ()
        return str(look({**environ, "CONTENT_LENGTH": str(length)}).refusal or "")

    assert not refusal(1_000_000)
    over(world.ask(robot, "POST", "/api/uploads", json={"path": "a.md", "size": 301}), "300 bytes a day")
    assert "300 bytes a day" in refusal(1_000_000) and not refusal(200)
    for number in range(2):
        world.upload(robot, GUIDE, path=f"{number}.md")
    over(world.upload(robot, b"# Short enough to be a note of its own\n", path="b.md"), "2 uploads a day")
    assert "2 uploads a day" in refusal(200) and not refusal(200, "/api/query")


def test_what_is_refused_anyway_is_no_upload(world: TenantWorld) -> None:
    robot = key(world, "uploads=1")
    refused(world.upload(robot, b"\x7fELF" + bytes(range(256)), path="a.bin"), 400, "INVALID_FORMAT")
    refused(world.upload(robot, GUIDE, path="../a.md"), 400, "INVALID_PATH")
    assert used(world) == {"uploads": 0}
    assert world.upload(robot, GUIDE, path="a.md").status_code == 202


def test_the_keys_of_a_tenant_share_its_limit(world: TenantWorld) -> None:
    first, second, blue = key(world, tenant="red"), key(world, tenant="red"), key(world, tenant="blue")
    for number, robot in enumerate((first, second, first)):
        assert world.upload(robot, GUIDE, path=f"{number}.md").status_code == 202
    over(world.upload(second, GUIDE, path="3.md"), "the tenant red: 3 uploads a day")
    assert world.upload(blue, GUIDE, path="a.md").status_code == 202
    over(world.upload(blue, GUIDE + b" " * 1024, path="b.md"), "the tenant blue: 1,024 bytes a day")
    assert world.upload(key(world), GUIDE, path="red/4.md").status_code == 202, "a key of all tenants is of none"
    assert world.keys.used_of_tenant("red", parse_limits(["uploads=3"])) == {"uploads": 3}


class Writer:
    """A generator whose service bills 1,000 tokens for each answer."""

    model = "billed"

    def generate(self, question: str, evidence: Any) -> Iterator[DraftSentence | Billed]:
        yield DraftSentence("The nightly backup starts at 02:30.")
        yield Billed(900, 100)


def billed(world: TenantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(world.profile), "generator", property(lambda _: Writer()), raising=False)


Ask = Callable[[TenantWorld, Token], Any]


def answered(world: TenantWorld, robot: Token, **headers: str) -> Any:
    sent = {**bearer(robot), **headers}
    return world.client.post("/api/answer", json={"query": QUESTION}, headers=sent)


def test_tokens_are_those_of_questions_and_of_billed_answers(
    world: TenantWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    billed(world, monkeypatch)
    world.upload(key(world), GUIDE, path="red/a.md")
    world.work()
    robot = key(world, "tokens=1500")
    assert world.query(robot, QUESTION).status_code == 200
    assert world.ask(robot, "POST", "/api/explain", json={"query": QUESTION, "document": "red/a.md"}).status_code == 200
    asked = -(-len(QUESTION) // 4)
    assert asked * 2 <= used(world)["tokens"] <= asked * 4
    assert answered(world, robot).status_code == 200
    assert 1000 + asked * 3 <= used(world)["tokens"] <= 1000 + asked * 8
    assert answered(world, robot).status_code == 200, "what an answer costs is known when it is there"
    assert used(world)["tokens"] >= 2000
    for ask in (answered, lambda world, robot: world.query(robot, QUESTION)):
        over(ask(world, robot), "the API key robot: 1,500 tokens a day")
    message: Mapping[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "searchKnowledge", "arguments": {"query": QUESTION}},
    }
    accept = {**bearer(robot), "Accept": "application/json, text/event-stream"}
    said = world.client.post("/mcp", json=message, headers=accept)
    assert said.status_code == 200 and b"1,500 tokens a day" in said.data and b'"isError":true' in said.data
    assert world.ask(robot, "GET", "/api/documents").status_code == 200


def test_an_answer_that_nobody_reads_to_its_end_is_counted(world: TenantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    billed(world, monkeypatch)
    world.upload(key(world), GUIDE, path="red/a.md")
    world.work()
    robot = key(world, "tokens=15000")
    answer = answered(world, robot, Accept="text/event-stream")
    stream = iter(answer.response)
    next(stream), next(stream)
    answer.close()
    asked = -(-len(QUESTION) // 4)
    assert used(world)["tokens"] > asked


def test_processes_share_a_limit(world: TenantWorld, tmp_path: Path, clock: VirtualClock) -> None:
    robot = key(world, "requests=20")
    other = Guarded(load_config(home=tmp_path, environment={}, tenancy="folder"), world.profile.checkpoints, clock)
    try:
        clients = [world.client, create_app(other).test_client()]
        statuses = [
            clients[number % 2].get("/api/documents/unknown", headers=bearer(robot)).status_code for number in range(30)
        ]
        assert statuses.count(404) == 20 and statuses[-5:] == [429] * 5
    finally:
        other.close()


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"tenancy": "none", "tenant_limits": "uploads=3"}, "tenancy"),
        ({"tenancy": "folder", "tenant_limits": "answers=3"}, "requests, uploads, bytes, tokens"),
    ],
)
def test_limits_of_tenants_that_cannot_be_are_refused(tmp_path: Path, settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigurationError, match=said):
        TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), **settings)
