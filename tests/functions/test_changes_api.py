"""GET /api/events: which documents have changed, for those who ask and for those who follow."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from werkzeug.test import EnvironBuilder
from werkzeug.wrappers import Response

from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.engine.changed_documents import MOST
from ragbase.interfaces.api.app import streams_of
from ragbase.interfaces.http.streams import STREAMS, STREAMS_OF_ONE
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import PASSWORD, api, bearer, hash_of, login, refused
from tests.functions.tenant_world import TenantWorld, seen
from tests.unit.client.served import served

NOTE = b"# Boilers\n\nThe boiler of the house is inspected once a year, and the backup valve is opened by a friend.\n"
AS_STREAM = {"Accept": "text/event-stream"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    yield world
    world.close()


@dataclass(frozen=True)
class Event:
    """What a stream has sent; without a name, it is a comment or a field alone."""

    name: str
    data: Any
    id: str


class Stream:
    """The answer, as it comes."""

    def __init__(self, client: Any, headers: Mapping[str, str], path: str = "/api/events") -> None:
        self.answer = client.get(path, headers={**headers, **AS_STREAM})
        self._pieces = self.answer.iter_encoded()
        self.close = self.answer.close

    def next(self) -> Event:
        fields = dict(line.split(": ", 1) for line in next(self._pieces).decode().splitlines() if ": " in line)
        return Event(fields.get("event", ""), json.loads(fields.get("data", "null")), fields.get("id", ""))

    def changes(self) -> Event:
        """The next event that has a name."""
        while not (event := self.next()).name:
            pass
        return event

    def is_over(self) -> bool:
        return next(self._pieces, None) is None


def follow(world: TenantWorld, key: Token, **headers: str) -> Stream:
    return Stream(world.client, {**bearer(key), **headers})


def asked(world: TenantWorld, key: Token, after: str | None = None) -> Any:
    answer = world.ask(key, "GET", "/api/events", query_string={"after": after} if after else {})
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "no-store"), answer.data
    return answer.json


def told(changes: Any) -> tuple[list[tuple[str, str]], list[str], bool]:
    """The documents by their names below the folder of their tenant, with their states; the deleted; and `more`."""
    named = [(one["filename"].removeprefix("red/").removeprefix("blue/"), one) for one in changes["documents"]]
    return [(name, one["status"]) for name, one in named], changes["deleted"], changes["more"]


def test_who_asks_again_learns_what_has_changed_since(world: TenantWorld) -> None:
    red = world.key("red")
    start = asked(world, red)
    assert told(start) == ([], [], True)  # now is the time to list the documents
    assert told(asked(world, red, start["next"])) == ([], [], False)
    world.upload(red, NOTE, path="a.md")
    world.upload(red, b"Too short.\n", path="b.md")
    first = asked(world, red, start["next"])
    assert told(first) == ([("a.md", "PENDING"), ("b.md", "PENDING")], [], False)
    world.work()
    second = asked(world, red, first["next"])
    assert sorted(told(second)[0]) == [("a.md", "COMPLETED"), ("b.md", "FAILED")]
    shown = world.ask(red, "GET", f"/api/documents/{world.id('red/a.md')}").json
    assert shown.pop("history")  # which a change does not tell
    assert shown in second["documents"]
    world.ask(red, "DELETE", f"/api/documents/{world.id('red/a.md')}")
    assert told(asked(world, red, second["next"])) == ([], [world.id("red/a.md")], False)
    assert sorted(told(asked(world, red, first["next"]))[0]) == [("b.md", "FAILED")]


def test_an_id_that_nobody_gave_starts_anew(world: TenantWorld) -> None:
    red = world.key("red")
    id = asked(world, red)["next"]
    for place in (0, 12, 30):
        unknown = f"{id[:place]}{'B' if id[place] == 'A' else 'A'}{id[place + 1 :]}"
        assert told(asked(world, red, unknown)) == ([], [], True)
    world.profile.upload_key.renew()
    assert told(asked(world, red, id)) == ([], [], True)
    for malformed in ("1", "", f"{id}=", f"{id}A"):
        answer = world.ask(red, "GET", "/api/events", query_string={"after": malformed})
        assert "`after`" in refused(answer, 400, "INVALID_REQUEST")
    with closing(follow(world, red, **{"Last-Event-ID": "of another server"})) as stream:
        assert told(stream.changes().data) == ([], [], True)


def test_a_number_that_no_change_has_had_yet_starts_anew(world: TenantWorld, tmp_path: Path) -> None:
    """The data folder was put back to an earlier state."""
    red = world.key("red")
    world.upload(red, NOTE, path="a.md")
    world.upload(red, NOTE, path="b.md")
    id = asked(world, red)["next"]
    with closing(sqlite3.connect(tmp_path / "ragbase.db")) as connection, connection:
        connection.execute("DELETE FROM documents WHERE change > 1")
    again = asked(world, red, id)
    assert told(again) == ([], [], True)
    assert told(asked(world, red, again["next"])) == ([], [], False)


def test_a_stream_tells_what_changes(world: TenantWorld) -> None:
    red = world.key("red")
    with closing(follow(world, red)) as stream:
        assert stream.answer.status_code == 200
        assert stream.answer.mimetype == "text/event-stream"
        start = stream.changes()
        assert (start.name, told(start.data), start.id) == ("changes", ([], [], True), start.data["next"])
        world.upload(red, NOTE, path="a.md")
        first = stream.changes()
        assert told(first.data) == ([("a.md", "PENDING")], [], False)
        world.work()
        assert told(stream.changes().data) == ([("a.md", "COMPLETED")], [], False)
    with closing(follow(world, red, **{"Last-Event-ID": first.id})) as again:
        assert told(again.changes().data) == ([("a.md", "COMPLETED")], [], False)
    with closing(Stream(world.client, bearer(red), f"/api/events?after={start.id}")) as first_address:
        assert told(first_address.changes().data) == ([("a.md", "COMPLETED")], [], False)


def test_a_stream_tells_what_another_process_writes(world: TenantWorld) -> None:
    red, checkpoints = world.key("red"), world.profile.checkpoints
    other = TenantWorld(world.profile.config.home, checkpoints, world.profile.clock)  # type: ignore[arg-type]  # it is
    try:
        with closing(follow(world, red)) as stream:
            stream.changes()
            other.upload(red, NOTE, path="a.md")
            assert told(stream.changes().data) == ([("a.md", "PENDING")], [], False)
    finally:
        other.close()


def test_a_silent_stream_shows_that_it_lives(world: TenantWorld) -> None:
    red = world.key("red")
    with closing(follow(world, red, **{"Last-Event-ID": asked(world, red)["next"]})) as stream:
        assert [stream.next().name for _ in range(2)] == ["", ""]


def test_a_storm_of_changes_is_one_event(world: TenantWorld) -> None:
    red, blue = world.key("red"), world.key("blue")
    with closing(follow(world, red)) as stream, closing(follow(world, blue)) as other:
        start = stream.changes()
        other.changes()
        for number in range(MOST + 10):
            world.upload(red, NOTE, path=f"{number}.md")
        storm = stream.changes()
        documents, _, more = told(storm.data)
        assert documents == [(f"{number}.md", "PENDING") for number in range(10, MOST + 10)] and more
        world.upload(red, NOTE, path="last.md")
        assert told(stream.changes().data) == ([("last.md", "PENDING")], [], False)
        world.upload(blue, NOTE, path="b.md")
        assert told(other.changes().data) == ([("b.md", "PENDING")], [], False)
    assert told(asked(world, red, start.id))[2]


def test_a_document_that_changes_often_is_told_once(world: TenantWorld) -> None:
    red = world.key("red")
    start = asked(world, red)["next"]
    for number in range(5):
        world.upload(red, NOTE + b"%d" % number, path="a.md", replace="true")
        world.work()
    assert told(asked(world, red, start)) == ([("a.md", "COMPLETED")], [], False)


def test_no_change_reaches_another_tenant(world: TenantWorld) -> None:
    red, blue, everybody = world.key("red"), world.key("blue"), world.key(None)
    start = asked(world, blue)["next"]
    with closing(follow(world, blue)) as stream:
        stream.changes()
        for number in range(MOST + 10):
            world.upload(red, NOTE, path=f"{number}.md")
        world.work()
        world.ask(red, "DELETE", f"/api/documents/{world.id('red/1.md')}")
        assert told(asked(world, blue, start)) == ([], [], False)
        ids = asked(world, red)["next"], asked(world, everybody)["next"]
        for id in ids:  # an id of somebody else is a place, and gives no right
            assert told(asked(world, blue, id)) == ([], [], False)
        assert told(asked(world, everybody, start))[2]
        world.upload(blue, NOTE, path="b.md")
        assert told(stream.changes().data) == ([("b.md", "PENDING")], [], False)


def test_nothing_counts_the_changes_of_others(world: TenantWorld) -> None:
    """Not even whether there were any: no id is like another one."""
    blue = world.key("blue")
    start = asked(world, blue)["next"]
    silent = [world.ask(blue, "GET", f"/api/events?after={start}") for _ in range(2)]
    world.upload(world.key("red"), NOTE, path="a.md")
    disturbed = world.ask(blue, "GET", f"/api/events?after={start}")
    ids = [answer.json["next"] for answer in (*silent, disturbed)]
    assert len(set(ids)) == 3 and len({len(id) for id in ids}) == 1
    etag = "ETag"
    answers = []
    for answer, id in zip((*silent, disturbed), ids, strict=True):
        assert answer.headers.pop(etag)
        answers.append(seen(answer, id))
    assert answers[0] == answers[1] == answers[2]


def test_nothing_tells_when_others_change_something(world: TenantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stream is as it would be without others: it rests as long, and its beats come at the same times."""
    rests: list[float] = []
    now, red, blue = 0.0, world.key("red"), world.key("blue")
    streams = streams_of(world.client.application)
    is_disturbed = False

    def rest(seconds: float) -> bool:
        nonlocal now
        now += seconds
        rests.append(seconds)
        if is_disturbed:
            world.upload(red, NOTE, path=f"{len(rests)}.md")
        return True

    monkeypatch.setattr(streams, "rest", rest)
    monkeypatch.setattr("ragbase.interfaces.api.change_events.time.monotonic", lambda: now)
    seen = []
    for others_change in (False, True):
        now, is_disturbed = 0.0, others_change
        rests.clear()
        with closing(follow(world, blue)) as stream:
            names = [stream.next().name for _ in range(4)]
        seen.append((names, list(rests)))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("prefixes", [("finance/",), ("finance", "hr/mine.md")])
