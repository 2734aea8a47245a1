"""Sign-in with the password (document contract, section 8), through the HTTP API."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.domain.errors import ConfigurationError
from ragbase.ports import Checkpoints
from ragbase.testing.clock import START, VirtualClock
from tests.functions.guarded import PASSWORD, api, bearer, hash_of, login, refused

PATIENCE = 30
"""Seconds after which a test is stuck."""


@pytest.fixture
def client(tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock) -> Iterator[FlaskClient]:
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as client:
        yield client


@pytest.fixture
def quick(tmp_path: Path, clock: VirtualClock) -> Iterator[FlaskClient]:
    """The same, with checkpoints in memory: for what does not depend on them."""
    with api(tmp_path, clock=clock, password_hash=hash_of()) as client:
        yield client


def test_the_contract_of_the_login(quick: FlaskClient) -> None:
    answer = login(quick)
    assert answer.status_code == 200
    assert answer.json.keys() == {"token", "expiresAt"}
    assert datetime.fromisoformat(answer.json["expiresAt"]) == START + timedelta(hours=12)
    assert answer.headers["Cache-Control"] == "no-store"
    assert quick.get("/api/documents").status_code == 401
    assert quick.get("/api/documents", headers=bearer(answer.json["token"])).status_code == 200


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        ({}, "password"),
        ({"password": ""}, "1 to 1000 characters"),
        ({"password": "x" * 1001}, "1 to 1000 characters"),
        ({"password": 7}, "`password`"),
        ([], '{"password"'),
    ],
)
def test_a_login_outside_the_contract_is_named(quick: FlaskClient, body: object, remedy: str) -> None:
    answer = quick.post("/api/auth/login", json=body)
    assert remedy in refused(answer, 400, "INVALID_REQUEST")


def test_a_login_that_is_not_json_is_refused(quick: FlaskClient) -> None:
    answer = quick.post("/api/auth/login", data={"password": PASSWORD})
    assert "application/json" in refused(answer, 415, "UNSUPPORTED_MEDIA_TYPE")


def test_a_wrong_password_and_none_at_all_get_the_same_code(quick: FlaskClient, tmp_path: Path) -> None:
    refused(login(quick, PASSWORD + "x"), 401, "UNAUTHORIZED")
    with api(tmp_path) as without_password:
        assert "No password" in refused(login(without_password), 401, "UNAUTHORIZED")


def test_a_session_holds_in_other_processes_and_ends_in_time(
    client: FlaskClient, tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock
) -> None:
    token = login(client).json["token"]
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as other:
        caller = other.post("/api/caller", headers=bearer(token)).json
        assert caller == {"name": "password", "scopes": ["read", "write"], "tenant": None}
        clock.advance(timedelta(hours=12) - timedelta(seconds=1))
        assert other.get("/api/caller", headers=bearer(token)).status_code == 200
        clock.advance(timedelta(seconds=1))
        assert "over" in refused(other.get("/api/caller", headers=bearer(token)), 401, "UNAUTHORIZED")


def test_a_sign_out_holds_everywhere_at_once_and_ends_no_other_session(
    client: FlaskClient, tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock
) -> None:
    gone, kept = login(client).json["token"], login(client).json["token"]
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as other:
        assert other.post("/api/auth/logout", headers=bearer(gone)).status_code == 204
    refused(client.get("/api/caller", headers=bearer(gone)), 401, "UNAUTHORIZED")
    refused(client.post("/api/auth/logout", headers=bearer(gone)), 401, "UNAUTHORIZED")
    assert client.get("/api/caller", headers=bearer(kept)).status_code == 200


def test_another_password_hash_ends_all_sessions(
    client: FlaskClient, tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock
) -> None:
    token = login(client).json["token"]
    same_password = hash_of(salt=b"fedcba9876543210")
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=same_password) as changed:
        refused(changed.get("/api/caller", headers=bearer(token)), 401, "UNAUTHORIZED")
        assert login(changed).status_code == 200


def test_the_sessions_are_bounded(tmp_path: Path, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragbase.access.sessions.MOST", 5)
    with api(tmp_path, clock=clock, password_hash=hash_of()) as client:
        tokens = []
        for _ in range(6):
            tokens.append(login(client).json["token"])
            clock.advance(timedelta(seconds=1))
        allowed = [client.get("/api/caller", headers=bearer(token)).status_code for token in tokens]
    assert allowed == [401] + 5 * [200]


def test_the_same_characters_in_other_code_points_are_the_same_password(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of("pass phrase é")) as client:
        assert login(client, "pass phrase e\u0301").status_code == 200


def test_five_attempts_from_an_address_and_then_no_more_for_a_while(
    client: FlaskClient, tmp_path: Path, checkpoints: Checkpoints, clock: VirtualClock
) -> None:
    for _ in range(5):
        refused(login(client, "wrong"), 401, "UNAUTHORIZED")
        clock.advance(timedelta(minutes=1))
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as restarted:
        answer = login(restarted)  # also with the right password
        refused(answer, 429, "TOO_MANY_REQUESTS")
        assert answer.headers["Retry-After"] == "600"
        assert login(restarted, address="192.0.2.2").status_code == 200
        clock.advance(timedelta(seconds=599))
        assert login(restarted).headers["Retry-After"] == "1"
        clock.advance(timedelta(seconds=1))
        assert login(restarted).status_code == 200


def test_a_sign_in_forgives_the_attempts_before_it(quick: FlaskClient) -> None:
    for _ in range(3):
        for _ in range(4):
            assert login(quick, "wrong").status_code == 401
        assert login(quick).status_code == 200


def test_an_attack_from_many_addresses_stops_strangers_and_nobody_who_is_known(
    quick: FlaskClient, clock: VirtualClock
) -> None:
    token = login(quick, address="192.0.2.1").json["token"]
    for number in range(100):
        assert login(quick, "wrong", address=f"198.51.100.{number}").status_code == 401
    stranger = login(quick, address="192.0.2.2")
    refused(stranger, 429, "TOO_MANY_REQUESTS")
    assert stranger.headers["Retry-After"] == "900"
    assert login(quick, address="192.0.2.1").status_code == 200
    assert quick.get("/api/caller", headers=bearer(token)).status_code == 200
    clock.advance(timedelta(minutes=15))
    assert login(quick, address="192.0.2.2").status_code == 200


def test_two_passwords_are_checked_at_once_and_a_third_is_not_counted(
    quick: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, released, scrypt = threading.Semaphore(0), threading.Event(), hashlib.scrypt

    def held(*arguments: Any, **options: Any) -> bytes:
        began.release()
        assert released.wait(PATIENCE)
        return scrypt(*arguments, **options)

    monkeypatch.setattr(hashlib, "scrypt", held)
    with ThreadPoolExecutor(2) as threads:
        checks = [threads.submit(login, quick.application.test_client(), address=f"192.0.2.{n}") for n in (1, 2)]
        assert all(began.acquire(timeout=PATIENCE) for _ in checks)
        for _ in range(6):
            answer = login(quick, address="192.0.2.3")
            refused(answer, 429, "TOO_MANY_REQUESTS")
            assert answer.headers["Retry-After"] == "1"
        released.set()
        assert [check.result(PATIENCE).status_code for check in checks] == [200, 200]
    assert login(quick, address="192.0.2.3").status_code == 200


def test_an_ipv6_customer_is_one_address(quick: FlaskClient) -> None:
    for number in range(5):
        assert login(quick, "wrong", address=f"2001:db8:1:2::{number}").status_code == 401
    assert login(quick, address="2001:db8:1:2:ffff::1").status_code == 429
    assert login(quick, address="2001:db8:1:3::1").status_code == 200
    for _ in range(5):
        assert login(quick, "wrong", address="::ffff:192.0.2.7").status_code == 401
    assert login(quick, address="192.0.2.7").status_code == 429


@pytest.mark.parametrize("proxies", [1, 2])
def test_behind_proxies_the_client_cannot_choose_its_address(tmp_path: Path, proxies: int) -> None:
    with api(tmp_path, password_hash=hash_of(), trusted_proxies=proxies) as client:

        def attempt(password: str, forged: str, real: str) -> int:
            written = ", ".join([forged, real, *["10.0.0.1"] * (proxies - 1)])
            body = {"password": password}
            return client.post("/api/auth/login", json=body, headers={"X-Forwarded-For": written}).status_code

        assert [attempt("wrong", f"203.0.113.{number}", "192.0.2.1") for number in range(5)] == [401] * 5
        assert attempt(PASSWORD, "203.0.113.9", "192.0.2.1") == 429
        assert attempt(PASSWORD, "192.0.2.1", "192.0.2.2") == 200


def test_without_trusted_proxies_nobody_can_choose_an_address(quick: FlaskClient) -> None:
    for number in range(5):
        headers = {"X-Forwarded-For": f"203.0.113.{number}"}
        assert quick.post("/api/auth/login", json={"password": "wrong"}, headers=headers).status_code == 401
    headers = {"X-Forwarded-For": "203.0.113.9"}
    assert quick.post("/api/auth/login", json={"password": PASSWORD}, headers=headers).status_code == 429


@pytest.mark.parametrize("wrong", ["secret", "scrypt.15.8.3.AAAA", "scrypt.30.8.1." + "A" * 22 + "." + "A" * 43])
def test_a_hash_that_ragbase_did_not_make_stops_the_start_and_is_not_quoted(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(ConfigurationError, match="ragbase password") as error, api(tmp_path, password_hash=wrong):
        pass
    assert wrong not in str(error.value)


def test_no_secret_reaches_the_log(quick: FlaskClient, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG), caplog.at_level(logging.DEBUG, "ragbase"):
        token = login(quick).json["token"]
        login(quick, "a wrong password", address="192.0.2.3")
        quick.get("/api/caller", headers=bearer(token))
        quick.get("/api/caller", headers=bearer(token[:-1] + "x"))
        quick.post("/api/auth/login", data=b'{"password": "a broken bod', content_type="application/json")
        quick.post("/api/auth/logout", headers=bearer(token))
    logged = "".join(f"{record.getMessage()} {record.__dict__}" for record in caplog.records)
    assert "access.signed_in" in logged and "access.refused" in logged
    for secret in (PASSWORD, "a wrong password", "a broken bod", token.rpartition("_")[2], hash_of()):
        assert secret not in logged
