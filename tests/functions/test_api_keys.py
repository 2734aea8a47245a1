"""API keys over their whole life, through the HTTP API, with every place that keeps checkpoints."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.domain.errors import Unavailable
from ragbase.ports import Checkpoints
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import START, VirtualClock
from tests.functions.guarded import api, bearer, hash_of, refused


def test_a_key_works_until_it_is_revoked_and_no_request_longer(client: FlaskClient, keys: ApiKeys) -> None:
    kept, kept_token = keys.create("kept", scopes=[Scope.READ])
    gone, gone_token = keys.create("gone", scopes=Scope, tenant="blue")
    assert [key.name for key in keys.all()] == ["kept", "gone"]
    assert client.get("/api/caller", headers=bearer(gone_token)).json == {
        "name": "gone",
        "scopes": ["extract", "read", "write"],
        "tenant": "blue",
    }

    assert keys.revoke(gone.id) is not None

    assert "revoked" in refused(client.get("/api/caller", headers=bearer(gone_token)), 401, "UNAUTHORIZED")
    assert client.get("/api/caller", headers=bearer(kept_token)).status_code == 200
    assert [key.id for key in keys.all()] == [kept.id]
    assert keys.revoke(gone.id) is None
    assert keys.revoke(kept.id) is not None
    assert not keys.exist() and keys.all() == []
    again, _ = keys.create("again", scopes=[Scope.READ])
    assert keys.exist() and [key.id for key in keys.all()] == [again.id]


def test_a_key_is_over_after_its_days(client: FlaskClient, keys: ApiKeys, clock: VirtualClock) -> None:
    key, token = keys.create("robot", scopes=[Scope.READ], lasting=timedelta(days=30))
    assert key.expires_at == START + timedelta(days=30)
    clock.advance(timedelta(days=30) - timedelta(seconds=1))
    assert client.get("/api/caller", headers=bearer(token)).status_code == 200
    clock.advance(timedelta(seconds=1))
    refused(client.get("/api/caller", headers=bearer(token)), 401, "UNAUTHORIZED")


def test_the_secret_of_a_key_is_kept_nowhere(checkpoints: Checkpoints, keys: ApiKeys) -> None:
    key, token = keys.create("robot", scopes=[Scope.READ])
    kept = checkpoints.load(f"access-key-{key.id}")
    assert kept is not None and key.id in kept and token.secret not in kept
    assert token.secret not in repr(token)
    assert str(token).startswith(f"rb_{key.id}_")


class Counting(MemoryCheckpoints):
    """Counts what is written."""

    writes = 0

    def save(self, name: str, text: str | None) -> None:
        self.writes += 1
        super().save(name, text)

    def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
        before = self.load(name)
        after = change(before)
        if after != before:
            self.save(name, after)
        return after


def test_the_last_use_is_noted_once_in_ten_minutes(tmp_path: Path, clock: VirtualClock) -> None:
    checkpoints = Counting()
    keys = ApiKeys(lambda: checkpoints, clock)
    _, token = keys.create("robot", scopes=[Scope.READ])
    (created,) = keys.all()
    assert created.used_at is None
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as client:
        before = checkpoints.writes
        for _ in range(40):  # 39 minutes
            assert client.get("/api/caller", headers=bearer(token)).status_code == 200
            clock.advance(timedelta(minutes=1))
    assert checkpoints.writes - before == 4
    (used,) = keys.all()
    assert used.used_at == START + timedelta(minutes=30)


def test_a_use_that_cannot_be_noted_does_no_harm(
    tmp_path: Path, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    class Full(MemoryCheckpoints):
        """Nothing can be written any more."""

        is_full = False

        def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
            if self.is_full:
                raise Unavailable("The disk is full.")
            return super().update(name, change)

    checkpoints = Full()
    _, token = ApiKeys(lambda: checkpoints, clock).create("robot", scopes=[Scope.READ])
    checkpoints.is_full = True
    with (
        api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as client,
        caplog.at_level(logging.WARNING, "ragbase"),
    ):
        assert client.get("/api/caller", headers=bearer(token)).status_code == 200
    assert "access.use_not_noted" in caplog.text


def test_a_use_that_meets_a_revocation_does_not_bring_the_key_back(tmp_path: Path, clock: VirtualClock) -> None:
    class RevokedInBetween(MemoryCheckpoints):
        """A key is revoked after a request has read it, and before its use is noted."""

        def update(self, name: str, change: Callable[[str | None], str | None]) -> str | None:
            if name.startswith("access-key-"):
                book.revoke(name.removeprefix("access-key-"))
            return super().update(name, change)

    checkpoints = RevokedInBetween()
    book = ApiKeys(lambda: checkpoints, clock)
    _, token = book.create("robot", scopes=[Scope.READ])
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as client:
        client.get("/api/caller", headers=bearer(token))
        refused(client.get("/api/caller", headers=bearer(token)), 401, "UNAUTHORIZED")
    assert book.all() == []


def test_programs_and_the_log_are_told_that_a_key_ends_soon(
    client: FlaskClient, keys: ApiKeys, clock: VirtualClock, caplog: pytest.LogCaptureFixture
) -> None:
    key, token = keys.create("robot", scopes=[Scope.READ], lasting=timedelta(days=30))
    _, endless = keys.create("endless", scopes=[Scope.READ])

    def warnings() -> int:
        with caplog.at_level(logging.WARNING, "ragbase"):
            caplog.clear()
            answer = client.get("/api/caller", headers=bearer(token))
            assert answer.headers["Ragbase-Key-Expires"] == "2025-01-31T00:00:00Z"
            client.get("/api/caller", headers=bearer(endless))
        return sum(record.getMessage() == "access.key_over_soon" for record in caplog.records)

    assert "Ragbase-Key-Expires" not in client.get("/api/caller", headers=bearer(endless)).headers
    assert warnings() == 0
    clock.advance(timedelta(days=15, hours=23))
    assert warnings() == 0
    clock.advance(timedelta(hours=1))
    assert [warnings(), warnings()] == [1, 0]
    clock.advance(timedelta(hours=23))
    assert warnings() == 0
    clock.advance(timedelta(hours=1))
    assert warnings() == 1
    (kept, _) = keys.all()
    assert kept.id == key.id and kept.is_over_soon(clock.now()) and not kept.is_over(clock.now())


def test_a_key_of_an_older_version_works_unchanged(
    client: FlaskClient, keys: ApiKeys, checkpoints: Checkpoints
) -> None:
    key, token = keys.create("robot", scopes=[Scope.READ], tenant="blue")
    before = json.loads(checkpoints.load(f"access-key-{key.id}") or "")
    old = {name: before[name] for name in before if name not in ("prefixes", "limits", "warned_at", "origins")}
    assert old.keys() == {"id", "name", "scopes", "tenant", "digest", "created_at", "expires_at", "used_at"}
    checkpoints.save(f"access-key-{key.id}", json.dumps(old))
    assert keys.all() == [key]
    assert client.get("/api/caller", headers=bearer(token)).json == {
        "name": "robot",
        "scopes": ["read"],
        "tenant": "blue",
    }
    (used,) = keys.all()
    assert used.used_at == START and used.prefixes == () and not used.limits and used.expires_at is None


def test_a_key_of_folders_is_wrong_where_its_prefixes_are_not_known(
    client: FlaskClient, keys: ApiKeys, checkpoints: Checkpoints
) -> None:
    """An older version reads such a record without them, during an upgrade or after it was undone."""
    key, token = keys.create("robot", scopes=[Scope.READ], prefixes=["finance/"])
    assert client.get("/api/caller", headers=bearer(token)).status_code == 200
    kept = json.loads(checkpoints.load(f"access-key-{key.id}") or "")
    for prefixes in ([], ["hr"], ["finance", "hr"]):
        checkpoints.save(f"access-key-{key.id}", json.dumps({**kept, "prefixes": prefixes}))
        refused(client.get("/api/caller", headers=bearer(token)), 401, "UNAUTHORIZED")


def test_a_data_folder_of_an_older_version_is_closed_when_its_last_key_is_revoked(
    tmp_path: Path, clock: VirtualClock, checkpoints: Checkpoints
) -> None:
    keys = ApiKeys(lambda: checkpoints, clock)
    key, _ = keys.create("robot", scopes=[Scope.READ])
    checkpoints.save("access-set-up", None)  # an older version has made the key
    with api(tmp_path, checkpoints=checkpoints, clock=clock) as client:
        refused(client.get("/api/caller"), 401, "UNAUTHORIZED")
        keys.revoke(key.id)
        refused(client.get("/api/caller"), 401, "UNAUTHORIZED")
    with api(tmp_path, checkpoints=checkpoints, clock=clock) as client:
        refused(client.get("/api/caller"), 401, "UNAUTHORIZED")
        keys.forget()
        assert client.get("/api/caller").status_code == 200
