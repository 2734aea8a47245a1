"""Uploads over HTTP: a document is a path (document contract, sections 3 to 5)."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.bootstrap.open_profile import open_profile
from ragbase.bootstrap.profile import Profile
from ragbase.config import load_config
from ragbase.domain.identity import document_id
from ragbase.domain.limits import MAX_FILE_SIZE, MAX_PATH
from ragbase.engine.lanes import lanes
from ragbase.interfaces.api.app import create_app
from tests.functions.form import form

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days in a second region.\n"
EDITED = GUIDE.replace(b"02:30", b"03:45")


@pytest.fixture
def profile(tmp_path: Path) -> Iterator[Profile]:
    profile = open_profile(load_config(home=tmp_path, environment={}, embedder="hashing"))
    yield profile
    profile.close()


@pytest.fixture
def client(profile: Profile) -> FlaskClient:
    return create_app(profile).test_client()


@pytest.fixture
def working(profile: Profile) -> Iterator[None]:
    with lanes(profile):
        yield


def upload(
    client: FlaskClient, data: bytes = GUIDE, filename: str = "backup.md", *, type: str | None = None, **fields: str
) -> Any:
    file = (filename, data, type) if type else (filename, data)
    return client.post("/api/documents", **form(file, **fields))


def refused(response: Any, status: int, code: str) -> str:
    assert (response.status_code, response.json["error"]) == (status, code), response.json
    assert response.json.keys() == {"error", "message"}
    return str(response.json["message"])


def settled(client: FlaskClient, id: str) -> Mapping[str, Any]:
    body: Mapping[str, Any] = client.get(f"/api/documents/{id}?wait=30").json or {}
    assert body["status"] in ("COMPLETED", "FAILED")
    return body


def test_an_upload_is_taken_at_once_and_searchable_when_it_is_completed(client: FlaskClient, working: None) -> None:
    response = upload(client, path="guides/backup.md")
    assert response.status_code == 202
    id = response.json["id"]
    assert response.json == {
        "id": id,
        "filename": "guides/backup.md",
        "status": "PENDING",
        "format": "md",
        "lane": "fast",
    }
    assert settled(client, id)["status"] == "COMPLETED"
    found = client.post("/api/query", json={"query": "When does the nightly backup start?"}).json
    assert found is not None and found["results"][0]["documentId"] == id
    assert found["results"][0]["filename"] == "guides/backup.md"


def test_without_lanes_an_upload_waits(client: FlaskClient) -> None:
    id = upload(client).json["id"]
    for address in (f"/api/documents/{id}", f"/api/documents/{id}?wait=0.2"):
        body = client.get(address).json
        assert body is not None and body["status"] == "PENDING"


def test_the_same_bytes_give_back_the_document_that_exists(client: FlaskClient, working: None) -> None:
    first = upload(client)
    settled(client, first.json["id"])
    again = upload(client)
    assert (first.status_code, again.status_code) == (202, 200)
    assert again.json == {**first.json, "status": "COMPLETED"}
    listed = client.get("/api/documents").json
    assert listed is not None and listed["total"] == 1


def test_other_bytes_need_replace(client: FlaskClient, working: None) -> None:
    id = upload(client).json["id"]
    settled(client, id)
    assert "replace=true" in refused(upload(client, EDITED), 409, "ALREADY_EXISTS")
    assert client.get(f"/api/documents/{id}/content").data == GUIDE

    replaced = upload(client, EDITED, replace="true")
    assert (replaced.status_code, replaced.json["id"], replaced.json["status"]) == (202, id, "PENDING")
    settled(client, id)
    assert client.get(f"/api/documents/{id}/text").data == EDITED
    assert upload(client, EDITED, replace="true").status_code == 200


def test_the_same_bytes_under_another_path_are_another_document(client: FlaskClient, working: None) -> None:
    ids = {upload(client, path=path).json["id"] for path in ("a.md", "b/a.md")}
    assert len(ids) == 2
    for id in ids:
        assert settled(client, id)["status"] == "COMPLETED"


def test_a_deleted_document_can_be_uploaded_again(client: FlaskClient, working: None) -> None:
    id = upload(client).json["id"]
    settled(client, id)
    assert client.delete(f"/api/documents/{id}").status_code == 204
    refused(client.get(f"/api/documents/{id}"), 404, "NOT_FOUND")
    refused(client.delete(f"/api/documents/{id}"), 404, "NOT_FOUND")
    found = client.post("/api/query", json={"query": "When does the nightly backup start?"}).json or {}
    assert found["results"] == []
    again = upload(client)
    assert (again.status_code, again.json["id"]) == (202, id)
    assert settled(client, id)["status"] == "COMPLETED"


def test_an_upload_that_was_cut_off_before_its_record_goes_on(client: FlaskClient, profile: Profile) -> None:
    """The bucket has it, and nothing else knows of it yet."""
    profile.bucket.put("backup.md", GUIDE)
    response = upload(client)
    assert (response.status_code, response.json["status"]) == (200, "PENDING")
    assert profile.documents.get(response.json["id"]) is not None


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/guides//backup.md".replace("//", "/"), "guides/backup.md"),
        ("./guides/backup.md", "guides/backup.md"),
        ("guides\\backup.md", "guides/backup.md"),
        ("  backup.md ", "backup.md"),
        ("u\u0308ber.md", "\u00fcber.md"),
        ("日本/語.md", "日本/語.md"),
        ("%2e%2e/a.md", "%2e%2e/a.md"),
    ],
)
def test_a_path_is_cleaned(client: FlaskClient, path: str, name: str) -> None:
    assert upload(client, path=path).json["filename"] == name


@pytest.mark.parametrize(
    "path",
    [
        "../a.md",
        "a/../b.md",
        "a/./b.md",
        "a//b.md",
        "..",
        "/",
        "a/",
        "\\..\\a.md",
        "a\nb.md",
        "a\r\nX-Evil: 1.md",
        "a\x00.md",
        "a\u202egpj.md",
        "a\u2028.md",
        "x" * 256 + ".md",
        "ü" * 128 + ".md",
        "/".join(["ü" * 50] * 11),
        ".well-known/acme-challenge/a.md",
    ],
)
def test_a_path_that_no_cleaning_makes_safe_is_refused(client: FlaskClient, profile: Profile, path: str) -> None:
    refused(upload(client, path=path), 400, "INVALID_PATH")
    assert list(profile.bucket.list()) == []


def test_a_path_that_is_too_long_is_refused(client: FlaskClient) -> None:
    assert "`path`" in refused(upload(client, path="x" * (MAX_PATH + 1)), 400, "INVALID_REQUEST")


@pytest.mark.parametrize("filename", ["/home/me/backup.md", "../../backup.md", "backup.md"])
def test_without_a_path_the_last_part_of_the_files_name_is_the_path(client: FlaskClient, filename: str) -> None:
    assert upload(client, filename=filename).json["filename"] == "backup.md"


@pytest.mark.parametrize(
    ("filename", "data"),
    [
        ("photo.psd", b"8BPS\0\1\0\0"),
        ("notes.pages", b"PK\x03\x04...."),
        ("a.txt", b"\x7fELF\2\1\1\0"),
        ("x", b"\0\1?"),
    ],
)
def test_a_format_that_is_not_read_is_refused(
    client: FlaskClient, profile: Profile, filename: str, data: bytes
) -> None:
    refused(upload(client, data, filename), 400, "INVALID_FORMAT")
    assert list(profile.bucket.list()) == []


@pytest.mark.parametrize("path", ["guides/~$backup.md", "@eaDir/backup.md", "backup.md~"])
def test_a_file_that_a_program_keeps_for_itself_is_refused_however_it_is_sent(client: FlaskClient, path: str) -> None:
    for response in (
        upload(client, path=path),
        upload(client, b"\0\1\2", path=path),
        client.post("/api/uploads", json={"path": path, "size": 20}),
    ):
        said = refused(response, 400, "INVALID_PATH")
        assert "becomes no document" in said and "setting program_files" in said
    assert client.get("/api/documents").json["total"] == 0  # type: ignore[index]  # an answer has JSON


def test_a_document_that_had_such_a_name_before_can_be_replaced(tmp_path: Path) -> None:
    with_setting, without = ({"program_files": setting} for setting in ("!~$*", ""))
    for setting, data, status in ((with_setting, GUIDE, 202), (without, EDITED, 202)):
        profile = EmbeddedProfile(load_config(home=tmp_path, environment={}, embedder="hashing", **setting))
        with closing(profile), lanes(profile):
            client = create_app(profile).test_client()
            response = upload(client, data, path="~$backup.md", replace="true")
            assert response.status_code == status
            assert settled(client, response.json["id"])["status"] == "COMPLETED"


def test_only_allowed_formats_are_taken(tmp_path: Path) -> None:
    profile = EmbeddedProfile(load_config(home=tmp_path, environment={}, embedder="hashing", allowed_formats="md"))
    client = create_app(profile).test_client()
    assert upload(client).status_code == 202
    assert "allowed_formats" in refused(upload(client, b'{"a": 1}', "a.json"), 400, "INVALID_FORMAT")
    profile.close()


def test_the_content_type_decides_where_the_name_says_nothing(client: FlaskClient) -> None:
    typed = upload(client, filename="notes", type="text/plain", path="notes")
    assert (typed.status_code, typed.json["format"]) == (202, "txt")


def test_a_damaged_file_is_taken_and_fails_with_its_reason(client: FlaskClient, working: None) -> None:
    response = upload(client, b"not a pdf", "scan.pdf")
    assert (response.status_code, response.json["lane"]) == (202, "heavy")
    body = settled(client, response.json["id"])
    assert body["status"] == "FAILED" and body["failReason"].startswith("CORRUPT_FILE: ")


@pytest.mark.slow
def test_the_largest_file_is_taken_and_one_byte_more_is_not(client: FlaskClient) -> None:
    largest = b"x" * MAX_FILE_SIZE
    assert upload(client, largest, "a.txt").status_code == 202
    assert "50 MB" in refused(upload(client, largest + b"x", "b.txt"), 400, "FILE_TOO_LARGE")
    assert "50 MB" in refused(upload(client, b"x" * (MAX_FILE_SIZE + 200_000), "b.txt"), 400, "FILE_TOO_LARGE")


@pytest.mark.parametrize("mode", ["auto", "force", "never"])
def test_the_ocr_mode_is_carried_along(client: FlaskClient, profile: Profile, mode: str) -> None:
    record = profile.documents.get(upload(client, ocrMode=mode).json["id"])
    assert record is not None and record.config.ocr_mode == mode


@pytest.mark.parametrize(
    ("fields", "named"),
    [({"ocrMode": "always"}, "ocrMode"), ({"replace": "yes"}, "replace"), ({"ocrMode": ""}, "ocrMode")],
)
def test_a_wrong_field_is_named(client: FlaskClient, fields: Mapping[str, str], named: str) -> None:
    assert f"`{named}`" in refused(upload(client, GUIDE, **fields), 400, "INVALID_REQUEST")


def test_a_form_has_one_file(client: FlaskClient) -> None:
    assert "`file`" in refused(
        client.post("/api/documents", data={"path": "a.md"}, content_type="multipart/form-data"), 400, "INVALID_REQUEST"
    )
    two = client.post("/api/documents", **form(("a.md", GUIDE), ("b.md", GUIDE)))
    assert "`file`" in refused(two, 400, "INVALID_REQUEST")


@pytest.mark.parametrize("type", ["application/json", "text/markdown", "application/x-www-form-urlencoded", ""])
def test_what_is_no_form_is_refused(client: FlaskClient, type: str) -> None:
    response = client.post("/api/documents", data=GUIDE, content_type=type)
    assert "multipart/form-data" in refused(response, 415, "UNSUPPORTED_MEDIA_TYPE")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"--b",
        b"--b\r\n\r\n--b--",
        b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.md"\r\n\r\nno end',
        b"\x00" * 100,
    ],
)
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_form_that_cannot_be_read_is_refused(client: FlaskClient, body: bytes) -> None:
    response = client.post("/api/documents", data=body, content_type="multipart/form-data; boundary=b")
    refused(response, 400, "INVALID_REQUEST")
    refused(client.post("/api/documents", data=body, content_type="multipart/form-data"), 400, "INVALID_REQUEST")
    gc.collect()  # werkzeug leaves the file of half a form open


@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    "fields", [{f"field{number}": "x" for number in range(10_000)}, {"note": "x" * 1_000_000}], ids=["many", "long"]
)
def test_too_many_or_too_long_fields_are_refused_as_such(client: FlaskClient, fields: Mapping[str, str]) -> None:
    message = refused(upload(client, GUIDE, **fields), 413, "REQUEST_ENTITY_TOO_LARGE")
    assert "fields" in message and "50 MB" not in message
    gc.collect()  # as above


# --- uploads in a request of their own


def begin(client: FlaskClient, **body: Any) -> Any:
    return client.post("/api/uploads", json={"path": "guides/backup.md", "size": len(GUIDE), **body})


def send(client: FlaskClient, begun: Any, data: bytes = GUIDE) -> Any:
    return client.open(begun.json["url"], method=begun.json["method"], data=data, headers=begun.json["headers"])


def test_a_file_can_be_sent_in_a_request_of_its_own(client: FlaskClient, profile: Profile, working: None) -> None:
    begun = begin(client, contentType="text/markdown", ocrMode="never")
    assert begun.status_code == 201
    assert begun.json["id"] == document_id(profile.bucket.name, "guides/backup.md")
    refused(client.get(f"/api/documents/{begun.json['id']}"), 404, "NOT_FOUND")

    sent = send(client, begun)
    assert (sent.status_code, sent.json["id"]) == (202, begun.json["id"])
    assert settled(client, begun.json["id"])["status"] == "COMPLETED"
    assert send(client, begun).status_code == 200, "a client that got no answer sends it again"
    record = profile.documents.get(begun.json["id"])
    assert record is not None and (record.content_type, record.config.ocr_mode) == ("text/markdown", "never")


def test_an_address_is_for_one_file_and_cannot_be_changed(client: FlaskClient) -> None:
    begun = begin(client)
    refused(send(client, begun, GUIDE + b"more"), 400, "INVALID_REQUEST")
    url = begun.json["url"]
    changed = url[:-9] + ("a" if url[-9] != "a" else "b") + url[-8:]
    for other in (changed, url.rpartition("/")[0] + "/abc"):
        refused(client.put(other, data=GUIDE), 404, "NOT_FOUND")


def test_an_address_replaces_only_if_it_was_asked_to(client: FlaskClient) -> None:
    first = begin(client)
    assert upload(client, EDITED, path="guides/backup.md").status_code == 202
    refused(send(client, first), 409, "ALREADY_EXISTS")
    refused(begin(client), 409, "ALREADY_EXISTS")
    assert send(client, begin(client, replace=True)).status_code == 202


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"size": -1}, "INVALID_REQUEST"),
        ({"size": "12"}, "INVALID_REQUEST"),
        ({"size": MAX_FILE_SIZE + 1}, "FILE_TOO_LARGE"),
        ({"size": 10**400}, "FILE_TOO_LARGE"),
        ({"path": ""}, "INVALID_REQUEST"),
        ({"path": "../a.md"}, "INVALID_PATH"),
        ({"contentType": "text"}, "INVALID_REQUEST"),
        ({"contentType": "text/plain\r\nX-Evil: 1"}, "INVALID_REQUEST"),
        ({"replace": "yes"}, "INVALID_REQUEST"),
    ],
)
def test_a_wrong_wish_is_refused(client: FlaskClient, body: Mapping[str, Any], code: str) -> None:
    refused(begin(client, **body), 400, code)
