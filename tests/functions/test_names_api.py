"""Every route that takes a name, a folder or a tenant takes each form of it: "é" is one character or two."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.caller import Scope
from ragbase.domain.errors import ConfigurationError
from ragbase.domain.name_forms import nfd
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.pipeline.route import route
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import refused
from tests.functions.tenant_world import TenantWorld

TENANT, FOLDER, FILE = "k\u00f6ln", "Vertr\u00e4ge", "\u00dcbersicht.md"
NAME = f"{TENANT}/{FOLDER}/{FILE}"
CONTRACT = b"# Notice\n\nThe notice period of the contract is three months to the end of a quarter.\n"
QUESTION = "What is the notice period of the contract?"
FORMS = {"NFC": lambda name: name, "NFD": nfd}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    assert world.upload(world.key(nfd(TENANT)), CONTRACT, path=nfd(f"{FOLDER}/{FILE}")).status_code == 202
    world.upload(world.key("other"), CONTRACT, path="a.md")
    world.work()
    yield world
    world.close()


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> Any:
    return FORMS[request.param]


def test_a_document_is_one_however_its_name_is_sent(world: TenantWorld, form: Any) -> None:
    key = world.key(form(TENANT))
    for path in (f"{FOLDER}/{FILE}", NAME):
        again = world.upload(key, CONTRACT, path=form(path))
        assert (again.status_code, again.json["id"]) == (200, world.id(NAME))
    refused(world.upload(key, CONTRACT + b"More.\n", path=form(NAME)), 409, "ALREADY_EXISTS")
    refused(world.upload(world.key(None), b"Other.\n", path=form(NAME)), 409, "ALREADY_EXISTS")
    begun = world.ask(key, "POST", "/api/uploads", json={"path": form(f"{FOLDER}/{FILE}"), "size": 9, "replace": True})
    assert (begun.status_code, begun.json["id"]) == (201, world.id(NAME))
    assert [one["id"] for one in world.list(key)["documents"]] == [world.id(NAME)]
    named = world.upload(key, CONTRACT + b"Another.\n", form(FILE))  # the name of the file in the form
    assert named.json["id"] == world.id(f"{TENANT}/{FILE}")


def test_a_question_is_asked_of_a_folder_in_every_form(world: TenantWorld, form: Any) -> None:
    for key, path in ((world.key(None), f"{TENANT}/{FOLDER}"), (world.key(form(TENANT)), f"{FOLDER}/")):
        found = world.query(key, QUESTION, filter={"pathPrefix": form(path)}).json
        assert [one["documentId"] for one in found["results"]] == [world.id(NAME)]
        explained = world.ask(key, "POST", "/api/explain", json={"query": QUESTION, "document": form(NAME)})
        assert (explained.status_code, explained.json["stage"]) == (200, "FOUND")
        asked = {"question": QUESTION, "document": form(NAME)}
        kept = world.ask(key, "POST", "/api/golden-questions", json=asked)
        assert kept.status_code in (200, 201)
        assert [one["filename"] for one in world.ask(key, "GET", "/api/golden-questions").json["questions"]]
    message = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "searchKnowledge", "arguments": {"query": QUESTION, "filter": {"pathPrefix": form(FOLDER)}}},
    }
    headers = {"Authorization": f"Bearer {world.key(TENANT)}", "Accept": "application/json, text/event-stream"}
    assert b"three months" in world.client.post("/mcp", json=message, headers=headers).data


def test_a_key_reaches_a_folder_in_every_form(world: TenantWorld, form: Any) -> None:
    for key in (
        world.key_of_folders(form(f"{TENANT}/{FOLDER}/")),
        world.key_of_folders(form(FOLDER), tenant=form(TENANT)),
    ):
        assert [one["id"] for one in world.list(key)["documents"]] == [world.id(NAME)]
        assert len(world.query(key, QUESTION).json["results"]) == 1
    operator = world.keys.create("operator", scopes=Scope)[1]
    entries = world.ask(operator, "GET", "/api/audit", query_string={"document": form(NAME)}).json["entries"]
    assert entries


def test_a_tenant_may_still_not_have_a_slash(world: TenantWorld) -> None:
    with pytest.raises(ConfigurationError, match="cannot be a tenant"):
        world.key(nfd("k\u00f6ln/a"))


def test_golden_questions_and_addresses_follow_a_document_of_an_older_version(world: TenantWorld) -> None:
    key, name = world.key(None), nfd(f"{TENANT}/{FOLDER}/old.md")
    with pytest.MonkeyPatch.context() as patches:
        for module in ("identity", "labels"):
            patches.setattr(f"ragbase.domain.{module}.nfc", lambda name: name)
        patches.setattr("ragbase.pipeline.route.nfc", lambda name: name)
        world.profile.bucket.put(f"{TENANT}/{FOLDER}/old.md", CONTRACT + b"Old.\n")
        stored = world.profile.bucket.stat(name)
        assert stored is not None
        event = ObjectEvent(
            kind=EventKind.FINALISED,
            bucket=stored.bucket,
            name=name,
            generation=stored.generation,
            size=stored.size,
            md5=stored.md5,
            content_type=stored.content_type,
        )
        older = route(event, world.profile)
        assert older is not None and older.name == name
        kept = world.ask(key, "POST", "/api/golden-questions", json={"question": QUESTION, "document": older.id})
        assert kept.status_code == 201
    world.work()  # the event of the put makes the record that the document has today
    now = world.id(name)
    assert now != older.id
    for id in (older.id, now):
        assert world.ask(key, "GET", f"/api/documents/{id}").json["id"] == now
    questions = world.ask(key, "GET", "/api/golden-questions").json["questions"]
    assert [one["filename"] for one in questions] == [f"{TENANT}/{FOLDER}/old.md"]
