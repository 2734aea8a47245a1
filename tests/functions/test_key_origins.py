"""A key for the pages of some origins: it counts there alone, and their browsers may read the answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.domain.errors import ConfigurationError, Unavailable
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import api, bearer, hash_of, refused

PAGE = "https://www.example.com"
OTHERS = [
    {},
    {"Origin": "https://evil.example"},
    {"Origin": "https://www.example.com.evil.example"},
    {"Origin": "http://www.example.com"},
    {"Origin": "https://www.example.com:8443"},
    {"Origin": "https://WWW.EXAMPLE.COM"},  # no browser writes it so
    {"Origin": "https://www.example.com/"},
    {"Origin": "null"},
    {"Origin": ""},
    {"Origin": "http://localhost", "Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "same-origin"},
    {"Sec-Fetch-Site": "none"},
    {"Referer": "https://www.example.com/"},
]


class Silent(MemoryCheckpoints):
    """It has nothing to say of origins, if `is_silent`."""

    is_silent = False

    def load(self, name: str) -> str | None:
        if self.is_silent and name == "access-origins":
            raise Unavailable("The store does not answer.")
        return super().load(name)


@pytest.fixture
def checkpoints() -> Silent:
    return Silent()


@pytest.fixture
def client(tmp_path: Path, checkpoints: MemoryCheckpoints, clock: VirtualClock) -> Iterator[FlaskClient]:
    with api(tmp_path, checkpoints=checkpoints, clock=clock, password_hash=hash_of()) as client:
        yield client


@pytest.fixture
def keys(checkpoints: MemoryCheckpoints, clock: VirtualClock) -> ApiKeys:
    return ApiKeys(lambda: checkpoints, clock)


def caller(client: FlaskClient, token: object, headers: Mapping[str, str]) -> Any:
    return client.get("/api/caller", headers={**bearer(token), **headers})


def preflight(client: FlaskClient, origin: str, **headers: str) -> Any:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    return client.options("/api/answer", headers={"Origin": origin, **asked, **headers})


def allowed(answer: Any) -> str | None:
    found: str | None = answer.headers.get("Access-Control-Allow-Origin")
    return found


@pytest.mark.parametrize("headers", OTHERS, ids=str)
def test_it_counts_on_its_pages_alone(client: FlaskClient, keys: ApiKeys, headers: Mapping[str, str]) -> None:
    _, token = keys.create("site", scopes=[Scope.READ], origins=[PAGE])
    assert caller(client, token, {"Origin": PAGE}).status_code == 200
    message = refused(caller(client, token, headers), 403, "FORBIDDEN")
    assert f"counts on pages of {PAGE} alone" in message
    refused(client.get("/api/session", headers={**bearer(token), **headers}), 403, "FORBIDDEN")
    refused(client.post("/api/answer", json={"query": "?"}, headers={**bearer(token), **headers}), 403, "FORBIDDEN")


def test_a_page_of_the_server_itself_can_be_named(client: FlaskClient, keys: ApiKeys) -> None:
    """Its browser does not name the origin of what is only read."""
    _, token = keys.create("own", scopes=[Scope.READ], origins=["http://localhost"])
    assert caller(client, token, {"Sec-Fetch-Site": "same-origin"}).status_code == 200
    refused(caller(client, token, {"Sec-Fetch-Site": "cross-site"}), 403, "FORBIDDEN")
    refused(caller(client, token, {}), 403, "FORBIDDEN")


def test_nobody_signs_in_to_the_console_with_it(client: FlaskClient, keys: ApiKeys) -> None:
    _, token = keys.create("site", scopes=[Scope.READ], origins=[PAGE])
    answer = client.post("/api/session", json={"secret": str(token)}, headers={"Sec-Fetch-Site": "same-origin"})
    refused(answer, 403, "FORBIDDEN")
    assert "Set-Cookie" not in answer.headers


def test_browsers_may_show_its_answers_there_as_long_as_there_is_a_key(client: FlaskClient, keys: ApiKeys) -> None:
    assert allowed(preflight(client, PAGE)) is None
    first, token = keys.create("site", scopes=[Scope.READ], origins=[PAGE, "http://intranet:8080"])
    second, _ = keys.create("same site", scopes=[Scope.READ], origins=[PAGE])
    asked = preflight(client, PAGE)
    assert (asked.status_code, allowed(asked)) == (204, PAGE)
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
    assert "Access-Control-Allow-Credentials" not in asked.headers
    assert allowed(preflight(client, "http://intranet:8080")) == "http://intranet:8080"
    assert allowed(preflight(client, "https://evil.example")) is None
    answer = caller(client, token, {"Origin": PAGE})
    assert (allowed(answer), "Origin" in answer.vary) == (PAGE, True)

    keys.revoke(first.id)
    # The page may read why its key is refused, while another one is for it.
    gone = caller(client, token, {"Origin": PAGE})
    refused(gone, 401, "UNAUTHORIZED")
    assert allowed(gone) == PAGE and allowed(preflight(client, "http://intranet:8080")) is None
    keys.revoke(second.id)
    assert allowed(preflight(client, PAGE)) is None


def test_a_store_that_does_not_answer_allows_no_page(
    client: FlaskClient, keys: ApiKeys, checkpoints: Silent, caplog: pytest.LogCaptureFixture
) -> None:
    _, token = keys.create("site", scopes=[Scope.READ], origins=[PAGE])
    checkpoints.is_silent = True
    assert allowed(preflight(client, PAGE)) is None
    answer = caller(client, token, {"Origin": PAGE})
    assert (answer.status_code, allowed(answer)) == (200, None)


def test_an_older_version_does_not_let_it_in_from_everywhere(
    client: FlaskClient, keys: ApiKeys, checkpoints: MemoryCheckpoints
) -> None:
    """It does not know the field, and drops it where it notes a use."""
    key, token = keys.create("site", scopes=[Scope.READ], origins=[PAGE])
    kept = checkpoints.load(f"access-key-{key.id}")
    assert kept is not None
    checkpoints.save(f"access-key-{key.id}", kept.replace(f'"{PAGE}"', ""))
    assert keys.get(key.id) == replace(key, origins=())
    refused(caller(client, token, {}), 401, "UNAUTHORIZED")


@pytest.mark.parametrize("scopes", [[Scope.READ, Scope.WRITE], [Scope.WRITE], [Scope.EXTRACT]], ids=str)
def test_it_may_only_read(keys: ApiKeys, scopes: list[Scope]) -> None:
    with pytest.raises(ConfigurationError, match="everybody who sees a page can see its key"):
        keys.create("site", scopes=scopes, origins=[PAGE])
    assert not keys.exist()


@pytest.mark.parametrize(
    "origin",
    [
        "www.example.com",
        "https://www.example.com/page",
        "https://www.example.com?",
        "https://www.example.com:443",
        "http://www.example.com:80",
        "https://me@www.example.com",
        "https://*.example.com",
        "https://bücher.example",
        "https://a b.example",
        "https://a\n.example",
        "https://",
        "https://[",
        "https://a:b",
        "ftp://example.com",
        "null",
        "*",
        "",
        f"https://{'a' * 100}.example",
    ],
)
def test_what_is_no_origin_is_refused_with_an_example(keys: ApiKeys, origin: str) -> None:
    with pytest.raises(ConfigurationError, match=r"such as https://www\.example\.com"):
        keys.create("site", scopes=[Scope.READ], origins=[origin])


def test_origins_are_kept_as_browsers_send_them(keys: ApiKeys) -> None:
    key, _ = keys.create("site", scopes=[Scope.READ], origins=[" HTTPS://WWW.Example.com/ ", PAGE])
    assert key.origins == (PAGE,)
    with pytest.raises(ConfigurationError, match="6 origins, but 5 is the most"):
        keys.create("site", scopes=[Scope.READ], origins=[f"https://{n}.example" for n in range(6)])
