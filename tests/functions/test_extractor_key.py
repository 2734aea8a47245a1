"""Keys with the scope extract: they serve an extractor elsewhere, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from ragbase.access.api_keys import ApiKeys
from ragbase.access.caller import Scope
from ragbase.config import load_config
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.form import form
from tests.functions.guarded import Guarded, bearer, refused
from tests.functions.left_to_extractor import FILE, SECONDS, left_to_extractor
from tests.functions.test_callbacks import TEXT, given, work

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"


@pytest.fixture
def profile(tmp_path: Path, clock: VirtualClock) -> Iterator[Guarded]:
    with left_to_extractor(tmp_path / "home", clock) as profile:
        yield profile


@pytest.fixture
def keys(profile: Guarded, clock: VirtualClock) -> ApiKeys:
    return ApiKeys(lambda: profile.checkpoints, clock)


@pytest.fixture
def everything(keys: ApiKeys) -> dict[str, str]:
    return bearer(keys.create("all", scopes=[Scope.READ, Scope.WRITE])[1])


@pytest.fixture
def extractor(keys: ApiKeys) -> dict[str, str]:
    return bearer(keys.create("extractor", scopes=[Scope.EXTRACT])[1])


@pytest.fixture
def client(profile: Guarded) -> FlaskClient:
    return create_app(profile).test_client()


def upload(client: FlaskClient, headers: dict[str, str], data: bytes, path: str) -> str:
    answer = client.post("/api/documents", headers=headers, **form((path, data), path=path))
    assert answer.status_code == 202, answer.data
    return str(answer.get_json()["id"])


def test_an_extractor_lists_reads_and_answers_what_waits_for_it(
    client: FlaskClient, profile: Guarded, everything: dict[str, str], extractor: dict[str, str]
) -> None:
    id = upload(client, everything, FILE, "hr/scan.pdf")
    work(profile)
    listed = client.get("/internal/extractions", headers=extractor).get_json()["extractions"]
    assert [one["id"] for one in listed] == [id]
    assert client.get(listed[0]["content"], headers=extractor).data == FILE
    said = given(TEXT, documentId=id)
    assert client.post("/internal/callback", json=said, headers=extractor).status_code == 202
    assert client.post("/internal/callback", json=said, headers=extractor).status_code == 200  # the answer was lost
    refused(client.get(f"/api/documents/{id}/content", headers=extractor), 404, "NOT_FOUND")
    other = given(f"{TEXT} It says more.", documentId=id)
    refused(client.post("/internal/callback", json=other, headers=extractor), 409, "NOT_AWAITED")


def test_an_extractor_can_do_nothing_else(
    client: FlaskClient, profile: Guarded, everything: dict[str, str], extractor: dict[str, str], clock: VirtualClock
) -> None:
    done, waiting = upload(client, everything, GUIDE, "a.md"), upload(client, everything, FILE, "b.pdf")
    work(profile)
    allowed = {"getContent", "callback", "listExtractions", "logout", "endSession"}
    for one in OPERATIONS:
        if one.needs_caller and one.id not in allowed:
            path = one.path.replace("{id}", waiting).replace("{page}", "1").replace("{store}", "ragbase")
            answer = client.open(path, method=one.method, headers=extractor, json={})
            assert answer.status_code == 403 and "may only extract" in answer.text, one.id
    refused(client.get(f"/api/documents/{done}/content", headers=extractor), 404, "NOT_FOUND")
    refused(client.post("/internal/callback", json=given(TEXT, documentId=done), headers=extractor), 409, "NOT_AWAITED")
    clock.advance(timedelta(seconds=SECONDS + 1))
    refused(client.get(f"/api/documents/{waiting}/content", headers=extractor), 404, "NOT_FOUND")


def test_an_extractor_replaces_no_text_where_none_is_awaited(tmp_path: Path, clock: VirtualClock) -> None:
    """With a key that may write, a text can be given for any document."""
    profile = Guarded(
        load_config(home=tmp_path / "own", environment={}, embedder="hashing"), MemoryCheckpoints(), clock
    )
    try:
        keys, client = ApiKeys(lambda: profile.checkpoints, clock), create_app(profile).test_client()
        writer = bearer(keys.create("writer", scopes=[Scope.WRITE])[1])
        extractor = bearer(keys.create("extractor", scopes=[Scope.EXTRACT])[1])
        id = upload(client, writer, GUIDE, "a.md")
        work(profile)
        refused(
            client.post("/internal/callback", json=given(TEXT, documentId=id), headers=extractor), 409, "NOT_AWAITED"
        )
        assert client.post("/internal/callback", json=given(TEXT, documentId=id), headers=writer).status_code == 202
    finally:
        profile.close()


def test_an_extractor_may_be_for_a_folder(
    client: FlaskClient, profile: Guarded, keys: ApiKeys, everything: dict[str, str]
) -> None:
    hr, finance = (
        upload(client, everything, FILE, "hr/a.pdf"),
        upload(client, everything, FILE + b"\n", "finance/b.pdf"),
    )
    work(profile)
    key = bearer(keys.create("finance", scopes=[Scope.EXTRACT], prefixes=["finance/"])[1])
    listed = client.get("/internal/extractions", headers=key).get_json()["extractions"]
    assert [one["id"] for one in listed] == [finance]
    refused(client.get(f"/api/documents/{hr}/content", headers=key), 404, "NOT_FOUND")
    refused(client.post("/internal/callback", json=given(TEXT, documentId=hr), headers=key), 404, "NOT_FOUND")
