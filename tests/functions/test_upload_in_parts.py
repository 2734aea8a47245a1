"""A large file comes in parts to its address, and goes on after a break."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.access.audit import Audit
from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import api, bearer, refused

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
SIZE = len(GUIDE)


@pytest.fixture
def checkpoints() -> MemoryCheckpoints:
    return MemoryCheckpoints()


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock()


@pytest.fixture
def keys(checkpoints: MemoryCheckpoints, clock: VirtualClock) -> ApiKeys:
    return ApiKeys(lambda: checkpoints, clock)


@pytest.fixture
def token(keys: ApiKeys) -> Token:
    return keys.create("robot", scopes=Scope)[1]


@pytest.fixture
def client(tmp_path: Path, checkpoints: MemoryCheckpoints, clock: VirtualClock, token: Token) -> Iterator[FlaskClient]:
    with api(tmp_path, checkpoints=checkpoints, clock=clock) as client:
        yield client


def begun(client: FlaskClient, token: Token, **wanted: object) -> dict[str, Any]:
    body = {"path": "red/a.md", "size": SIZE, "inParts": True, **wanted}
    answer = client.post("/api/uploads", json=body, headers=bearer(token))
    assert answer.status_code == 201, answer.data
    said: dict[str, Any] = answer.get_json()
    return said


def sent(client: FlaskClient, url: str, start: int, end: int, *, size: int = SIZE, data: bytes = GUIDE) -> Any:
    return client.put(url, data=data[start:end], headers={"Content-Range": f"bytes {start}-{end - 1}/{size}"})


def asked(client: FlaskClient, url: str) -> Any:
    return client.put(url, headers={"Content-Range": f"bytes */{SIZE}"})


def test_a_file_comes_in_parts(client: FlaskClient, token: Token) -> None:
    address = begun(client, token)
    assert address["partSize"] % (256 * 1024) == 0
    url = address["url"]
    nothing = asked(client, url)
    assert (nothing.status_code, nothing.headers.get("Range"), nothing.data) == (308, None, b"")
    first = sent(client, url, 0, 20)
    assert (first.status_code, first.headers["Range"], first.headers.get("Location")) == (308, "bytes=0-19", None)
    assert sent(client, url, 0, 20).headers["Range"] == "bytes=0-19"  # the answer was lost
    assert sent(client, url, 30, SIZE).headers["Range"] == "bytes=0-19"  # one was lost on its way
    assert asked(client, url).headers["Range"] == "bytes=0-19"
    last = sent(client, url, 20, SIZE)
    assert (last.status_code, last.json["id"]) == (202, address["id"])
    assert client.get(f"/api/documents/{address['id']}/content", headers=bearer(token)).data == GUIDE


def test_an_address_for_parts_works_once(client: FlaskClient, token: Token, tmp_path: Path) -> None:
    url = begun(client, token, replace=True)["url"]
    sent(client, url, 0, 20)
    assert sent(client, url, 20, SIZE).status_code == 202
    assert list((tmp_path / "unfinished").iterdir()) == []
    other = GUIDE.replace(b"02:30", b"03:45")
    sent(client, url, 0, 20, data=other)
    refused(sent(client, url, 20, SIZE, data=other), 404, "NOT_FOUND")
    assert list((tmp_path / "unfinished").iterdir()) == []
    sent(client, url, 0, 20)
    assert sent(client, url, 20, SIZE).status_code == 200


def test_a_part_is_what_it_says(client: FlaskClient, token: Token) -> None:
    url = begun(client, token)["url"]
    for said in (
        "bytes 0-19/5",
        f"bytes 20-19/{SIZE}",
        f"bytes 0-{SIZE}/{SIZE}",
        "bytes 0-19/*",
        "items 0-1/2",
        "",
        "é",
    ):
        answer = client.put(url, data=GUIDE[:20], headers={"Content-Range": said})
        assert "`Content-Range`" in refused(answer, 400, "INVALID_REQUEST")
    for start, end, length in ((0, 20, 10), (0, 10, 20)):
        headers = {"Content-Range": f"bytes {start}-{end - 1}/{SIZE}"}
        refused(client.put(url, data=GUIDE[:length], headers=headers), 400, "INVALID_REQUEST")
    assert asked(client, url).headers.get("Range") is None


def test_parts_end_with_the_key(client: FlaskClient, keys: ApiKeys) -> None:
    key, token = keys.create("other", scopes=Scope)
    url = begun(client, token)["url"]
    assert sent(client, url, 0, 20).status_code == 308
    keys.revoke(key.id)
    for answer in (sent(client, url, 20, SIZE), asked(client, url)):
        assert "This upload address is over" in refused(answer, 404, "NOT_FOUND")


def test_a_file_that_may_not_be_there_is_refused_at_its_end(client: FlaskClient, token: Token, tmp_path: Path) -> None:
    url = begun(client, token)["url"]
    sent(client, url, 0, 20)
    assert sent(client, begun(client, token)["url"], 0, SIZE, data=GUIDE.upper()).status_code == 202
    refused(sent(client, url, 20, SIZE), 409, "ALREADY_EXISTS")
    assert list((tmp_path / "unfinished").iterdir()) == []


def test_a_part_is_no_entry_of_the_audit_log(
    client: FlaskClient, token: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = begun(client, token)["url"]
    recorded: list[object] = []
    monkeypatch.setattr(Audit, "record", lambda _, *deeds, **__: recorded.extend(deeds))
    assert sent(client, url, 0, 20).status_code == 308
    assert recorded == []
    refused(sent(client, url, 20, SIZE, size=SIZE + 1), 400, "INVALID_REQUEST")
    assert len(recorded) == 1


def test_a_bucket_that_takes_parts_is_given_the_origin_of_the_page(
    client: FlaskClient, token: Token, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session of Cloud Storage answers pages of the origin that has begun it alone."""
    begin: list[dict[str, Any]] = []

    def begin_upload(_: FolderBucket, name: str, **options: Any) -> str:
        begin.append({"name": name, **options})
        return "https://storage.googleapis.com/upload/storage/v1/b/docs/o?upload_id=1"

    place = "https://storage.googleapis.com/upload/storage/v1/b/docs/o"
    monkeypatch.setattr(FolderBucket, "begin_upload", begin_upload)
    monkeypatch.setattr(FolderBucket, "takes_parts_at", place)
    monkeypatch.setattr(EmbeddedProfile, "unfinished_files", None)
    body = {"path": "red/a.md", "size": SIZE, "inParts": True}
    headers = {**bearer(token), "Origin": "http://localhost"}
    answer = client.post("/api/uploads", json=body, headers=headers).get_json()
    assert answer["url"].startswith(f"{place}?") and answer["partSize"]
    assert datetime.fromisoformat(answer["expiresAt"]) == clock.now() + timedelta(days=7)
    assert [(one["name"], one["size"], one["replaces"], one["origin"]) for one in begin] == [
        ("red/a.md", SIZE, 0, "http://localhost")
    ]
    assert f"; connect-src 'self' {place}; " in client.get("/").headers["Content-Security-Policy"]


