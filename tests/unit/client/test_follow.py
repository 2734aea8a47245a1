"""Following changes, from a server that streams them, and from one that does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from ragbase.client.client import Client
from ragbase.client.errors import ApiError, UnreadableAnswer
from ragbase.messages.api.events import ChangesResponse
from tests.unit.client.scripted_server import Script, answer, cut, pieces, refusal, scripted_server
from tests.unit.client.served import served

START, FIRST, SECOND = (
    ChangesResponse(documents=(), deleted=deleted, more=not deleted, next=next)
    for next, deleted in (("start", ()), ("first", ("a",)), ("second", ("b",)))
)
NOTHING = ChangesResponse(documents=(), deleted=(), more=False, next="first")
ALIVE = b"retry: 300\n\n: beat\n\n"
ERROR = b'event: error\ndata: {"error":"UNAUTHORIZED","message":"It is over."}\n\n'


def event(changes: ChangesResponse) -> bytes:
    return b"id: %s\nevent: changes\ndata: %s\n\n" % (changes.next.encode(), changes.to_json())


def body(changes: ChangesResponse) -> object:
    return json.loads(changes.to_json())


@pytest.fixture
def script() -> Iterator[Script]:
    with scripted_server() as script:
        yield script


@pytest.fixture
def rests() -> list[float]:
    return []


@pytest.fixture
def client(script: Script, rests: list[float]) -> Iterator[Client]:
    with Client(script.url, "rb_key", sleep=rests.append) as client:
        yield client


def test_changes_come_from_the_stream(client: Client, script: Script) -> None:
    script.then(pieces([ALIVE, event(START), event(FIRST), b": beat\n\n", event(SECOND)]))
    assert list(islice(client.events(), 3)) == [START, FIRST, SECOND]
    assert script.asked[0].headers["accept"] == "text/event-stream"


@pytest.mark.parametrize("is_whole", [True, False])
def test_a_stream_that_ends_goes_on_where_it_was(client: Client, script: Script, is_whole: bool) -> None:
    script.then(
        pieces([ALIVE, event(FIRST)], is_whole=is_whole),
        answer(200, body(NOTHING)),
        pieces([ALIVE, event(SECOND)]),
    )
    assert list(islice(client.events(after="start"), 2)) == [FIRST, SECOND]
    assert [one.headers.get("last-event-id") for one in script.asked] == ["start", None, "first"]
    assert script.asked[1].path == "/api/events?after=first"


def test_without_a_stream_the_client_asks(client: Client, script: Script, rests: list[float]) -> None:
    for refused in (refusal(429, Retry_After="2"), refusal(503), cut):
        script.asked.clear()
        rests.clear()
        script.then(refused, answer(200, body(FIRST)), answer(200, body(NOTHING)), answer(200, body(SECOND)))
        assert list(islice(client.events(after="start"), 2)) == [FIRST, SECOND]
        assert [one.path for one in script.asked[1:]] == [
            f"/api/events?after={id}" for id in ("start", "first", "first")
        ]
        assert rests == [2.0, 2.0, 2.0]


def test_a_stream_is_asked_for_again_later(client: Client, script: Script) -> None:
    script.then(refusal(429), *[answer(200, body(NOTHING))] * 15, pieces([ALIVE, event(FIRST)]))
    assert next(client.events(after="first")) == FIRST
    assert script.asked[-1].headers["last-event-id"] == "first"


def test_a_token_that_is_over_is_the_error(client: Client, script: Script) -> None:
    script.then(refusal(401, "UNAUTHORIZED", "It is over."))
    with pytest.raises(ApiError) as error:
        next(client.events())
    assert error.value.status == 401
    script.then(pieces([ALIVE, event(START), ERROR]), refusal(401, "UNAUTHORIZED", "It is over."))
    changes = client.events()
    assert next(changes) == START
    with pytest.raises(ApiError):
        next(changes)


def test_what_is_no_change_is_unreadable(client: Client, script: Script) -> None:
    script.then(pieces([b"event: changes\ndata: {}\n\n"]))
    with pytest.raises(UnreadableAnswer):
        next(client.events())


@pytest.mark.slow
def test_a_document_is_followed_until_it_is_searchable(tmp_path: Path) -> None:
    with served(tmp_path / "home") as server, Client(server.url) as client:
        changes = client.events()
        assert next(changes).more
        uploaded = client.upload(b"The nightly backup starts at half past two and takes ten minutes.", path="a.txt")
        for change in changes:
            states = [one.status for one in change.documents if one.id == uploaded.id]
            if "COMPLETED" in states:
                break
        changes.close()  # type: ignore[attr-defined]  # it is a generator
