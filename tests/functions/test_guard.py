"""Who may call which route: the guard of the HTTP API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from flask import Blueprint, Flask
from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from ragbase.interfaces.api.guard import current_caller, guard
from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.route import route
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import Guarded, api, bearer, hash_of, login, refused

ALL = {"scopes": ["read", "write"], "tenant": None}
CLOUD = {"RAGBASE_PROFILE": "gcp", "GOOGLE_CLOUD_PROJECT": "project"}
WITHOUT_CALLER = {
    *("/healthz", "/health", "/readyz", "/ready"),
    *("/openapi.json", "/docs"),
    *("/", "/console/<version>/<path:path>", "/ragbase-ask.js", "/ragbase-ask-<version>.js"),
    *("/api/auth/login", "/api/session"),
    "/api/uploads/<token>",
}
"""The routes that anybody may call."""
OF_PROXIES = (
    *("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Port", "X-Forwarded", "Forwarded"),
    *("Via", "X-Real-IP", "X-Client-IP", "X-Cluster-Client-IP", "True-Client-IP", "Client-IP", "CDN-Loop"),
    *("CF-Connecting-IP", "CF-Ray", "Fastly-Client-IP", "Fly-Client-IP", "DO-Connecting-IP", "X-Azure-ClientIP"),
    *("X-Envoy-External-Address", "X-Original-Forwarded-For", "X-Original-Host", "X-ProxyUser-Ip", "X-Remote-Addr"),
    *("X-Appengine-User-Ip", "WL-Proxy-Client-IP", "Surrogate-Capability"),
)
"""The headers by which a request shows that it comes through a proxy."""
GOOGLE_TOKEN = "eyJhbGciOiJSUzI1NiJ9.eyJlbWFpbCI6ImEifQ.SIGNATURE_REMOVED_BY_GOOGLE"
"""What a function sees of the token that Cloud Run has checked."""


@pytest.fixture
def checkpoints() -> MemoryCheckpoints:
    return MemoryCheckpoints()


@pytest.fixture
def keys(checkpoints: MemoryCheckpoints) -> ApiKeys:
    return ApiKeys(lambda: checkpoints, VirtualClock())


@pytest.fixture
def client(tmp_path: Path, checkpoints: MemoryCheckpoints) -> Iterator[FlaskClient]:
    """With a password, so that everybody has to sign in."""
    with api(tmp_path, checkpoints=checkpoints, password_hash=hash_of(), tenancy="folder") as client:
        yield client


def made(keys: ApiKeys, *scopes: Scope, tenant: str | None = None) -> Token:
    return keys.create("robot", scopes=scopes, tenant=tenant)[1]


def test_every_route_wants_a_caller_but_those_that_are_listed(client: FlaskClient) -> None:
    asked = 0
    for rule in client.application.url_map.iter_rules():
        path = rule.rule.replace("<", "").replace(">", "")
        for method in rule.methods or ():
            if rule.rule not in WITHOUT_CALLER and method != "OPTIONS":
                answer = client.open(path, method=method)
                assert (answer.status_code, answer.headers.get("WWW-Authenticate")) == (401, "Bearer"), rule
                asked += 1
    assert asked >= 8


@pytest.mark.parametrize("path", ["/api/caller", "/internal/callback"])
@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer x",
        "Bearer " + GOOGLE_TOKEN,
        "Basic cm9ib3Q6c2VjcmV0",
        "Basic eì{p4",
        "Digest \x80",
        f"Bearer rb_{'0' * 16}_{'0' * 64}",
        f"Bearer rbs_{'0' * 16}_{'0' * 64}",
        f"Bearer rb_{'0' * 16}_{'0' * 65}",
        "Bearer rb_é",
    ],
)
def test_what_is_no_valid_token_is_refused(client: FlaskClient, path: str, header: str) -> None:
    refused(client.post(path, headers={"Authorization": header}), 401, "UNAUTHORIZED")


def test_a_key_may_do_what_its_scopes_say(client: FlaskClient, keys: ApiKeys) -> None:
    reader, writer = made(keys, Scope.READ, tenant="blue"), made(keys, Scope.WRITE)
    assert client.get("/api/caller", headers=bearer(reader)).json == {
        "name": "robot",
        "scopes": ["read"],
        "tenant": "blue",
    }
    assert client.head("/api/caller", headers=bearer(reader)).status_code == 200
    assert client.post("/api/query", json={}, headers=bearer(reader)).status_code == 400  # the guard let it pass
    for path in ("/api/caller", "/internal/callback"):
        refused(client.post(path, headers=bearer(reader)), 403, "FORBIDDEN")
    assert client.post("/api/caller", headers=bearer(writer)).status_code == 200
    assert client.post("/internal/callback", json={}, headers=bearer(writer)).status_code == 400  # it let it pass, too
    refused(client.get("/api/caller", headers=bearer(writer)), 403, "FORBIDDEN")
    refused(client.post("/api/query", json={}, headers=bearer(writer)), 403, "FORBIDDEN")


@pytest.mark.parametrize("scope", Scope)
def test_the_scope_of_an_operation_is_what_the_guard_wants(
    tmp_path: Path, keys: ApiKeys, checkpoints: MemoryCheckpoints, scope: Scope
) -> None:
    """Whatever its method says: a GET may want the scope write."""
    reader, writer = made(keys, Scope.READ), made(keys, Scope.WRITE)
    app, blueprint = Flask("asked"), Blueprint("asked", __name__)
    asked = Operation(id="asked", method="GET", path="/asked/{name}", summary="", answers={}, scope=scope)
    either = replace(asked, id="either", path="/either", scope=None)
    anybody = replace(asked, id="anybody", path="/anybody", needs_caller=False)

    @route(blueprint, asked)
    def view_of_one(name: str) -> str:
        return name

    @route(blueprint, either)
    def view_of_both() -> str:
        return current_caller().name

    @route(blueprint, anybody)
    def view_of_all() -> str:
        return "all"

    guard(app, Guarded(load_config(home=tmp_path, environment={}), checkpoints, VirtualClock()))
    app.register_blueprint(blueprint)
    client = app.test_client()
    for key, may in ((reader, scope is Scope.READ), (writer, scope is Scope.WRITE)):
        assert client.get("/asked/1", headers=bearer(key)).status_code == (200 if may else 403)
        assert client.get("/either", headers=bearer(key)).text == "robot"
    assert client.get("/either").status_code == 401
    assert client.get("/anybody").text == "all"


def test_a_route_without_an_operation_is_closed(tmp_path: Path) -> None:
    with api(tmp_path) as client:
        client.application.add_url_rule("/forgotten", view_func=lambda: "open")
        assert client.get("/forgotten").status_code == 500


def test_a_key_is_not_signed_out(client: FlaskClient, keys: ApiKeys) -> None:
    key = made(keys, Scope.READ)
    refused(client.post("/api/auth/logout", headers=bearer(key)), 409, "NO_SESSION")
    assert client.get("/api/caller", headers=bearer(key)).status_code == 200


def test_the_id_of_a_key_with_another_secret_is_refused(client: FlaskClient, keys: ApiKeys) -> None:
    key, other = made(keys, Scope.READ), made(keys, Scope.READ)
    mixed = Token(key.kind, key.id, other.secret)
    refused(client.get("/api/caller", headers=bearer(mixed)), 401, "UNAUTHORIZED")


def test_a_path_without_a_route_says_so_without_a_caller(client: FlaskClient) -> None:
    refused(client.get("/api/nothing"), 404, "NOT_FOUND")


def test_without_a_password_and_keys_programs_of_this_machine_are_answered(tmp_path: Path, keys: ApiKeys) -> None:
    with api(tmp_path) as client:
        assert client.post("/api/caller").json == {"name": "local", **ALL}
        for host in ("127.0.0.1:8080", "[::1]:8080", "app.localhost"):
            assert client.get("/api/caller", headers={"Host": host}).status_code == 200
        same_page = {"Host": "127.0.0.1:8080", "Origin": "http://127.0.0.1:8080"}
        assert client.post("/api/caller", headers=same_page).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example:8080"},
        {"Host": "localhost.evil.example"},
        {"Host": "[::1"},
        {"Host": ""},
        {"Origin": "https://evil.example"},
        {"Origin": "http://localhost:3000"},
        {"Origin": "null"},
        *({name: "203.0.113.1"} for name in OF_PROXIES),
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},
        {"Sec-Fetch-Site": "something new"},
    ],
)
def test_an_open_api_refuses_pages_of_other_sites_and_proxies(tmp_path: Path, headers: dict[str, str]) -> None:
    with api(tmp_path) as client:
        for method in ("GET", "POST"):
            message = refused(client.open("/api/caller", method=method, headers=headers), 403, "FORBIDDEN")
            assert "ragbase password" in message


def test_an_open_api_answers_what_a_user_types_and_its_own_pages(tmp_path: Path) -> None:
    with api(tmp_path) as client:
        for site in ("none", "same-origin"):
            headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate", "User-Agent": "Mozilla", "DNT": "1"}
            assert client.get("/api/caller", headers=headers).status_code == 200
        usual = {"traceparent": f"00-{'1' * 32}-{'2' * 16}-01", "Priority": "u=1", "X-Request-Id": "one"}
        assert client.get("/api/caller", headers=usual).status_code == 200


def test_an_open_api_answers_pages_of_the_origins_that_a_setting_names(tmp_path: Path) -> None:
    page = {"Origin": "https://app.example", "Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "cors"}
    with api(tmp_path, cors_origins="https://app.example") as client:
        assert client.post("/api/caller", headers=page).status_code == 200
        refused(client.post("/api/caller", headers={"Origin": "https://evil.example"}), 403, "FORBIDDEN")
    with api(tmp_path, cors_origins="*") as client:
        refused(client.post("/api/caller", headers=page), 403, "FORBIDDEN")


def test_an_open_api_refuses_other_machines(tmp_path: Path) -> None:
    with api(tmp_path) as client:
        answer = client.get("/api/caller", environ_base={"REMOTE_ADDR": "192.0.2.1"})
        assert "another machine" in refused(answer, 403, "FORBIDDEN")


def test_the_first_key_closes_an_open_api(tmp_path: Path, checkpoints: MemoryCheckpoints, keys: ApiKeys) -> None:
    with api(tmp_path, checkpoints=checkpoints) as client:
        assert client.get("/api/caller").status_code == 200
        key = made(keys, Scope.READ)
        refused(client.get("/api/caller"), 401, "UNAUTHORIZED")
        assert client.get("/api/caller", headers=bearer(key)).status_code == 200


def test_with_a_token_any_page_may_ask(client: FlaskClient) -> None:
    headers = {**bearer(login(client).json["token"]), "Origin": "https://dashboard.example", "Host": "api.example"}
    assert client.get("/api/caller", headers=headers).status_code == 200


def test_in_the_cloud_everybody_signs_in_unless_a_setting_says_otherwise(tmp_path: Path) -> None:
    with api(tmp_path, environment=CLOUD) as client:
        refused(client.get("/api/caller"), 401, "UNAUTHORIZED")
        refused(client.get("/api/caller", headers=bearer(GOOGLE_TOKEN)), 401, "UNAUTHORIZED")


def test_behind_iam_googles_token_is_enough_and_ours_holds_if_it_is_there(
    tmp_path: Path, checkpoints: MemoryCheckpoints, keys: ApiKeys
) -> None:
    environment = {**CLOUD, "RAGBASE_SIGN_IN": "iam", "RAGBASE_TENANCY": "folder"}
    with api(tmp_path, checkpoints=checkpoints, environment=environment) as client:
        for headers in (bearer(GOOGLE_TOKEN), {"X-Serverless-Authorization": f"Bearer {GOOGLE_TOKEN}"}):
            assert client.post("/api/caller", headers=headers).json == {"name": "iam", **ALL}
        both = {"X-Serverless-Authorization": f"Bearer {GOOGLE_TOKEN}", **bearer(made(keys, Scope.READ, tenant="a"))}
        assert client.get("/api/caller", headers=both).json == {"name": "robot", "scopes": ["read"], "tenant": "a"}
        refused(client.post("/api/caller", headers=both), 403, "FORBIDDEN")
        wrong = {**both, **bearer(f"rb_{'0' * 16}_{'0' * 64}")}
        refused(client.get("/api/caller", headers=wrong), 401, "UNAUTHORIZED")


@pytest.mark.parametrize(
    ("settings", "remedy"), [({"RAGBASE_SIGN_IN": "iam"}, "local"), ({**CLOUD, "RAGBASE_SIGN_IN": "local"}, "iam")]
)
def test_nobody_trusts_an_iam_that_is_not_there(tmp_path: Path, settings: dict[str, str], remedy: str) -> None:
    with pytest.raises(ConfigurationError, match=f"required and {remedy}"), api(tmp_path, environment=settings):
        pass


def test_the_cloud_has_defaults_of_its_own(tmp_path: Path) -> None:
    cloud, here = load_config(home=tmp_path, environment=CLOUD), load_config(home=tmp_path, environment={})
    assert (cloud.sign_in, cloud.trusted_proxies) == ("required", 1)
    assert (here.sign_in, here.trusted_proxies) == ("local", 0)