def test_a_page_of_an_allowed_origin_may_send_parts(
    tmp_path: Path, checkpoints: MemoryCheckpoints, clock: VirtualClock, token: Token
) -> None:
    page = {"Origin": "https://app.example.com"}
    with api(tmp_path, checkpoints=checkpoints, clock=clock, cors_origins=page["Origin"]) as client:
        url = begun(client, token)["url"]
        asked_first = client.options(url, headers={**page, "Access-Control-Request-Method": "PUT"})
        assert "PUT" in asked_first.headers["Access-Control-Allow-Methods"]
        assert "Content-Range" in asked_first.headers["Access-Control-Allow-Headers"].split(", ")
        part = client.put(url, data=GUIDE[:20], headers={**page, "Content-Range": f"bytes 0-19/{SIZE}"})
        assert (part.status_code, part.headers["Range"]) == (308, "bytes=0-19")
        assert "Range" in part.headers["Access-Control-Expose-Headers"].split(", ")


def test_who_begins_many_files_leaves_room_to_others(client: FlaskClient, keys: ApiKeys, token: Token) -> None:
    for number in range(11):
        url = begun(client, token, path=f"red/{number}.md")["url"]
        answer = client.put(url, data=b"# ", headers={"Content-Range": f"bytes 0-1/{SIZE}"})
    assert (answer.status_code, answer.json and answer.json["error"]) == (503, "UNAVAILABLE")
    url = begun(client, keys.create("other", scopes=Scope)[1], path="red/b.md")["url"]
    assert client.put(url, data=b"# ", headers={"Content-Range": f"bytes 0-1/{SIZE}"}).status_code == 308
