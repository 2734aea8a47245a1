"""What is in a document, over HTTP: chunks, text and file; and what every answer has in common."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from flask.testing import FlaskClient
from werkzeug.http import parse_options_header

from ragbase import RAGEngine, load_config
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.description import offered
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.pipeline.add_document import add_document
from tests.unit.client.served import served

TEXT = "\n".join(f"# Part {n}\n\n" + f"The value of ½ part {n} is 🦊 {n * n}.\n" * 30 for n in range(12))


@contextmanager
def filled(folder: Path) -> Iterator[RAGEngine]:
    with RAGEngine(load_config(home=folder / "home", environment={}, embedder="hashing")) as engine:
        guide, bad = folder / "guide.md", folder / "bad.json"
        guide.write_text(TEXT, encoding="utf-8")
        bad.write_text("{", encoding="utf-8")
        engine.ingest([guide, bad])
        yield engine


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RAGEngine]:
    """For tests that change nothing in it."""
    with filled(tmp_path_factory.mktemp("engine")) as engine:
        yield engine


@pytest.fixture
def client(engine: RAGEngine) -> FlaskClient:
    return create_app(engine.profile).test_client()


def id_of(engine: RAGEngine, name: str) -> str:
    record = next(one for one in engine.profile.documents.page() if one.name.endswith(name))
    return record.id


def test_each_chunk_stands_in_the_text_where_it_says(client: FlaskClient, engine: RAGEngine) -> None:
    id = id_of(engine, "guide.md")
    text = client.get(f"/api/documents/{id}/text")
    assert text.mimetype == "text/plain" and text.text == TEXT
    chunks: list[Any] = []
    cursor = "0"
    while cursor is not None:
        page: Any = client.get(f"/api/documents/{id}/chunks?limit=5&cursor={cursor}").json
        assert len(page["chunks"]) <= 5
        chunks += page["chunks"]
        cursor = page.get("nextCursor")
    assert [chunk["chunkIndex"] for chunk in chunks] == list(range(page["total"]))
    for chunk in chunks:
        assert chunk["documentId"] == id
        place = chunk["metadata"]
        assert text.text[place["charStart"] : place["charEnd"]] == chunk["content"]
    found: Any = client.post("/api/query", json={"query": "value of part 7"}).json
    assert {result["content"] for result in found["results"]} <= {chunk["content"] for chunk in chunks}


def test_the_file_comes_back_as_it_was_and_runs_nowhere(client: FlaskClient, engine: RAGEngine) -> None:
    response = client.get(f"/api/documents/{id_of(engine, 'guide.md')}/content")
    assert response.data == TEXT.encode()
    assert response.mimetype == "text/markdown"
    assert response.headers["Content-Disposition"] == "attachment; filename=guide.md"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize("name", ["Übersicht.md", "備份 \U000f535d.md", "'a\"b%;.md"])
@pytest.mark.parametrize("declared", ["text/markdown", "text/märk", "текст/x", "x" * 300])
def test_the_file_comes_back_from_a_server_whatever_its_name_and_type(tmp_path: Path, name: str, declared: str) -> None:
    with served(tmp_path / "home") as server:
        added = add_document(
            name, b"# Backups", content_type=declared, metadata={}, replace=False, ports=server.profile
        )
        with urlopen(f"{server.url}/api/documents/{added.document.id}/content") as response:
            assert response.read() == b"# Backups"
            disposition = response.headers["Content-Disposition"]
    assert parse_options_header(disposition) == ("attachment", {"filename": name})


def test_a_document_without_text_says_so_and_still_has_its_file(client: FlaskClient, engine: RAGEngine) -> None:
    id = id_of(engine, "bad.json")
    for part in ("text", "chunks"):
        response: Any = client.get(f"/api/documents/{id}/{part}")
        assert (response.status_code, response.json["error"]) == (409, "TEXT_GONE")
    assert client.get(f"/api/documents/{id}/content").data == b"{"


def test_a_failed_document_is_tried_again(tmp_path: Path) -> None:
    with filled(tmp_path) as engine:
        client = create_app(engine.profile).test_client()
        response: Any = client.post(f"/api/documents/{id_of(engine, 'bad.json')}/retry")
        assert (response.status_code, response.json["status"]) == (202, "PENDING")
        same: Any = client.post(f"/api/documents/{id_of(engine, 'guide.md')}/retry")
        assert (same.status_code, same.json["status"]) == (202, "COMPLETED")


@pytest.mark.parametrize("path", ["", "/chunks", "/text", "/content"])
@pytest.mark.parametrize("id", ["unknown", "00000000-0000-0000-0000-000000000000", "a%2Fb", "%00", "é"])
def test_an_unknown_document_is_not_found(client: FlaskClient, id: str, path: str) -> None:
    response: Any = client.get(f"/api/documents/{id}{path}")
    assert (response.status_code, response.json["error"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("query", ["wait=31", "wait=-1", "wait=nan", "wait=x", "wait=1&wait=2"])
def test_a_wrong_wait_is_refused(client: FlaskClient, engine: RAGEngine, query: str) -> None:
    response: Any = client.get(f"/api/documents/{id_of(engine, 'guide.md')}?{query}")
    assert (response.status_code, response.json["error"]) == (400, "INVALID_REQUEST")
    assert "`wait`" in response.json["message"]


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "cursor=-1", "cursor=x"])
def test_a_wrong_page_of_chunks_is_refused(client: FlaskClient, engine: RAGEngine, query: str) -> None:
    response: Any = client.get(f"/api/documents/{id_of(engine, 'guide.md')}/chunks?{query}")
    assert (response.status_code, response.json["error"]) == (400, "INVALID_REQUEST")


def test_cursors_give_each_document_once_while_others_come_and_go(tmp_path: Path) -> None:
    with filled(tmp_path) as engine:
        client = create_app(engine.profile).test_client()
        for number in range(7):
            engine.profile.bucket.put(f"{number}.md", b"# A title\n\nAnd some text that is long enough to be searched.")
        names = []
        cursor = ""
        while True:
            page: Any = client.get(f"/api/documents?limit=2{cursor}").json
            names += [document["filename"] for document in page["documents"]]
            if "nextCursor" not in page:
                break
            cursor = f"&cursor={page['nextCursor']}"
        assert len(names) == len(set(names)) == page["total"]


# --- every answer


def test_an_answer_has_the_name_of_its_request(client: FlaskClient) -> None:
    assert client.get("/healthz", headers={"X-Request-Id": "a-b.1"}).headers["X-Request-Id"] == "a-b.1"
    names = {
        client.get("/healthz", headers={"X-Request-Id": name}).headers["X-Request-Id"] for name in ("", "a b", "é")
    }
    assert len(names) == 3 and not names & {"", "a b", "é"}


def test_a_client_that_has_the_answer_gets_it_no_second_time(client: FlaskClient) -> None:
    first = client.get("/api/documents")
    again = client.get("/api/documents", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert client.get("/api/documents?limit=1", headers={"If-None-Match": first.headers["ETag"]}).status_code == 200


def test_a_long_answer_is_compressed_for_those_who_take_it(client: FlaskClient) -> None:
    plain = client.get("/openapi.json")
    packed = client.get("/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert "Content-Encoding" not in plain.headers and packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert "Accept-Encoding" in packed.headers["Vary"]
    assert "Content-Encoding" not in client.get("/healthz", headers={"Accept-Encoding": "gzip"}).headers


def test_pages_of_allowed_origins_may_use_it_and_no_others(engine: RAGEngine, tmp_path: Path) -> None:
    config = load_config(
        home=tmp_path / "home", environment={}, embedder="hashing", cors_origins="https://app.example.com"
    )
    with RAGEngine(config) as other:
        client = create_app(other.profile).test_client()
        question = {"Access-Control-Request-Method": "POST", "Host": "localhost"}
        asked = client.options("/api/query", headers={"Origin": "https://app.example.com", **question})
        assert asked.status_code == 204
        assert asked.headers["Access-Control-Allow-Origin"] == "https://app.example.com"
        listed = asked.headers["Access-Control-Allow-Headers"].split(", ")
        assert {"Authorization", "If-None-Match", "Last-Event-ID"} <= {*listed}
        assert "Access-Control-Allow-Credentials" not in asked.headers
        evil = client.options("/api/query", headers={"Origin": "https://evil.example.com", **question})
        assert "Access-Control-Allow-Origin" not in evil.headers
    plain = create_app(engine.profile).test_client()
    assert "Access-Control-Allow-Origin" not in plain.get("/healthz").headers


def test_the_description_has_every_route_and_no_other(client: FlaskClient, engine: RAGEngine) -> None:
    app = create_app(engine.profile)
    routes = {
        (method, rule.rule.replace("<path:", "<").replace("<", "{").replace(">", "}"))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    page = {"/", "/console/{version}/{path}", "/ragbase-ask.js", "/ragbase-ask-{version}.js"}
    hidden = {("GET", path) for path in page | {"/openapi.json", "/docs"}} | {("PUT", "/api/uploads/{token}")}
    assert routes == {(one.method, one.path) for one in OPERATIONS}
    assert hidden == {(one.method, one.path) for one in OPERATIONS if not one.is_described}
    described: Any = client.get("/openapi.json").json
    assert described["openapi"].startswith("3.1")
    assert {(method.upper(), path) for path, one in described["paths"].items() for method in one} == routes - hidden
    assert "null" not in json.dumps(described["components"]["schemas"]["DocumentStatusResponse"])


def test_the_page_shows_every_operation(client: FlaskClient) -> None:
    page = client.get("/docs")
    assert page.mimetype == "text/html"
    for operation in offered():
        assert f"{operation.method} {operation.path}" in page.text
    assert "<script" not in page.text and "http://" not in page.text


def test_the_server_says_whether_it_is_ready(client: FlaskClient, engine: RAGEngine, monkeypatch: Any) -> None:
    assert client.get("/readyz").json == {"status": "ok"} == client.get("/healthz").json
