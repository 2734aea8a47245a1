"""What a request sends and nobody reads is an error: its sender would take the answer for one that heeds it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.messages.api.query import QueryResponse
from tests.functions.form import form
from tests.functions.guarded import PASSWORD, api, hash_of, refused

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days in a second region.\n"
ID = "0b6c0000-0000-4000-8000-000000000000"
QUESTION = {"query": "When does the backup start?"}
RESULT = {"markdown": "# A", "pageCount": 1, "ocrApplied": False, "processingTimeMs": 12.5}


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlaskClient]:
    with api(tmp_path_factory.mktemp("home")) as client:
        yield client


@pytest.mark.parametrize(
    ("path", "body", "unknown", "known"),
    [
        ("/api/query", {**QUESTION, "messages": []}, "`messages`", "query, topK, threshold, filter"),
        ("/api/query", {**QUESTION, "messages": None}, "`messages`", "topK"),
        ("/api/query", {**QUESTION, "topk": 3}, "`topk`", "Did you mean `topK`?"),
        ("/api/query", {**QUESTION, "top-k": 3}, "`top-k`", "Did you mean `topK`?"),
        ("/api/query", {"Query": "q"}, "`Query`", "Did you mean `query`?"),
        ("/api/query", {**QUESTION, "filter": {"pathPrefx": "a"}}, "`filter.pathPrefx`", "Did you mean `pathPrefix`?"),
        ("/api/query", {**QUESTION, "filter": {"tag": []}}, "`filter.tag`", "`filter` takes documentIds, pathPrefix"),
        (
            "/api/query",
            {**QUESTION, "filter": {"where": [{"key": "a", "equals": 1, "equal": 1}]}},
            "`filter.where.0.equal`",
            "Did you mean `equals`?",
        ),
        ("/api/answer", {**QUESTION, "messages": [{"role": "user"}]}, "`messages`", "query, topK, threshold, filter"),
        ("/api/explain", {**QUESTION, "document": "a.md", "documents": []}, "`documents`", "Did you mean `document`?"),
        (
            "/api/uploads",
            {"path": "a.md", "size": 1, "contenttype": ""},
            "`contenttype`",
            "Did you mean `contentType`?",
        ),
        ("/api/auth/login", {"password": PASSWORD, "user": "ann"}, "`user`", "The request takes password"),
        (
            "/internal/callback",
            {"documentId": ID, "success": True, "result": {**RESULT, "pages": 1}},
            "`result.pages`",
            "`result` takes markdown, pageCount, ocrApplied, processingTimeMs",
        ),
        (
            "/internal/callback",
            {"documentId": ID, "success": False, "error": {"code": "TIMEOUT", "message": "", "detail": ""}},
            "`error.detail`",
            "`error` takes code, message",
        ),
    ],
)
def test_an_unknown_field_is_named_with_those_that_are_known(
    client: FlaskClient, path: str, body: Mapping[str, Any], unknown: str, known: str
) -> None:
    message = refused(client.post(path, json=body), 400, "INVALID_REQUEST")
    assert f"{unknown} is unknown." in message and known in message


@pytest.mark.parametrize(
    ("method", "path", "unknown"),
    [
        ("GET", "/api/documents?limt=5", "Did you mean `limit`?"),
        ("GET", "/api/documents?tenant=blue&tenant=red", "`tenant` is unknown."),
        ("GET", f"/api/documents/{ID}?timeout=5", "The request takes wait."),
        ("GET", f"/api/documents/{ID}/chunks?offset=5", "`offset` is unknown."),
        ("GET", "/internal/extractions?status=x", "`status` is unknown."),
        ("GET", f"/api/documents/{ID}/text?from=5", "takes no parameter of the address, but there is `from`"),
        ("GET", f"/api/documents/{ID}/content?generation=1", "`generation`"),
        ("DELETE", f"/api/documents/{ID}?force=true", "`force`"),
        ("POST", f"/api/documents/{ID}/retry?ocrMode=force", "`ocrMode`"),
        ("POST", "/api/documents?replace=true", "`replace`"),
        ("POST", "/api/query?topK=3", "`topK`"),
        ("POST", "/api/auth/login?password=secret", "`password`"),
        ("POST", "/mcp?tool=answer", "`tool`"),
        ("PUT", "/api/uploads/token?replace=true", "`replace`"),
    ],
)
def test_an_unknown_parameter_of_an_address_is_refused(
    client: FlaskClient, method: str, path: str, unknown: str
) -> None:
    body = QUESTION if method == "POST" else None
    assert unknown in refused(client.open(path, method=method, json=body), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/health", "/ready", "/docs", "/openapi.json"])
def test_what_anybody_may_get_takes_the_parameters_of_monitors_and_links(client: FlaskClient, path: str) -> None:
    assert client.get(f"{path}?utm_source=mail&_=1764180000").status_code == 200


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", f"/api/documents/{ID}/retry"),
        ("DELETE", f"/api/documents/{ID}"),
        ("GET", "/api/documents"),
        ("POST", "/api/auth/logout"),
    ],
)
def test_a_body_that_nobody_reads_is_refused(client: FlaskClient, method: str, path: str) -> None:
    answer = client.open(path, method=method, json={"ocrMode": "force"})
    assert "reads no body" in refused(answer, 400, "INVALID_REQUEST")
    assert client.open(path, method=method, json={}).status_code in (200, 404, 409)


def test_an_unknown_field_of_a_form_is_refused(client: FlaskClient) -> None:
    sent = form(("a.md", GUIDE), ocrmode="force", tags="ops")
    message = refused(client.post("/api/documents", **sent), 400, "INVALID_REQUEST")
    assert "`ocrmode` is unknown. Did you mean `ocrMode`?" in message
    assert "`tags` is unknown. The request takes path, replace, ocrMode, ocrLanguages." in message
    two = {"file": (BytesIO(GUIDE), "a.md"), "attachment": (BytesIO(GUIDE), "b.md")}
    message = refused(client.post("/api/documents", data=two), 400, "INVALID_REQUEST")
    assert "`attachment`" in message and "`file`" in message
    assert (client.get("/api/documents").json or {})["total"] == 0, "nothing was taken"


def test_many_and_long_names_make_no_long_answer(client: FlaskClient) -> None:
    many = {f"field{number}": 1 for number in range(3000)}
    message = refused(client.post("/api/query", json={**QUESTION, **many}), 400, "INVALID_REQUEST")
    assert "2990 more are wrong." in message and len(message) < 2000
    message = refused(client.post("/api/query", json={**QUESTION, "x" * 50_000: 1}), 400, "INVALID_REQUEST")
    assert len(message) < 300
    parameters = "&".join(f"p{number}" for number in range(1000))
    message = refused(client.get(f"/api/documents/{ID}/text?{parameters}"), 400, "INVALID_REQUEST")
    assert "and 995 more" in message and len(message) < 300


def test_the_guard_comes_first(tmp_path: Path) -> None:
    with api(tmp_path, password_hash=hash_of()) as closed:
        refused(closed.get(f"/api/documents/{ID}/text?from=5"), 401, "UNAUTHORIZED")


def test_the_description_says_that_there_are_no_other_fields(client: FlaskClient) -> None:
    described = client.get("/openapi.json").json or {}
    schemas = described["components"]["schemas"]
    for name in ("QueryRequest", "ExplainRequest", "QueryFilter", "UploadUrlRequest", "ProcessingCallback"):
        assert schemas[name]["additionalProperties"] is False, name
    sent = described["paths"]["/api/documents"]["post"]["requestBody"]["content"]["multipart/form-data"]["schema"]
    assert sent["additionalProperties"] is False and "file" in sent["properties"]
    assert "additionalProperties" not in schemas["QueryResponse"]


def test_the_client_reads_answers_of_a_newer_server() -> None:
    answer = QueryResponse.model_validate_json(b'{"results": [], "isNew": true}')
    assert answer.results == ()
