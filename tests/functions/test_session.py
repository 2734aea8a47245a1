"""Sign-in on a page: the token is in a cookie, which counts only where a page of this server sends it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import PASSWORD, api, bearer, hash_of, login, refused

OWN = {"Sec-Fetch-Site": "same-origin"}
FOREIGN = [
    {},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost.evil.example"},
    {"Origin": "http://localhost:8081"},
    {"Origin": "http://["},
    {"Origin": "null"},
    {"Origin": ""},
]


@pytest.fixture
def checkpoints() -> MemoryCheckpoints:
    return MemoryCheckpoints()


@pytest.fixture
def client(tmp_path: Path, checkpoints: MemoryCheckpoints, clock: VirtualClock) -> Iterator[FlaskClient]:
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as client:
        yield client


@pytest.fixture
def keys(checkpoints: MemoryCheckpoints, clock: VirtualClock) -> ApiKeys:
    return ApiKeys(lambda: checkpoints, clock)


def sign_in(client: FlaskClient, secret: object = PASSWORD, *, headers: Mapping[str, str] = OWN) -> Any:
    return client.post("/api/session", json={"secret": str(secret)}, headers=headers)


def change(client: FlaskClient, headers: Mapping[str, str] = OWN) -> Any:
    return client.post("/api/caller", headers=headers)


def session(client: FlaskClient, headers: Mapping[str, str] | None = None) -> Any:
    return client.get("/api/session", headers=headers)


def test_a_sign_in_on_a_page_holds_until_it_is_ended(client: FlaskClient, clock: VirtualClock) -> None:
    assert session(client).json == {"scopes": [], "signedIn": False, "operator": False}
    refused(client.get("/api/documents"), 401, "UNAUTHORIZED")
    refused(client.delete("/api/session", headers=OWN), 401, "UNAUTHORIZED")

    answer = sign_in(client)

    assert answer.json == {"by": "password", "scopes": ["read", "write"], "signedIn": True, "operator": True}
    assert answer.headers["Cache-Control"] == "no-store"
    cookie = answer.headers["Set-Cookie"]
    assert cookie.startswith("ragbase=rbs_")
    assert {"HttpOnly", "SameSite=Strict", "Path=/", "Max-Age=43200"} < set(cookie.split("; "))
    assert "Domain" not in cookie and "Secure" not in cookie
    assert client.get("/api/documents").status_code == 200
    assert change(client).json["name"] == "password"
    assert session(client).json == answer.json

    ended = client.delete("/api/session", headers=OWN)

    assert (ended.status_code, ended.data) == (204, b"")
    refused(client.get("/api/documents"), 401, "UNAUTHORIZED")
    kept = client.application.test_client(use_cookies=False)
    refused(kept.get("/api/documents", headers={"Cookie": cookie.split(";")[0]}), 401, "UNAUTHORIZED")


def test_over_tls_no_other_host_can_set_the_cookie(client: FlaskClient) -> None:
    proxy = {**OWN, "X-Forwarded-Proto": "https"}
    cookie = sign_in(client, headers=proxy).headers["Set-Cookie"]
    assert cookie.startswith("__Host-ragbase=rbs_")
    assert {"Secure", "HttpOnly", "SameSite=Strict", "Path=/"} < set(cookie.split("; ")) and "Domain" not in cookie
    shown = cookie.split(";")[0]
    client = client.application.test_client(use_cookies=False)
    assert client.get("/api/documents", headers={**proxy, "Cookie": shown}).status_code == 200
    planted = {**proxy, "Cookie": shown.removeprefix("__Host-")}
    refused(client.get("/api/documents", headers=planted), 401, "UNAUTHORIZED")


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_page_of_another_site_changes_nothing(client: FlaskClient, headers: dict[str, str]) -> None:
    sign_in(client)
    for method, path in (
        ("POST", "/api/caller"),
        ("DELETE", "/api/documents/x"),
        ("POST", "/api/query"),
        ("DELETE", "/api/session"),
    ):
        answer = client.open(path, method=method, headers=headers, json={} if method == "POST" else None)
        assert "cookie" in refused(answer, 403, "FORBIDDEN"), path
    assert client.get("/api/documents").status_code == 200


@pytest.mark.parametrize("headers", [OWN, {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "none"}], ids=str)
def test_a_page_of_this_server_may(client: FlaskClient, headers: dict[str, str]) -> None:
    sign_in(client, headers=headers)
    assert change(client, headers).status_code == 200


@pytest.mark.parametrize("headers", [one for one in FOREIGN if one], ids=str)
def test_no_other_page_signs_somebody_in(client: FlaskClient, headers: dict[str, str]) -> None:
    refused(sign_in(client, headers=headers), 403, "FORBIDDEN")
    assert session(client).json["signedIn"] is False


def test_a_token_in_the_header_needs_no_page(client: FlaskClient) -> None:
    token = login(client).json["token"]
    for headers in FOREIGN:
        assert change(client, {**headers, **bearer(token)}).status_code == 200
    assert "cookie" in refused(client.delete("/api/session", headers=bearer(token)), 409, "NO_SESSION")


def test_the_token_in_the_header_counts_before_the_cookie(client: FlaskClient, keys: ApiKeys) -> None:
    sign_in(client)
    _, token = keys.create("robot", scopes=[Scope.READ])
    assert session(client, bearer(token)).json["name"] == "robot"


def test_a_key_may_on_the_page_what_it_may(client: FlaskClient, keys: ApiKeys) -> None:
    key, token = keys.create("robot", scopes=[Scope.READ])
    answer = sign_in(client, f" {token}\n")
    assert answer.json == {"by": "key", "name": "robot", "scopes": ["read"], "signedIn": True, "operator": False}
    assert client.get("/api/documents").status_code == 200
    refused(change(client), 403, "FORBIDDEN")
    everywhere = client.delete("/api/session?everywhere=true", headers=OWN)
    assert f"keys revoke {key.id}" in refused(everywhere, 409, "NO_SESSION")
    assert client.delete("/api/session", headers=OWN).status_code == 204
    refused(client.get("/api/documents"), 401, "UNAUTHORIZED")
    assert client.get("/api/documents", headers=bearer(token)).status_code == 200

    sign_in(client, token)
    keys.revoke(key.id)
    refused(client.get("/api/documents"), 401, "UNAUTHORIZED")


def test_a_key_that_may_not_read_has_nothing_to_see(client: FlaskClient, keys: ApiKeys) -> None:
    _, token = keys.create("extractor", scopes=[Scope.EXTRACT])
    assert "read" in refused(sign_in(client, token), 403, "FORBIDDEN")


@pytest.mark.parametrize("secret", ["x", f"rb_{'0' * 16}_{'0' * 64}", f"rbs_{'0' * 16}_{'0' * 64}"])
def test_a_wrong_secret_sets_no_cookie(client: FlaskClient, secret: str) -> None:
    answer = sign_in(client, secret)
    refused(answer, 401, "UNAUTHORIZED")
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("body", [{}, {"secret": ""}, {"secret": "x" * 1001}, {"password": PASSWORD}])
def test_a_sign_in_outside_of_its_form_is_refused(client: FlaskClient, body: dict[str, str]) -> None:
    refused(client.post("/api/session", json=body, headers=OWN), 400, "INVALID_REQUEST")


def test_sign_out_everywhere_ends_all_sign_ins_with_the_password(client: FlaskClient, keys: ApiKeys) -> None:
    other = login(client).json["token"]
    _, key = keys.create("robot", scopes=[Scope.READ])
    sign_in(client)
    assert client.delete("/api/session?everywhere=true", headers=OWN).status_code == 204
    refused(client.get("/api/documents", headers=bearer(other)), 401, "UNAUTHORIZED")
    assert client.get("/api/documents", headers=bearer(key)).status_code == 200


def test_a_sign_in_that_is_over_loses_its_cookie(client: FlaskClient, clock: VirtualClock) -> None:
    sign_in(client)
    clock.advance(timedelta(hours=12))
    refused(client.get("/api/documents"), 401, "UNAUTHORIZED")
    answer = session(client)
    assert answer.json == {"scopes": [], "signedIn": False, "operator": False}
    assert answer.headers["Set-Cookie"].startswith("ragbase=;")


def test_an_open_server_needs_no_sign_in(tmp_path: Path) -> None:
    """Nor does a cookie that another server of this machine has left."""
    with api(tmp_path) as client:
        assert session(client).json == {"by": "local", "scopes": ["read", "write"], "signedIn": False, "operator": True}
        other = client.application.test_client(use_cookies=False)
        left = {"Cookie": f"ragbase=rbs_{'0' * 16}_{'0' * 64}"}
        assert change(other, {**left, **OWN}).json["name"] == "local"
        assert session(other, left).headers["Set-Cookie"].startswith("ragbase=;")


def test_servers_on_ports_of_one_host_have_cookies_apart(client: FlaskClient) -> None:
    answer = client.post("/api/session", json={"secret": PASSWORD}, headers=OWN, base_url="http://localhost:8081")
    assert answer.headers["Set-Cookie"].startswith("ragbase-8081=rbs_")


def test_where_everybody_may_ask_a_visitor_is_told_so(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of(), public_query=True) as client:
        assert session(client).json == {"by": "public", "scopes": ["read"], "signedIn": False, "operator": False}


def test_behind_iam_no_page_of_another_site_changes_anything(tmp_path: Path) -> None:
    """A browser behind Identity-Aware Proxy sends its cookie with the requests of every page."""
    cloud = {
        "RAGBASE_PROFILE": "gcp",
        "RAGBASE_PROJECT": "p",
        "RAGBASE_BUCKET": "b",
        "RAGBASE_SIGN_IN": "iam",
        "RAGBASE_CORS_ORIGINS": "https://app.example.com",
    }
    with api(tmp_path, environment=cloud) as client:
        for headers in FOREIGN[1:]:
            refused(change(client, headers), 403, "FORBIDDEN")
            assert client.get("/api/caller", headers=headers).status_code == 200
        known = {"Sec-Fetch-Site": "cross-site", "Origin": "https://app.example.com"}
        for headers in ({}, OWN, known):
            assert change(client, headers).json["name"] == "iam"
