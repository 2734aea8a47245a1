"""Scanned documents over HTTP: what an uploader wishes of OCR, and what the status tells."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.engine.lanes import lanes
from ragbase.interfaces.api.app import create_app
from tests.functions.form import form
from tests.unit.formats.pdf.scans import ocr_folder, pdf_of_pictures, picture, scan

SAILS = [(12, "The sailmaker keeps eleven spare sails in the attic."), (12, "Two of them are for storms.")]
PIER = b"BT /F1 12 Tf 72 200 Td (The pier was built of oak in the year of the great flood.) Tj ET"
PAGES = ("pageCount", "ocrApplied", "ocrPages", "pagesWithoutText")


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    models = str(ocr_folder().parent)
    config = load_config(home=tmp_path, environment={"RAGBASE_MODEL_FOLDER": models}, embedder="hashing")
    profile = open_profile(config)
    with lanes(profile):
        yield profile
    profile.close()


@pytest.fixture
def client(profile: Profile) -> FlaskClient:
    return create_app(profile).test_client()


def upload(client: FlaskClient, data: bytes, **fields: str) -> Any:
    sent: Any = client.post("/api/documents", **form(("scan.pdf", data), path="scan.pdf", **fields)).json
    return client.get(f"/api/documents/{sent['id']}?wait=30").json


def found(client: FlaskClient, query: str) -> list[tuple[str, int]]:
    answer: Any = client.post("/api/query", json={"query": query, "threshold": 0}).json
    return [(result["content"], result["metadata"]["page"]) for result in answer["results"]]


@pytest.mark.slow
def test_a_scanned_page_is_found_and_told_of(client: FlaskClient) -> None:
    state = upload(client, pdf_of_pictures([PIER], [picture(SAILS)], []))
    assert state["status"] == "COMPLETED"
    assert [state[field] for field in PAGES] == [3, True, 1, 1]
    assert state["notes"] == ["OCR, which may misread words, read page 2."]
    content, page = found(client, "spare sails in the attic")[0]
    assert "The sailmaker keeps eleven spare sails" in content and page == 2
    listing: Any = client.get("/api/documents").json
    (listed,) = listing["documents"]
    assert (listed["ocrApplied"], listed["pagesWithoutText"]) == (True, 1)


def test_without_ocr_a_partly_scanned_document_says_what_is_missing(client: FlaskClient) -> None:
    state = upload(client, pdf_of_pictures([PIER], [picture(SAILS)]), ocrMode="never")
    assert [state[field] for field in PAGES] == [2, False, 0, 1]
    assert "No text of page 2" in state["notes"][0]


@pytest.mark.slow
def test_another_wish_reads_the_same_bytes_again(client: FlaskClient) -> None:
    data = scan(SAILS)
    refused = upload(client, data, ocrMode="never")
    assert refused["status"] == "FAILED" and "UNSUPPORTED_FORMAT" in refused["failReason"]
    read = upload(client, data, ocrMode="auto", ocrLanguages="en", replace="true")
    assert (read["status"], read["ocrPages"]) == ("COMPLETED", 1)


def test_languages_that_are_no_names_are_refused(client: FlaskClient) -> None:
    response = client.post("/api/documents", **form(("scan.pdf", scan(SAILS)), ocrLanguages="en;rm"))
    answer: Any = response.json
    assert (response.status_code, answer["error"]) == (400, "INVALID_REQUEST")
    assert "`ocrLanguages`" in answer["message"]