def test_no_change_reaches_a_key_of_other_folders(tmp_path: Path, prefixes: tuple[str, ...]) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), tenancy="none")
    with closing(world):
        key, all_of_it = world.key_of_folders(*prefixes), world.key(None)
        start = asked(world, key)["next"]
        with closing(follow(world, key)) as stream:
            stream.changes()
            for name in ("hr/a.md", "finance2/a.md", "a.md", "hr/mine.md/b.md", "financ/a.md"):
                world.upload(all_of_it, NOTE, path=name)
            world.ask(all_of_it, "DELETE", f"/api/documents/{world.id('hr/a.md')}")
            own = "hr/mine.md/b.md" in [name for name, _ in told(asked(world, key, start))[0]]
            assert own is ("hr/mine.md" in prefixes)
            expected = [("hr/mine.md/b.md", "PENDING")] if own else []
            assert told(asked(world, key, start)) == (expected, [], False)
            world.upload(all_of_it, NOTE, path="finance/a.md")
            names = [name for name, _ in told(stream.changes().data)[0]]
            assert names == [name for name, _ in expected] + ["finance/a.md"]


def test_a_key_of_a_tenant_sees_nothing_where_there_are_none(tmp_path: Path) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), tenancy="none")
    with closing(world):
        refused(world.ask(world.key("red"), "GET", "/api/events"), 403, "FORBIDDEN")


