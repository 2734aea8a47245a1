"""The checks of the document contract (docs/contracts/documents.md, sections 3, 4 and 8) as one table of requests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.bootstrap.open_profile import open_profile
from ragbase.config import load_config
from ragbase.interfaces.api.app import create_app
from tests.functions.form import form
from tests.functions.guarded import PASSWORD, api, hash_of

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days in a second region.\n"


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    profile = open_profile(load_config(home=tmp_path_factory.mktemp("home"), environment={}, embedder="hashing"))
    yield create_app(profile).test_client()
    profile.close()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"query": ""}, 400),
        ({"query": "   "}, 400),
        ({"query": "\t\n\u2003"}, 400),
        ({"query": "q"}, 200),
        ({"query": "q" * 1000}, 200),
        ({"query": "q" * 1001}, 400),
        ({"query": " " * 10 + "q" * 1000 + " " * 10}, 200),
        ({"query": "\U0001f98a" * 1000}, 200),
        ({"query": 5}, 400),
        ({"query": None}, 400),
        ({"query": ["q"]}, 400),
        ({"query": {}}, 400),
        ({"query": True}, 400),
        ({}, 400),
        ({"Query": "q"}, 400),
        ({"query": "q", "topK": 0}, 400),
        ({"query": "q", "topK": 1}, 200),
        ({"query": "q", "topK": 100}, 200),
        ({"query": "q", "topK": 101}, 400),
        ({"query": "q", "topK": -1}, 400),
        ({"query": "q", "topK": 5.0}, 200),
        ({"query": "q", "topK": 5.5}, 400),
        ({"query": "q", "topK": "5"}, 400),
        ({"query": "q", "topK": True}, 400),
        ({"query": "q", "topK": None}, 200),
        ({"query": "q", "topK": 10**30}, 400),
        ({"query": "q", "unknown": 1}, 400),
        ("q", 400),
        (["q"], 400),
        (5, 400),
    ],
)
def test_queries(client: FlaskClient, body: object, status: int) -> None:
    answered(client.post("/api/query", json=body), status)


@pytest.mark.parametrize(
    ("parameters", "status"),
    [
        ("", 200),
        *((f"status={status}", 200) for status in ("PENDING", "PROCESSING", "COMPLETED", "FAILED")),
        ("status=DONE", 400),
        ("status=completed", 400),
        ("status=", 400),
        ("limit=0", 400),
        ("limit=1", 200),
        ("limit=100", 200),
        ("limit=101", 400),
        ("limit=-1", 400),
        ("limit=x", 400),
        ("limit=", 400),
        ("limit=1.5", 400),
        ("limit=1e1", 400),
        ("offset=-1", 400),
        ("offset=0", 200),
        ("offset=2147483647", 200),
        ("offset=2147483648", 400),
        ("offset=x", 400),
        ("limit=5&offset=5&status=FAILED", 200),
        ("limit=1&limit=2", 400),
        ("cursor=x", 400),
        ("unknown=1", 400),
    ],
)
def test_listings(client: FlaskClient, parameters: str, status: int) -> None:
    answered(client.get(f"/api/documents?{parameters}"), status)


@pytest.mark.parametrize(
    ("name", "fields", "status", "code"),
    [
        ("a.md", {}, 202, ""),
        ("a.md", {}, 200, ""),
        ("b.md", {"ocrMode": "auto"}, 202, ""),
        ("c.md", {"ocrMode": "force"}, 202, ""),
        ("d.md", {"ocrMode": "never"}, 202, ""),
        ("e.md", {"ocrMode": "always"}, 400, "INVALID_REQUEST"),
        ("e.md", {"ocrMode": "AUTO"}, 400, "INVALID_REQUEST"),
        ("e.md", {"unknown": "1"}, 400, "INVALID_REQUEST"),
    ],
)
def test_uploads(client: FlaskClient, name: str, fields: Mapping[str, str], status: int, code: str) -> None:
    body = answered(client.post("/api/documents", **form((name, GUIDE), **fields)), status)
    if code:
        assert body["error"] == code
    else:
        assert body.keys() == {"id", "filename", "status", "format", "lane"}
        assert (body["filename"], body["status"], body["format"], body["lane"]) == (name, "PENDING", "md", "fast")


@pytest.mark.parametrize("name", ["e.exe", "e"])
def test_a_format_that_is_not_allowed(client: FlaskClient, name: str) -> None:
    """Plain text is read under any name."""
    body = answered(client.post("/api/documents", **form((name, b"MZ\x90\0"))), 400)
    assert body["error"] == "INVALID_FORMAT"
    answered(client.post("/api/documents", **form((name, GUIDE))), 202)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"password": PASSWORD}, 200),
        ({"password": PASSWORD + " "}, 401),
        ({"password": ""}, 400),
        ({"password": "x" * 1001}, 400),
        ({"password": 5}, 400),
        ({"password": None}, 400),
        ({}, 400),
        ([], 400),
    ],
)
def test_logins(tmp_path: Path, body: object, status: int) -> None:
    with api(tmp_path, password_hash=hash_of()) as client:
        said = answered(client.post("/api/auth/login", json=body), status)
        if status == 200:
            assert said.keys() == {"token", "expiresAt"}
            shown = {"Authorization": f"Bearer {said['token']}"}
            answered(client.get("/api/documents", headers=shown), 200)


ID = "0b6c0000-0000-4000-8000-000000000000"
RESULT = {"markdown": "# A", "pageCount": 1, "ocrApplied": False, "processingTimeMs": 12.5}
ERROR = {"code": "OCR_FAILED", "message": "No text was found."}


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"documentId": ID},
        {"success": True},
        {"documentId": "no uuid", "success": True},
        {"documentId": ID, "success": "true"},
        {"documentId": ID, "success": 1},
        {"documentId": ID, "success": True, "result": {}},
        *({"documentId": ID, "success": True, "result": {**RESULT, "pageCount": n}} for n in (0, -1, 1.5, "1", True)),
        *({"documentId": ID, "success": True, "result": {**RESULT, "processingTimeMs": n}} for n in (0, -1, "1")),
        {"documentId": ID, "success": True, "result": {**RESULT, "ocrApplied": "no"}},
        {"documentId": ID, "success": True, "result": {**RESULT, "markdown": None}},
        {"documentId": ID, "success": False, "error": {"code": "FILE_TOO_LARGE", "message": ""}},
        {"documentId": ID, "success": False, "error": {"code": "TIMEOUT"}},
        {"documentId": ID, "success": False, "error": "TIMEOUT"},
    ],
)
def test_a_wrong_callback(client: FlaskClient, body: object) -> None:
    answered(client.post("/internal/callback", json=body), 400)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({"success": True, "result": RESULT}, 202),
        ({"success": False, "error": ERROR}, 202),
        ({"success": True}, 400),
        ({"success": False}, 400),
    ],
    ids=["result", "error", "success", "failure"],
)
def test_a_callback_says_what_it_is_about(tmp_path: Path, said: Mapping[str, Any], status: int) -> None:
    profile = open_profile(load_config(home=tmp_path, environment={}, embedder="hashing"))
    client = create_app(profile).test_client()
    answered(client.post("/internal/callback", json={"documentId": ID, **said}), 404)
    id = answered(client.post("/api/documents", **form(("callback.md", GUIDE))), 202)["id"]
    answered(client.post("/internal/callback", json={"documentId": id, **said}), status)
    profile.close()


def answered(response: Any, status: int) -> Any:
    """The body, in the form that the contract has for this status."""
    assert response.status_code == status, response.data
    if status >= 400:
        assert response.json.keys() == {"error", "message"} and response.json["message"]
    return response.json
