"""GET /api/documents and GET /api/documents/ID (document contract, section 3)."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragbase import RAGEngine, load_config
from ragbase.interfaces.api.app import create_app


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[RAGEngine]:
    with RAGEngine(load_config(home=tmp_path / "home", environment={}, embedder="hashing")) as engine:
        names = [tmp_path / f"{number}.md" for number in range(3)] + [tmp_path / "bad.json"]
        for name in names:
            name.write_text("# A title\n\nAnd some text." if name.suffix == ".md" else "{", encoding="utf-8")
        engine.ingest(names)
        yield engine


@pytest.fixture
def client(engine: RAGEngine) -> FlaskClient:
    return create_app(engine.profile).test_client()


def test_the_list_is_paged_and_filtered(client: FlaskClient) -> None:
    everything = client.get("/api/documents").json
    assert everything is not None and everything["total"] == 4 == len(everything["documents"])
    page = client.get("/api/documents?status=COMPLETED&limit=2&offset=2").json
    assert page is not None and (page["total"], len(page["documents"])) == (3, 1)
    assert page["documents"][0].keys() == {"id", "filename", "status", "lane", "size", "chunkCount", "createdAt"}


def test_the_documents_of_each_status_are_counted(client: FlaskClient) -> None:
    counts = {"pending": 0, "processing": 0, "completed": 3, "failed": 1, "total": 4}
    assert client.get("/api/counts").json == counts
    deleted = client.get("/api/documents?status=FAILED").get_json()["documents"][0]["id"]
    client.delete(f"/api/documents/{deleted}")
    assert client.get("/api/counts").json == {**counts, "failed": 0, "total": 3}


def test_only_the_first_page_of_a_listing_is_counted(client: FlaskClient) -> None:
    first = client.get("/api/documents?limit=3").json
    assert first is not None and first["total"] == 4
    client.post("/api/documents", data={"file": (io.BytesIO(b"# A title\n\nAnd a text."), "new.md")})
    last = client.get(f"/api/documents?limit=3&cursor={first['nextCursor']}").json
    assert last is not None and (last["total"], len(last["documents"]), "nextCursor" in last) == (4, 1, False)
    assert {one["id"] for one in first["documents"]}.isdisjoint(one["id"] for one in last["documents"])

    older = first["nextCursor"].rpartition(".")[0]  # an older version counted for each page
    again = client.get(f"/api/documents?limit=3&cursor={older}").json
    assert again is not None and (again["total"], again["documents"]) == (5, last["documents"])


def test_without_parameters_the_list_has_the_newest_twenty(client: FlaskClient) -> None:
    for number in range(20):
        added = client.post(
            "/api/documents", data={"file": (io.BytesIO(b"# A title\n\nAnd a text."), f"new{number}.md")}
        )
        assert added.status_code == 202
    page = client.get("/api/documents").json
    assert page is not None and page["total"] == 24
    names = [document["filename"] for document in page["documents"]]
    assert names == [f"new{number}.md" for number in reversed(range(20))]


@pytest.mark.parametrize("query", ["limit=0", "limit=101", "limit=x", "offset=-1", "offset=2147483648", "status=DONE"])
def test_wrong_parameters_are_named(client: FlaskClient, query: str) -> None:
    response = client.get(f"/api/documents?{query}")
    assert response.status_code == 400 and response.json is not None
    assert response.json["error"] == "INVALID_REQUEST"
    assert f"`{query.partition('=')[0]}`" in response.json["message"]


def test_the_status_of_a_document(client: FlaskClient, engine: RAGEngine, tmp_path: Path) -> None:
    bad, good = engine.find(str(tmp_path / "bad.json")), engine.find(str(tmp_path / "0.md"))
    assert bad is not None and good is not None
    failed, completed = (client.get(f"/api/documents/{record.id}").json for record in (bad, good))
    assert failed is not None and failed["status"] == "FAILED" and failed["failReason"].startswith("CORRUPT_FILE: ")
    assert completed is not None and (completed["status"], completed["chunkCount"]) == ("COMPLETED", 1)
    assert "failReason" not in completed


def test_a_document_that_is_not_there(client: FlaskClient, engine: RAGEngine, tmp_path: Path) -> None:
    record = engine.find(str(tmp_path / "0.md"))
    assert record is not None
    engine.delete([record.id])
    for id in (record.id, "unknown"):
        response = client.get(f"/api/documents/{id}")
        assert response.status_code == 404 and response.json is not None and response.json["error"] == "NOT_FOUND"
