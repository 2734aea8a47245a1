"""An address for an upload ends with the rights of who asked for it, and works once."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from itsdangerous import URLSafeSerializer

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.adapters.embedded.bucket import FolderBucket
from ragbase.config import load_config
from ragbase.interfaces.api.app import create_app
from ragbase.ports import Checkpoints, SignedRequest
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.contract.adapters import CHECKPOINTS
from tests.functions.conftest import EVERY_PLACE
from tests.functions.guarded import Guarded, api, bearer, hash_of, login, refused

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
OTHER = GUIDE.replace(b"02:30", b"03:45")


class Listed(MemoryCheckpoints):
    @property
    def names(self) -> list[str]:
        return list(self._texts)


@pytest.fixture
def checkpoints() -> Listed:
    return Listed()


def begun(client: FlaskClient, token: object = None, path: str = "red/a.md", **wanted: object) -> str:
    """The address for a guide."""
    headers = bearer(token) if token is not None else {}
    answer = client.post("/api/uploads", json={"path": path, "size": len(GUIDE), **wanted}, headers=headers)
    assert answer.status_code == 201, answer.data
    return str(answer.get_json()["url"])


def sent(client: FlaskClient, url: str, data: bytes = GUIDE) -> Any:
    return client.put(url, data=data, headers={"Content-Type": "text/markdown"})


def is_over(answer: Any) -> None:
    message = refused(answer, 404, "NOT_FOUND")
    assert "This upload address is over" in message and "POST /api/uploads" in message


def test_the_address_of_a_revoked_key_is_over(client: FlaskClient, keys: ApiKeys) -> None:
    key, token = keys.create("robot", scopes=Scope)
    _, other_token = keys.create("other", scopes=Scope)
    url, other_url = begun(client, token, replace=True), begun(client, other_token, "red/b.md")
    keys.revoke(key.id)
    is_over(sent(client, url))
    is_over(sent(client, url, OTHER))
    assert sent(client, other_url).status_code == 202
    assert [one["filename"] for one in client.get("/api/documents", headers=bearer(other_token)).json["documents"]] == [  # type: ignore[index]
        "red/b.md"
    ]


def test_the_address_of_a_key_ends_with_the_key(client: FlaskClient, keys: ApiKeys, clock: VirtualClock) -> None:
    _, token = keys.create("robot", scopes=Scope, lasting=timedelta(minutes=10))
    url = begun(client, token)
    clock.advance(timedelta(minutes=10))
    is_over(sent(client, url))


@pytest.mark.parametrize(
    "narrowed",
    [{"scopes": [Scope.READ, Scope.EXTRACT]}, {"tenant": "blue"}, {"prefixes": ["red/deep/"]}],
    ids=["scope", "tenant", "prefix"],
)
def test_the_address_of_a_key_that_may_write_it_no_more_is_over(
    client: FlaskClient, keys: ApiKeys, checkpoints: Checkpoints, narrowed: dict[str, Any]
) -> None:
    key, token = keys.create("robot", scopes=Scope)
    url = begun(client, token)
    less, _ = keys.create("less", **{"scopes": Scope, **narrowed})
    kept = checkpoints.load(f"access-key-{less.id}")
    assert kept is not None
    checkpoints.save(f"access-key-{key.id}", kept.replace(less.id, key.id))
    is_over(sent(client, url))


def test_the_address_of_a_sign_in_ends_with_it(
    client: FlaskClient, tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock
) -> None:
    first, second, third = (login(client).json["token"] for _ in range(3))
    urls = [begun(client, token, f"red/{n}.md") for n, token in enumerate((first, second, third))]
    assert client.post("/api/auth/logout", headers=bearer(first)).status_code == 204
    is_over(sent(client, urls[0]))
    assert sent(client, urls[1]).status_code == 202
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of("another password")) as changed:
        is_over(sent(changed, urls[2]))
    assert sent(client, urls[2]).status_code == 202
    with api(tmp_path, checkpoints=checkpoints, clock=clock) as without:
        is_over(sent(without, urls[2]))


def test_the_address_of_an_open_server_is_over_when_it_is_closed(
    tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock, keys: ApiKeys
) -> None:
    with api(tmp_path, checkpoints=checkpoints, clock=clock) as client:
        first, second = begun(client, path="a.md"), begun(client, path="b.md")
        assert sent(client, first).status_code == 202
        keys.create("robot", scopes=Scope)
        is_over(sent(client, second))


def test_an_address_of_an_older_version_or_of_nobody_is_refused(client: FlaskClient, tmp_path: Path) -> None:
    profile = Guarded(load_config(home=tmp_path, environment={}), MemoryCheckpoints(), VirtualClock())
    try:
        signer = URLSafeSerializer(profile.upload_key.secret(), salt="upload")
    finally:
        profile.close()
    before = {"name": "red/a.md", "size": len(GUIDE), "metadata": {}, "replace": False, "until": 1e11}
    for promise in (before, {**before, "basis": "admin", "nonce": "1"}, {**before, "basis": "key:", "nonce": "1"}):
        is_over(sent(client, f"/api/uploads/{signer.dumps(promise)}"))
    assert "No upload has this address" in refused(sent(client, "/api/uploads/forged"), 404, "NOT_FOUND")


def test_an_address_works_once(client: FlaskClient, keys: ApiKeys) -> None:
    _, token = keys.create("robot", scopes=Scope)
    url = begun(client, token, replace=True)
    first = sent(client, url)
    assert first.status_code == 202
    assert "used for another file" in refused(sent(client, url, OTHER), 404, "NOT_FOUND")
    again = sent(client, url)  # the answer was lost
    assert (again.status_code, again.json["id"]) == (200, first.json["id"])
    assert client.get(f"/api/documents/{first.json['id']}/content", headers=bearer(token)).data == GUIDE


def test_the_same_bytes_again_write_nothing(client: FlaskClient, keys: ApiKeys) -> None:
    """Else a late repetition would replace what came after it."""
    _, token = keys.create("robot", scopes=Scope)
    url, newer = (begun(client, token, replace=True) for _ in range(2))
    id = sent(client, url).json["id"]
    assert sent(client, newer, OTHER).status_code == 202
    assert sent(client, url).status_code == 200
    assert client.get(f"/api/documents/{id}/content", headers=bearer(token)).data == OTHER
    assert client.delete(f"/api/documents/{id}", headers=bearer(token)).status_code == 204
    assert "deleted" in refused(sent(client, url), 404, "NOT_FOUND")


def test_a_transfer_that_failed_may_be_repeated(client: FlaskClient, keys: ApiKeys) -> None:
    _, token = keys.create("robot", scopes=Scope)
    url = begun(client, token)
    refused(sent(client, url, GUIDE[:-1]), 400, "INVALID_REQUEST")
    assert sent(client, url).status_code == 202


@pytest.mark.slow
@pytest.mark.parametrize("place", EVERY_PLACE)
def test_of_several_processes_at_once_one_uses_an_address(place: str, tmp_path: Path, clock: VirtualClock) -> None:
    with CHECKPOINTS[place]() as checkpoints:
        keys = ApiKeys(lambda: checkpoints, clock)
        _, token = keys.create("robot", scopes=Scope)
        config = load_config(home=tmp_path, environment={}, embedder="hashing")
        profiles = [Guarded(config, checkpoints, clock) for _ in range(4)]
        try:
            clients = [create_app(profile).test_client() for profile in profiles]
            url = begun(clients[0], token, path="a.md", replace=True)
            together = threading.Barrier(len(clients))

            def send(number: int) -> int:
                together.wait()
                return int(sent(clients[number], url, GUIDE.replace(b"02:30", b"02:3%d" % number)).status_code)

            with ThreadPoolExecutor(len(clients)) as pool:
                assert sorted(pool.map(send, range(len(clients)))) == [202, 404, 404, 404]
        finally:
            for profile in profiles:
                profile.close()


def test_what_is_kept_of_used_addresses_is_bounded(
    client: FlaskClient, keys: ApiKeys, checkpoints: Listed, clock: VirtualClock
) -> None:
    _, token = keys.create("robot", scopes=Scope)

    def kept() -> int:
        return sum(name.startswith("upload-uses-") for name in checkpoints.names)

    for number in range(15):
        assert sent(client, begun(client, token, f"red/{number}.md")).status_code == 202
        clock.advance(timedelta(minutes=10))
        assert kept() <= 8  # one for each address of an hour, and a list of them
    clock.advance(timedelta(hours=2))
    assert sent(client, begun(client, token, "red/last.md")).status_code == 202
    assert kept() == 1


def test_an_address_that_the_bucket_signs_is_for_one_generation_and_a_quarter_of_an_hour(
    client: FlaskClient, keys: ApiKeys, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the bucket has signed goes on when its key is revoked. The condition lets it work once."""
    _, token = keys.create("robot", scopes=Scope)
    asked: list[dict[str, Any]] = []

    def sign_upload(_: FolderBucket, name: str, **options: Any) -> SignedRequest:
        asked.append({"name": name, **options})
        return SignedRequest(method="PUT", url="https://storage.example/a", headers={})

    stored = sent(client, begun(client, token)).status_code
    monkeypatch.setattr(FolderBucket, "sign_upload", sign_upload)
    for path in ("red/a.md", "red/b.md"):
        wanted = {"path": path, "size": len(GUIDE), "replace": True}
        answer = client.post("/api/uploads", json=wanted, headers=bearer(token)).json
        assert answer is not None and answer["url"] == "https://storage.example/a"
        assert datetime.fromisoformat(answer["expiresAt"]) == clock.now() + timedelta(minutes=15)
    assert stored == 202 and [one["seconds"] for one in asked] == [900, 900]
    assert asked[0]["replaces"] > 0 and asked[1]["replaces"] == 0