def test_only_who_may_read_sees_changes(world: TenantWorld) -> None:
    for scope in (Scope.WRITE, Scope.EXTRACT):
        key = world.keys.create(scope.value, scopes=[scope])[1]
        for headers in ({}, AS_STREAM):
            answer = world.client.get("/api/events", headers={**bearer(key), **headers})
            refused(answer, 403, "FORBIDDEN")


def test_a_stream_ends_with_the_key(world: TenantWorld) -> None:
    key, token = world.keys.create("red", scopes=[Scope.READ], tenant="red")
    with closing(follow(world, token)) as stream:
        stream.changes()
        world.keys.revoke(key.id)
        world.upload(world.key("red"), NOTE, path="a.md")
        last = stream.changes()
        assert (last.name, last.data["error"]) == ("error", "UNAUTHORIZED")
        assert stream.is_over()


def test_a_silent_stream_ends_with_the_sign_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with api(tmp_path, password_hash=hash_of()) as client:
        session = login(client).json["token"]
        with closing(Stream(client, bearer(session))) as stream:
            stream.changes()
            assert client.post("/api/auth/logout", headers=bearer(session)).status_code == 204
            # The sign of life is due.
            later = time.monotonic() + 6
            monkeypatch.setattr("ragbase.interfaces.api.change_events.time.monotonic", lambda: later)
            assert stream.changes().data["error"] == "UNAUTHORIZED"
            assert stream.is_over()


