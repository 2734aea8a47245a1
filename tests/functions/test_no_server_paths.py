"""No answer names a place on the disk of the server, whatever its disk does."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from flask.testing import FlaskClient
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from ragbase.adapters.embedded.database import Database
from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.domain.errors import ConfigurationError, ErrorCode, PermanentError, Unavailable
from ragbase.domain.identity import document_id
from ragbase.domain.work import Failure
from ragbase.engine.lanes import lanes
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
from ragbase.interfaces.mcp.server import mcp_server
from tests.functions.form import form

TEXT = b"# Rules\n\nThe rules of this house are written on the door of the cellar, in red ink.\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "a secret place" / "home"


@pytest.fixture
def profile(home: Path) -> Iterator[EmbeddedProfile]:
    profile = EmbeddedProfile(load_config(home=home, environment={}, embedder="hashing"))
    yield profile
    profile.close()


@pytest.fixture
def client(profile: EmbeddedProfile) -> FlaskClient:
    client = create_app(profile).test_client()
    with lanes(profile):
        added = client.post("/api/documents", **form(("rules.md", TEXT), path="red/rules.md")).json
        assert added is not None
        waited = client.get(f"/api/documents/{added['id']}?wait=30").json
        assert waited is not None and waited["status"] == "COMPLETED"
    return client


def names_no_place(answer: Any, home: Path) -> None:
    """Neither the whole place nor the name of a folder on the way to it."""
    for hidden in (str(home), "secret place", str(home.parent.parent)):
        assert hidden not in answer.text, answer.text


@pytest.mark.parametrize(
    ("path", "named"),
    [("red/rules.md/x.md", "red/rules.md"), ("red", "red")],
)
@pytest.mark.parametrize("way", ["form", "address"])
def test_a_name_that_cannot_be_is_refused_with_names_of_objects(
    path: str, named: str, way: str, client: FlaskClient, home: Path
) -> None:
    if way == "form":
        answer = client.post("/api/documents", **form(("x.md", TEXT), path=path))
    else:
        begun = client.post("/api/uploads", json={"path": path, "size": len(TEXT)})
        names_no_place(begun, home)
        answer = client.put(begun.json["url"], data=TEXT) if begun.json and begun.status_code == 201 else begun
    assert answer.status_code == 400 and answer.json is not None and answer.json["error"] == "INVALID_PATH"
    assert named in answer.json["message"] and "Rename" in answer.json["message"]
    names_no_place(answer, home)


def bucket_is_gone(profile: EmbeddedProfile) -> None:
    (profile.config.home / "bucket").rename(profile.config.home / "moved")


def staging_is_a_file(profile: EmbeddedProfile) -> None:
    shutil.rmtree(profile.config.home / "staging")
    (profile.config.home / "staging").touch()


def key_is_a_folder(profile: EmbeddedProfile) -> None:
    (profile.config.home / "upload-key").unlink(missing_ok=True)
    (profile.config.home / "upload-key").mkdir()


def object_is_a_folder(profile: EmbeddedProfile) -> None:
    ((profile.config.home / "bucket") / "red" / "rules.md").unlink()
    ((profile.config.home / "bucket") / "red" / "rules.md" / "x").mkdir(parents=True)


@pytest.mark.parametrize("break_it", [bucket_is_gone, staging_is_a_file, key_is_a_folder, object_is_a_folder])
def test_no_route_names_a_place_while_the_disk_fails(
    break_it: Callable[[EmbeddedProfile], None], profile: EmbeddedProfile, client: FlaskClient, home: Path
) -> None:
    break_it(profile)
    ask_every_route(profile, client, home)


@pytest.mark.parametrize("part", ["write", "reader"])
@pytest.mark.parametrize(
    "error",
    [
        lambda path: Unavailable(f"{path}: disk I/O error"),
        lambda path: ConfigurationError(f"{path} is damaged: database disk image is malformed."),
        lambda path: OSError(28, "No space left on device", str(path)),
        lambda path: sqlite3.OperationalError(f"unable to open database file {path}"),
    ],
)
def test_no_route_names_the_database_that_fails(
    *,
    part: str,
    error: Callable[[Path], Exception],
    profile: EmbeddedProfile,
    client: FlaskClient,
    home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(self: Database, *_: object, **__: object) -> None:
        raise error(self.path)

    with monkeypatch.context() as broken:
        broken.setattr(Database, part, property(fail) if part == "reader" else fail)
        answers = ask_every_route(profile, client, home)
    assert any(answer.status_code in (500, 503) for answer in answers)


def test_no_tool_of_an_assistant_names_the_database_that_fails(
    profile: EmbeddedProfile, client: FlaskClient, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    def fail(self: Database) -> None:
        raise Unavailable(f"{self.path}: disk I/O error")

    id = document_id(profile.bucket.name, "red/rules.md")

    async def say() -> list[str]:
        async with Client(mcp_server(ProfileKnowledge(profile, None))) as assistant:
            calls = [("searchKnowledge", {"query": "rules"}), ("list_documents", {}), ("get_document", {"id": id})]
            calls += [("search", {"query": "rules"}), ("fetch", {"id": f"{id}:0-10"})]
            told = [str(await assistant.call_tool(tool, arguments)) for tool, arguments in calls]
            with pytest.raises(MCPError) as refused:
                await assistant.read_resource(f"ragbase://documents/{id}")
            return [*told, str(refused.value)]

    monkeypatch.setattr(Database, "reader", property(fail))
    for told in anyio.run(say):
        assert "disk I/O error" in told and "ragbase.db" in told
        assert "secret place" not in told and str(home.parent.parent) not in told


def ask_every_route(profile: EmbeddedProfile, client: FlaskClient, home: Path) -> list[Any]:
    id = document_id(profile.bucket.name, "red/rules.md")
    bodies = {
        "query": {"query": "rules of the house"},
        "answer": {"query": "Where are the rules?"},
        "explain": {"query": "rules", "documentId": id},
        "beginUpload": {"path": "b.md", "size": 5},
        "login": {"password": "some password of mine"},
    }
    answers = []
    for one in OPERATIONS:
        path = (
            one.path.replace("{id}", id)
            .replace("{page}", "1")
            .replace("{store}", "ragbase")
            .replace("{letter}", "none")
            .replace("{key_id}", "none")
            .replace("{token}", "x.y")
        )
        options: dict[str, Any] = {"json": bodies.get(one.id, {})} if one.method in ("POST", "PUT") else {}
        if one.id == "uploadDocument":
            options = form(("c.md", TEXT), path="red/c.md", replace="true")
        answer = client.open(path, method=one.method, **options)
        names_no_place(answer, home)
        answers.append(answer)
    return answers


def test_the_reason_why_a_document_failed_names_no_place_but_those_of_its_file() -> None:
    reason = f"OSError: [Errno 28] No space left on device: '{Path('/srv/a place/x.bin')}'"
    assert Failure(ErrorCode.INTERNAL_ERROR, reason).told == "OSError: [Errno 28] No space left on device: 'x.bin'"
    about_file = PermanentError(ErrorCode.CORRUPT_FILE, "The member /word/document.xml is missing.")
    assert Failure(about_file.code, about_file.reason).told == about_file.reason
