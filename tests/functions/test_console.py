"""The console as a browser gets it: the page, its files, and the policy that they come with."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragbase.interfaces.api.body_limits import body_limit
from ragbase.interfaces.http.body_limit import Line
from tests.functions.guarded import api, hash_of, refused

MOST = 150_000
"""Bytes over the wire until the page can be used."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    """With a password: the page is there before somebody signs in."""
    with api(tmp_path, password_hash=hash_of()) as client:
        yield client


def addresses(client: FlaskClient) -> list[str]:
    found = re.findall(r'(?:href|src)="(console/[^"]+)"', client.get("/").text)
    assert found
    return sorted(set(found))


def test_the_page_takes_everything_from_its_own_server(client: FlaskClient) -> None:
    answer = client.get("/")
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    policy = answer.headers["Content-Security-Policy"].split("; ")
    assert policy == [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src 'self' blob:",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    ]
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-cache"
    again = client.get("/", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")


def test_a_file_is_kept_for_ever_under_the_address_of_its_version(client: FlaskClient) -> None:
    types = {}
    for address in addresses(client):
        answer = client.get(f"/{address}")
        assert answer.status_code == 200, address
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
        types[address.rpartition(".")[2]] = answer.mimetype
    assert types == {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


@pytest.mark.parametrize(
    "path",
    [
        "0123456789abcdef/main.js",
        "{}/none.js",
        "{}/../page_files.py",
        "{}/%2e%2e/page_files.py",
        "{}/index.html",
        "{}/",
    ],
)
def test_there_is_no_other_file_and_no_other_version(client: FlaskClient, path: str) -> None:
    version = addresses(client)[0].split("/")[1]
    refused(client.get(f"/console/{path.format(version)}"), 404, "NOT_FOUND")


def test_the_first_view_is_small(client: FlaskClient) -> None:
    files = [f"/{address}" for address in addresses(client)]
    version = files[0].split("/")[2]
    total = 0
    for path in ["/", *files, f"/console/{version}/strings/en.json", "/api/session"]:
        answer = client.get(path, headers={"Accept-Encoding": "gzip"})
        assert answer.status_code == 200, path
        if answer.headers.get("Content-Encoding") == "gzip":
            assert len(gzip.decompress(answer.data)) >= len(answer.data)
        total += len(answer.data) + sum(len(f"{name}: {value}\r\n") for name, value in answer.headers.items())
    assert total < MOST


def test_the_files_of_the_page_wait_in_a_line_of_their_own(client: FlaskClient) -> None:
    """In that of strangers, a busy server refuses some of the dozen that a browser asks for at once."""
    for address in ["", *addresses(client)]:
        assert body_limit("GET", f"/{address}").line is Line.FILES
    assert body_limit("GET", "/api/documents/x/pages/1").line is Line.ANSWERS
