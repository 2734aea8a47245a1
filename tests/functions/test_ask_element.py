"""The script of <ragbase-ask>, as the pages of other sites get it."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragbase.interfaces.console.ask_element import ask_element
from tests.functions.guarded import api, hash_of, refused


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    with api(tmp_path, password_hash=hash_of()) as client:
        yield client


def test_every_page_may_run_it(client: FlaskClient) -> None:
    answer = client.get("/ragbase-ask.js", headers={"Origin": "https://www.example.com"})
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-cache"
    again = client.get("/ragbase-ask.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert len(client.get("/ragbase-ask.js", headers={"Accept-Encoding": "gzip"}).data) < 10_000


def test_a_version_is_kept_for_ever_and_has_its_hash(client: FlaskClient) -> None:
    path = f"/ragbase-ask-{ask_element().version}.js"
    answer = client.get(path)
    assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    digest = base64.b64encode(hashlib.sha384(answer.data).digest()).decode()
    assert ask_element().integrity == f"sha384-{digest}"
    assert answer.data == client.get("/ragbase-ask.js").data


@pytest.mark.parametrize("version", ["0123456789abcdef", "", "..", "%2e%2e", "ragbase-ask"])
def test_another_version_says_which_one_there_is(client: FlaskClient, version: str) -> None:
    message = refused(client.get(f"/ragbase-ask-{version}.js"), 404, "NOT_FOUND")
    if version == "0123456789abcdef":
        assert ask_element().version in message and ask_element().integrity in message