def test_a_stream_of_a_page_goes_on_as_long_as_its_cookie_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with api(tmp_path, password_hash=hash_of()) as client:
        own = {"Sec-Fetch-Site": "same-origin"}
        assert client.post("/api/session", json={"secret": PASSWORD}, headers=own).status_code == 200
        with closing(Stream(client, {})) as stream:
            assert told(stream.changes().data) == ([], [], True)
            assert client.delete("/api/session", headers=own).status_code == 204
            later = time.monotonic() + 6
            monkeypatch.setattr("ragbase.interfaces.api.change_events.time.monotonic", lambda: later)
            assert stream.changes().data["error"] == "UNAUTHORIZED"


def test_a_stream_of_an_open_api_does_not_mind_the_cookie_of_another_server(tmp_path: Path) -> None:
    with api(tmp_path) as client:
        client.set_cookie("ragbase", f"rbs_{'0' * 16}_{'0' * 64}")
        with closing(Stream(client, {})) as stream:
            assert told(stream.changes().data) == ([], [], True)


def test_a_stream_ends_when_the_api_is_closed(tmp_path: Path) -> None:
    """Until the first key, every program of this machine may ask."""
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    with closing(world), closing(Stream(world.client, {})) as stream:
        stream.changes()
        world.upload(world.key("red"), NOTE, path="a.md")
        assert stream.changes().data["error"] == "UNAUTHORIZED"


def test_streams_are_few_and_who_has_none_asks(world: TenantWorld) -> None:
    keys = [world.key("red") for _ in range(STREAMS // STREAMS_OF_ONE + 1)]
    open_streams = []
    for key in keys[:-1]:
        open_streams += [follow(world, key) for _ in range(STREAMS_OF_ONE)]
        answer = follow(world, key).answer
        assert "streams" in refused(answer, 429, "TOO_MANY_REQUESTS")
    refused(follow(world, keys[-1]).answer, 429, "TOO_MANY_REQUESTS")
    for key in keys:
        assert told(asked(world, key))[2]
    open_streams[0].close()
    with closing(follow(world, keys[-1])) as stream:
        assert stream.changes().name == "changes"
    for one in open_streams:
        one.close()


def test_a_server_that_stops_ends_its_streams(world: TenantWorld) -> None:
    red = world.key("red")
    with closing(follow(world, red)) as stream:
        stream.changes()
        streams_of(world.client.application).end()
        while not stream.is_over():
            pass
    refused(follow(world, red).answer, 429, "TOO_MANY_REQUESTS")


def test_a_stream_ends_after_some_time(world: TenantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(follow(world, world.key("red"))) as stream:
        stream.changes()
        later = time.monotonic() + 50
        monkeypatch.setattr("ragbase.interfaces.api.change_events.time.monotonic", lambda: later)
        while not stream.is_over():
            pass


def test_a_head_is_no_stream(world: TenantWorld) -> None:
    answer = world.client.head("/api/events", headers={**bearer(world.key("red")), **AS_STREAM})
    assert (answer.status_code, answer.mimetype) == (200, "application/json")


@pytest.mark.slow
def test_who_goes_away_leaves_the_place_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.interfaces.api.change_events._BEAT_EVERY", 0.1)
    with served(tmp_path / "home") as server, ExitStack() as opened:

        def connect() -> tuple[HTTPConnection, HTTPResponse]:
            parts = urlsplit(server.url)
            connection = opened.enter_context(closing(HTTPConnection(parts.hostname or "", parts.port, timeout=30)))
            connection.request("GET", "/api/events", headers=AS_STREAM)
            return connection, opened.enter_context(connection.getresponse())

        streams = [connect() for _ in range(STREAMS_OF_ONE)]
        assert {answer.status for _, answer in streams} == {200}
        assert connect()[1].status == 429
        for connection, answer in streams:
            answer.close()
            connection.close()
        while connect()[1].status != 200:
            pass


def test_a_function_that_is_done_leaves_the_place_to_others(world: TenantWorld) -> None:
    """As functions/api/main.py passes the answer on."""
    headers = {**bearer(world.key("red")), **AS_STREAM}
    for _ in range(STREAMS_OF_ONE + 1):
        environ = EnvironBuilder("/api/events", headers=[*headers.items()]).get_environ()
        answer = Response.from_app(world.client.application, environ, buffered=False)
        assert answer.status_code == 200
        answer.close()
