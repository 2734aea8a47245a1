"""Queries without a caller: who may send them, and how many."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.ports import Checkpoints
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import api, bearer, hash_of, refused


def ask(client: FlaskClient, address: str = "192.0.2.1", path: str = "/api/query", **headers: str) -> Any:
    """A query that the guard lets pass gets 400, and costs the test no index."""
    answer = client.post(path, json={}, headers=headers, environ_base={"REMOTE_ADDR": address})
    assert answer.status_code in (400, 401, 429)
    return answer


def passed(client: FlaskClient, asked: int, address: str = "192.0.2.1") -> int:
    return sum(ask(client, address).status_code == 400 for _ in range(asked))


def test_without_the_setting_a_query_wants_a_caller(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of()) as client:
        refused(ask(client), 401, "UNAUTHORIZED")


def test_answers_count_as_queries(tmp_path: Path, clock: VirtualClock) -> None:
    with api(tmp_path, clock=clock, password_hash=hash_of(), public_query=True, public_queries_per_address=3) as client:
        clock.advance(timedelta(seconds=15))
        assert [ask(client, path=path).status_code for path in ("/api/answer", "/api/query", "/api/answer")] == [
            400
        ] * 3
        for path in ("/api/answer", "/api/query"):
            refused(ask(client, path=path), 429, "TOO_MANY_REQUESTS")


def test_only_questions_are_public(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of(), public_query=True) as client:
        assert ask(client).status_code == 400
        for method, path in (("GET", "/api/documents"), ("GET", "/api/caller"), ("POST", "/api/caller")):
            refused(client.open(path, method=method), 401, "UNAUTHORIZED")


def test_a_wrong_token_is_not_public(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of(), public_query=True) as client:
        refused(ask(client, Authorization="Bearer wrong"), 401, "UNAUTHORIZED")
        refused(ask(client, Authorization=f"Bearer rb_{'0' * 16}_{'0' * 64}"), 401, "UNAUTHORIZED")


def test_behind_a_load_balancer_each_client_has_a_limit_of_its_own(tmp_path: Path, clock: VirtualClock) -> None:
    """Its address is all that connects to the process. It writes the client's and its own at the end of the header."""
    with api(
        tmp_path,
        clock=clock,
        password_hash=hash_of(),
        public_query=True,
        public_queries_per_address=2,
        trusted_proxies=2,
    ) as client:

        def asked(forwarded: str) -> int:
            code: int = ask(client, "169.254.1.1", **{"X-Forwarded-For": forwarded}).status_code
            return code

        assert [asked(f"198.51.100.{number}, 192.0.2.1,203.0.113.80") for number in range(3)] == [400, 400, 429]
        assert asked("192.0.2.2,203.0.113.80") == 400
        # What has not come through it names no client, so that all of that shares one limit.
        assert [asked(f"10.0.0.{number}") for number in range(3)] == [400, 400, 429]


def test_an_address_has_a_limit_of_its_own(tmp_path: Path, clock: VirtualClock) -> None:
    with api(tmp_path, clock=clock, password_hash=hash_of(), public_query=True, public_queries_per_address=3) as client:
        clock.advance(timedelta(seconds=15))
        assert passed(client, 3) == 3
        answer = ask(client)
        assert "your address" in refused(answer, 429, "TOO_MANY_REQUESTS")
        assert answer.headers["Retry-After"] == "45"
        assert ask(client, "192.0.2.2").status_code == 400
        clock.advance(timedelta(seconds=45))
        assert ask(client).status_code == 400


def test_processes_share_the_limit_of_a_minute_and_of_a_day(
    tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock
) -> None:
    settings: Any = {"public_queries_per_address": 1000, "public_queries_per_minute": 40, "public_queries_per_day": 60}
    with (
        api(tmp_path, checkpoints=checkpoints, clock=clock, public_query=True, sign_in="required", **settings) as one,
        api(tmp_path, checkpoints=checkpoints, clock=clock, public_query=True, sign_in="required", **settings) as two,
    ):
        assert sum(ask(client).status_code == 400 for _ in range(40) for client in (one, two)) == 40
        answer = ask(one)
        assert "this minute" in refused(answer, 429, "TOO_MANY_REQUESTS")
        assert answer.headers["Retry-After"] == "60"
        clock.advance(timedelta(minutes=1))
        assert sum(ask(client).status_code == 400 for _ in range(40) for client in (one, two)) == 20
        answer = ask(two)
        assert "this day" in refused(answer, 429, "TOO_MANY_REQUESTS")
        assert int(answer.headers["Retry-After"]) == 24 * 3600 - 60
        clock.advance(timedelta(days=1))
        assert ask(two).status_code == 400


def test_a_restart_gives_no_new_permits(tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock) -> None:
    allowed = 0
    for _ in range(30):
        with api(
            tmp_path,
            checkpoints=checkpoints,
            clock=clock,
            password_hash=hash_of(),
            public_query=True,
            public_queries_per_minute=10,
        ) as client:
            allowed += passed(client, 1)
    assert allowed == 10


def test_signed_in_callers_are_not_counted(tmp_path: Path, clock: VirtualClock) -> None:
    checkpoints = MemoryCheckpoints()
    _, token = ApiKeys(lambda: checkpoints, clock).create("robot", scopes=[Scope.READ])
    with api(
        tmp_path,
        checkpoints=checkpoints,
        clock=clock,
        password_hash=hash_of(),
        public_query=True,
        public_queries_per_minute=1,
    ) as client:
        for _ in range(5):
            assert ask(client, **bearer(token)).status_code == 400
        assert passed(client, 5) == 1
        assert ask(client, **bearer(token)).status_code == 400
