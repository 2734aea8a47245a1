"""The addresses that the API hands out, and what it logs behind a proxy that its settings do not know."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError
from tests.functions.guarded import api, bearer, hash_of, login

if TYPE_CHECKING:
    from flask.testing import FlaskClient

PUBLIC = "https://rag.example.com"
GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days in a second region.\n"
FORGED = {"Host": "evil.example", "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "ftp"}
FORWARDED = {"X-Forwarded-For": "203.0.113.1", "X-Forwarded-Proto": "https"}


def begun(client: FlaskClient, headers: Mapping[str, str]) -> str:
    """The address for a file."""
    shown = bearer(login(client).json["token"])
    wanted = {"path": "guide.md", "size": len(GUIDE)}
    answer: Any = client.post("/api/uploads", json=wanted, headers={**shown, **headers})
    assert answer.status_code == 201, answer.data
    return str(answer.json["url"])


@pytest.mark.parametrize("public_url", [PUBLIC, f"{PUBLIC}/", "https://example.com/rag", "http://127.0.0.1:9000/a/b/"])
@pytest.mark.parametrize("trusted_proxies", [0, 1])
def test_every_address_begins_with_the_setting_whatever_a_request_says(
    tmp_path: Path, public_url: str, trusted_proxies: int
) -> None:
    base = public_url.rstrip("/")
    with api(tmp_path, password_hash=hash_of(), public_url=public_url, trusted_proxies=trusted_proxies) as client:
        url = begun(client, FORGED)
        assert url.startswith(f"{base}/api/uploads/")
        assert client.put(url.removeprefix(base), data=GUIDE).status_code == 202
        described: Any = client.get("/openapi.json", headers=FORGED).json
        assert described["servers"] == [{"url": base}]
        page = client.get("/docs", headers=FORGED).text
        assert base in page and "evil" not in page
        for method, path in (("GET", "/docs/"), ("GET", "/api/documents/"), ("POST", "/api/query/")):
            assert client.open(path, method=method, headers=FORGED).status_code in (404, 405), "no redirection"
        for path in ("", "//docs", "/api//documents", "/console/0//main.js"):
            answer = client.get("/", headers=FORGED, environ_overrides={"PATH_INFO": path})
            assert not 300 <= answer.status_code < 400, "no redirection"


def test_without_the_setting_an_address_is_what_the_request_says(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of()) as client:
        assert begun(client, {"Host": "localhost:8080"}).startswith("http://localhost:8080/api/uploads/")
        described: Any = client.get("/openapi.json").json
        assert "servers" not in described, "the paths are below the address that gave the description"


def test_a_wrong_address_is_a_wrong_setting(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"public_url = 'rag\.example\.com' \(argument\): This is no address"):
        load_config(home=tmp_path, environment={}, public_url="rag.example.com")


def warnings_of(client: FlaskClient, log: pytest.LogCaptureFixture, *requests: Mapping[str, str]) -> list[str]:
    with log.at_level(logging.WARNING, "ragbase"):
        log.clear()
        for headers in requests:
            client.get("/healthz", headers=headers)
    return [entry.getMessage() for entry in log.records if getattr(entry, "action", "") == "proxy.unknown"]


@pytest.mark.parametrize(
    "settings", [{}, {"public_url": PUBLIC}, {"trusted_proxies": 1}], ids=lambda given: str([*given])
)
@pytest.mark.parametrize("header", FORWARDED)
def test_a_proxy_that_the_settings_do_not_know_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, settings: Mapping[str, Any], header: str
) -> None:
    with api(tmp_path, password_hash=hash_of(), **settings) as client:
        (warning,) = warnings_of(client, caplog, {}, {header: FORWARDED[header]}, FORWARDED, {})
    assert header in warning
    assert {name for name in ("trusted_proxies = 1", "public_url") if name in warning} == {
        name for name in ("trusted_proxies = 1", "public_url") if name.split()[0] not in settings
    }


def test_fewer_proxies_than_the_settings_say_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    two = {"X-Forwarded-For": "203.0.113.1, 192.0.2.1"}
    with api(tmp_path, password_hash=hash_of(), public_url=PUBLIC, trusted_proxies=3) as client:
        (warning,) = warnings_of(client, caplog, two)
    assert "only 2 of their addresses" in warning and "Set trusted_proxies to the number of proxies" in warning
    with api(tmp_path, password_hash=hash_of(), public_url=PUBLIC, trusted_proxies=2) as client:
        assert warnings_of(client, caplog, two, {}) == []


def test_a_proxy_that_the_settings_know_is_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with api(tmp_path, password_hash=hash_of(), public_url=PUBLIC, trusted_proxies=1) as client:
        assert warnings_of(client, caplog, FORWARDED) == []
    cloud = {"RAGBASE_PROFILE": "gcp", "GOOGLE_CLOUD_PROJECT": "project"}
    with api(tmp_path, environment=cloud) as client:  # its bucket gives the addresses
        assert warnings_of(client, caplog, FORWARDED) == []
