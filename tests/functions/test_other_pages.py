"""What a page of another site can do with the cookie of somebody who has signed in on the console: nothing, on any
route, however it dresses its request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient

from ragbase.interfaces.api.operation import Operation
from ragbase.interfaces.api.operations import OPERATIONS
from tests.functions.form import form
from tests.functions.guarded import api, bearer, hash_of, login, refused
from tests.functions.test_session import FOREIGN, OWN, session, sign_in

APP = "https://app.example.com"
CHANGING = [one for one in OPERATIONS if one.needs_caller and one.method != "GET"]
READING = [one for one in OPERATIONS if one.needs_caller and one.method == "GET"]
SIMPLE_BODIES: list[dict[str, Any]] = [
    {"data": '{"query": "a"}', "content_type": "text/plain"},
    {"data": {"query": "a"}, "content_type": "application/x-www-form-urlencoded"},
    {"data": {"query": "a"}, "content_type": "multipart/form-data"},
    {"json": {"query": "a"}},
    {},
]
"""A page may send the first three to any site without asking it (https://fetch.spec.whatwg.org/#cors-safelisted)."""


@pytest.fixture
def client(tmp_path: Path) -> Iterator[FlaskClient]:
    """Signed in, on a server whose answers another site may read with a token."""
    with api(tmp_path, password_hash=hash_of(), cors_origins=APP) as client:
        sign_in(client)
        yield client


def path_of(one: Operation, id: str = "x") -> str:
    return one.path.replace("{id}", id).replace("{page}", "1").replace("{token}", "x").replace("{store}", "ragbase")


def sent(client: FlaskClient, one: Operation, headers: Mapping[str, str], **body: Any) -> Any:
    return client.open(path_of(one), method=one.method, headers=headers, **body)


def uploaded(client: FlaskClient) -> str:
    answer: Any = client.post("/api/documents", headers=OWN, **form(("a.md", b"# Boats\n\nThe boat waits.\n")))
    return str(answer.json["id"])


@pytest.mark.parametrize("one", CHANGING, ids=lambda one: one.id)
def test_no_route_counts_the_cookie_for_another_page(client: FlaskClient, one: Operation) -> None:
    for headers in [*FOREIGN, {"Sec-Fetch-Site": "cross-site", "Origin": APP}, {"Origin": APP}]:
        for body in SIMPLE_BODIES:
            answer = sent(client, one, headers, **body)
            assert answer.status_code == 403 and "cookie" in answer.text, headers


@pytest.mark.parametrize("one", READING, ids=lambda one: one.id)
def test_no_page_of_another_site_reads_an_answer_with_the_cookie(client: FlaskClient, one: Operation) -> None:
    """Without this header, no browser gives an answer that it has asked for with a cookie to another site's page."""
    for origin in (APP, "https://evil.example", "null"):
        answer = sent(client, one, {"Origin": origin, "Sec-Fetch-Site": "cross-site"})
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert (answer.headers.get("Access-Control-Allow-Origin") == APP) is (origin == APP)
        answer.close()


@pytest.mark.parametrize("one", READING, ids=lambda one: one.id)
def test_no_cache_between_gives_an_answer_to_somebody_else(client: FlaskClient, one: Operation) -> None:
    """A cache that several people share must not keep what a request with `Authorization` gets, but may keep what one
    with a cookie gets (https://www.rfc-editor.org/rfc/rfc9111#section-3.5)."""
    id = uploaded(client)
    for path in (path_of(one, id), path_of(one, "none")):
        answer = client.get(path)
        kept = {part.strip() for part in answer.headers.get("Cache-Control", "").split(",")}
        assert kept & {"private", "no-store"} and "public" not in kept, answer.status
        answer.close()


@pytest.mark.parametrize("name", ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"])
def test_a_request_has_the_method_that_it_says_first(client: FlaskClient, name: str) -> None:
    path = f"/api/documents/{uploaded(client)}"
    for method in ("GET", "HEAD", "OPTIONS"):
        assert client.open(path, method=method, headers={name: "DELETE"}).status_code == 200
    assert client.get(f"{path}?_method=DELETE").status_code == 400
    refused(client.post(path, headers={**OWN, name: "DELETE"}, data={"_method": "DELETE"}), 405, "METHOD_NOT_ALLOWED")
    assert client.get(path).status_code == 200


def test_no_reading_request_changes_anything(client: FlaskClient) -> None:
    id = uploaded(client)
    before = client.get("/api/documents").json
    for one in OPERATIONS:
        for method in {"HEAD", "OPTIONS", *(["GET"] if one.method == "GET" else [])}:
            client.open(path_of(one, id), method=method, headers={"Sec-Fetch-Site": "cross-site"}).close()
    assert client.get("/api/documents").json == before
    assert session(client).json["signedIn"]


def test_who_signs_in_gets_a_token_that_nobody_could_know(client: FlaskClient) -> None:
    """A page that could plant a cookie knows the token in it."""
    planted = login(client).json["token"]
    client.set_cookie("ragbase", planted)
    answer = sign_in(client)
    given = answer.headers["Set-Cookie"].split(";")[0].partition("=")[2]
    assert given.startswith("rbs_") and given != planted
    assert given not in answer.text and given not in client.get("/api/session").text
    client.delete("/api/session", headers=OWN)
    refused(client.get("/api/documents", headers=bearer(given)), 401, "UNAUTHORIZED")
