"""Who did what over HTTP: the entries of the audit log, and that nothing is done without one."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from ragbase.access.caller import Scope
from ragbase.access.refusals import EACH, WINDOW
from ragbase.access.token import Token, TokenKind
from ragbase.access.verify_audit import verify
from ragbase.adapters.embedded.audit_log import FILE, SqliteAuditLog
from ragbase.config import load_config
from ragbase.domain.errors import Unavailable
from ragbase.interfaces.api.app import create_app
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.telemetry import JsonFormatter
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.form import form
from tests.functions.guarded import Guarded, api, bearer, hash_of, login
from tests.functions.tenant_world import TenantWorld

GUIDE = b"# Backups\n\nThe nightly backup of Ada Lovelace starts at 02:30.\n"
QUESTION = "When does the nightly backup start?"
ASK = {"json": {"query": QUESTION}}
LOCAL = "127.0.0.1"


def entries_in(home: Path) -> list[dict[str, Any]]:
    with closing(SqliteAuditLog(home / FILE)) as log:
        assert verify(log).is_sound
        return [entry.fields() for entry in log.chain("main", limit=10_000)]


@pytest.fixture
def world(tmp_path: Path, clock: VirtualClock) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), clock)
    yield world
    world.close()


@pytest.fixture
def entries(tmp_path: Path) -> Callable[[], list[dict[str, Any]]]:
    """Those that came since the last call."""
    seen = 0

    def new() -> list[dict[str, Any]]:
        nonlocal seen
        found = entries_in(tmp_path)[seen:]
        seen += len(found)
        return found

    return new


Entries = Callable[[], list[dict[str, Any]]]


def told(entries: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(str(entry["action"]), str(entry["outcome"])) for entry in entries]


def test_a_change_has_who_where_when_and_which_request(
    world: TenantWorld, entries: Entries, clock: VirtualClock
) -> None:
    key = world.key("red")
    answer: Any = world.client.post(
        "/api/documents", headers={**bearer(key), "X-Request-Id": "mine-1"}, **form(("backup.md", GUIDE))
    )
    begun, done = entries()
    for entry in (begun, done):
        assert entry["caller"] == f"key:{key.id}"
        assert (entry["address"], entry["request"]) == (LOCAL, "mine-1")
        assert entry["document"] == answer.json["id"] == world.id("red/backup.md")
        assert str(entry["at"]).startswith(clock.now().isoformat()[:19])
        assert entry["tenant"] == world.profile.audit.tenant("red") != world.profile.audit.tenant("blue")
    assert told([begun, done]) == [("document.upload", "begun"), ("document.upload", "done")]
    assert done["details"]["begun"] == str(begun["number"])
    assert done["details"]["generation"]


def test_a_replacement_names_what_it_replaces_and_a_deletion_what_it_deletes(
    world: TenantWorld, entries: Entries
) -> None:
    key = world.key("red")
    id = world.upload(key, GUIDE, "backup.md").json["id"]
    first = entries()[-1]["details"]["generation"]
    world.upload(key, GUIDE + b"more", "backup.md", replace="true")
    begun, done = entries()
    assert told([begun, done]) == [("document.replace", "begun"), ("document.replace", "done")]
    assert begun["details"] == {"replaces": first}
    world.ask(key, "DELETE", f"/api/documents/{id}")
    gone = entries()
    assert told(gone) == [("document.delete", "begun"), ("document.delete", "done")]
    assert gone[1]["details"]["generation"] == done["details"]["generation"]


def test_what_changes_nothing_leaves_an_entry_too(world: TenantWorld, entries: Entries) -> None:
    key = world.key("red")
    id = world.upload(key, GUIDE, "backup.md").json["id"]
    entries()
    assert world.upload(key, GUIDE, "backup.md").status_code == 200
    assert world.upload(key, b"# Other", "backup.md").status_code == 409
    assert world.ask(key, "DELETE", f"/api/documents/{world.id('blue/x.md')}").status_code == 404
    found = entries()
    assert told(found) == [("document.upload", "done"), ("document.upload", "refused"), ("document.delete", "refused")]
    assert [entry["details"]["status"] for entry in found] == ["200", "409", "404"]
    assert found[2]["document"] == world.id("blue/x.md") != id


def test_a_retry_is_recorded(world: TenantWorld, entries: Entries) -> None:
    key = world.key("red")
    id = world.upload(key, GUIDE, "backup.md").json["id"]
    entries()
    world.ask(key, "POST", f"/api/documents/{id}/retry")
    assert told(entries()) == [("document.retry", "begun"), ("document.retry", "done")]


@pytest.mark.parametrize(
    ("path", "action"),
    [("/api/query", "question.query"), ("/api/answer", "question.answer"), ("/api/explain", "question.explain")],
)
def test_a_question_leaves_its_mark_and_not_its_text(
    world: TenantWorld, entries: Entries, tmp_path: Path, path: str, action: str
) -> None:
    key = world.key("red")
    world.upload(key, GUIDE, "backup.md")
    world.work()
    entries()
    body = {"query": QUESTION, **({"document": "backup.md"} if path.endswith("explain") else {})}
    assert world.ask(key, "POST", path, json=body).status_code == 200
    (entry,) = entries()
    assert (entry["action"], entry["outcome"], entry["caller"]) == (action, "done", f"key:{key.id}")
    assert entry["details"] == {"question": world.profile.audit.question(QUESTION)}
    assert QUESTION.encode() not in b"".join(file.read_bytes() for file in tmp_path.glob(f"{FILE}*"))


def test_nobody_can_guess_a_question_without_the_secret_of_the_deployment(tmp_path: Path) -> None:
    marks = set()
    for name in ("one", "other"):
        with closing(
            Guarded(load_config(home=tmp_path / name, environment={}), MemoryCheckpoints(), VirtualClock())
        ) as p:
            marks.add(p.audit.question("yes?"))
            assert p.audit.question("yes?") == p.audit.question(" yes?\n") != p.audit.tenant("yes?")
    assert len(marks) == 2


def test_a_question_of_an_assistant_is_recorded(world: TenantWorld, entries: Entries) -> None:
    key = world.key("red")
    world.upload(key, GUIDE, "backup.md")
    world.work()
    entries()
    for tool in ("searchKnowledge", "answer"):
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": {"query": QUESTION}},
        }
        headers = {"Accept": "application/json, text/event-stream"}
        world.client.post("/mcp", json=message, headers={**bearer(key), **headers})
    found = entries()
    assert told(found) == [("question.query", "done"), ("question.answer", "done")]
    assert {entry["caller"] for entry in found} == {f"key:{key.id}"}
    assert {entry["details"]["question"] for entry in found} == {world.profile.audit.question(QUESTION)}


def test_sign_ins_are_recorded(tmp_path: Path, entries: Entries) -> None:
    with api(tmp_path, password_hash=hash_of()) as client:
        login(client, "wrong", address="192.0.2.7")
        token = login(client, address="192.0.2.8").json["token"]
        client.get("/api/documents", headers=bearer(token))
        client.post("/api/auth/logout", headers=bearer(token))
        client.post("/api/auth/logout", headers=bearer(token))
    found = entries()
    assert [(entry["action"], entry["outcome"], entry["caller"], entry["address"]) for entry in found] == [
        ("session.sign-in", "refused", "nobody", "192.0.2.7"),
        ("session.sign-in", "done", "password", "192.0.2.8"),
        ("session.sign-out", "done", "password", LOCAL),
        ("session.sign-out", "refused", "nobody", LOCAL),
    ]
    session = Token.parse(token)
    assert session is not None
    assert found[2]["details"]["shown"] == f"session:{session.id}"


def test_refusals_name_the_key_that_was_shown(world: TenantWorld, entries: Entries) -> None:
    reader, token = world.keys.create("reader", scopes=[Scope.READ], tenant="red")
    strange = Token.new(TokenKind.KEY)
    ask = world.client.get
    assert ask("/api/documents").status_code == 401
    assert ask("/api/documents", headers=bearer(strange)).status_code == 401
    assert world.upload(token, GUIDE, "backup.md").status_code == 403
    world.keys.revoke(reader.id)
    assert world.ask(token, "POST", "/api/query", **ASK).status_code == 401
    found = entries()
    assert [(entry["action"], entry["outcome"]) for entry in found] == [
        ("request.refused", "refused"),
        ("request.refused", "refused"),
        ("document.upload", "refused"),
        ("question.query", "refused"),
    ]
    assert [entry["details"].get("shown", "") for entry in found] == [
        "",
        f"key:{strange.id}",
        f"key:{reader.id}",
        f"key:{reader.id}",
    ]
    assert [entry["details"]["status"] for entry in found] == ["401", "401", "403", "401"]
    assert strange.secret not in json.dumps(found)


def test_an_address_that_nobody_has_signed_is_a_refusal(world: TenantWorld, entries: Entries) -> None:
    assert world.client.put("/api/uploads/nonsense", data=b"x").status_code == 404
    (entry,) = entries()
    assert told([entry]) == [("document.upload", "refused")]
    assert entry["details"]["status"] == "404"


def test_an_upload_by_address_has_entries_for_the_address_and_for_the_file(
    world: TenantWorld, entries: Entries
) -> None:
    key = world.key("red")
    signed = world.ask(key, "POST", "/api/uploads", json={"path": "backup.md", "size": len(GUIDE)}).json
    assert told(entries()) == [("upload.sign", "begun"), ("upload.sign", "done")]
    assert world.client.put(signed["url"], data=GUIDE).status_code == 202
    found = entries()
    assert told(found) == [("document.upload", "begun"), ("document.upload", "done")]
    assert {entry["document"] for entry in found} == {signed["id"]}
    assert {entry["caller"] for entry in found} == {f"key:{key.id}"}
    assert world.client.put(signed["url"], data=GUIDE[::-1]).status_code == 404
    (refused,) = entries()
    assert (told([refused]), refused["caller"]) == ([("document.upload", "refused")], f"key:{key.id}")


def test_strangers_cannot_fill_the_log(world: TenantWorld, entries: Entries, clock: VirtualClock) -> None:
    world.key("red")
    for _ in range(EACH + 30):
        world.client.get("/api/documents")
    assert len(entries()) == EACH
    clock.advance(WINDOW)
    world.client.get("/api/documents", environ_base={"REMOTE_ADDR": "192.0.2.9"})
    counted, own = entries()
    assert (counted["address"], counted["details"]) == (LOCAL, {"count": "30"})
    assert own["address"] == "192.0.2.9"


def test_what_was_counted_is_told_at_the_end(tmp_path: Path, entries: Entries) -> None:
    with api(tmp_path, sign_in="required", password_hash=hash_of()) as client:
        for _ in range(EACH + 3):
            client.get("/api/documents")
        assert len(entries()) == EACH
    assert [entry["details"] for entry in entries()] == [{"count": "3"}]


def test_nothing_is_done_that_cannot_be_recorded(world: TenantWorld, tmp_path: Path) -> None:
    key = world.key("red")
    id = world.upload(key, GUIDE, "backup.md").json["id"]
    world.work()
    before = sorted(path for path in tmp_path.rglob("*.md"))
    with patch.object(SqliteAuditLog, "append", side_effect=Unavailable("The disk is full.")):
        answers = [
            world.upload(key, GUIDE, "other.md"),
            world.upload(key, b"# New", "backup.md", replace="true"),
            world.ask(key, "DELETE", f"/api/documents/{id}"),
            world.ask(key, "POST", f"/api/documents/{id}/retry"),
            world.ask(key, "POST", "/api/uploads", json={"path": "a.md", "size": 3}),
            world.ask(key, "POST", "/api/query", **ASK),
            world.ask(key, "POST", "/api/answer", **ASK),
        ]
    assert {(answer.status_code, answer.json["error"]) for answer in answers} == {(503, "UNAVAILABLE")}
    assert all(b"02:30" not in answer.data for answer in answers)
    assert sorted(path for path in tmp_path.rglob("*.md")) == before
    assert world.ask(key, "GET", f"/api/documents/{id}/content").data == GUIDE


def test_a_stream_gives_nothing_that_is_not_recorded(world: TenantWorld) -> None:
    key = world.key("red")
    world.upload(key, GUIDE, "backup.md")
    world.work()
    headers = {**bearer(key), "Accept": "text/event-stream"}
    with patch.object(SqliteAuditLog, "append", side_effect=Unavailable("The disk is full.")):
        answer = world.client.post("/api/answer", headers=headers, **ASK)
    assert (answer.status_code, b"02:30" in answer.data) == (503, False)


def test_an_erased_document_leaves_a_log_that_is_sound_and_has_nothing_of_it(
    world: TenantWorld, tmp_path: Path
) -> None:
    key = world.key("red")
    id = world.upload(key, GUIDE, "Ada Lovelace.md").json["id"]
    world.work()
    world.ask(key, "POST", "/api/query", json={"query": "Who is Ada Lovelace?"})
    world.ask(key, "DELETE", f"/api/documents/{id}")
    world.work()
    with closing(SqliteAuditLog(tmp_path / FILE)) as log:
        found = verify(log)
        assert found.is_sound
        lines = [entry.text for entry in log.chain("main", limit=100)]
    assert sum(id in line for line in lines) == 4
    kept = b"".join(file.read_bytes() for file in tmp_path.glob(f"{FILE}*"))
    assert not any(word in kept for word in (b"Ada", b"Lovelace", b"02:30", b"red/", b'"red"'))


def test_every_operation_that_changes_or_asks_is_recorded() -> None:
    """`mcp` has entries of its own: one for each question of a tool (see above)."""
    recorded = {one.id for one in OPERATIONS if one.action is not None}
    changes = {one.id for one in OPERATIONS if one.scope is Scope.WRITE and one.method != "GET"}
    questions = {one.id for one in OPERATIONS if one.is_public_query}
    questions |= {"explain", "searchVectorStore", "retrieve"}
    others = {one.id for one in OPERATIONS if one.method != "GET" and one.id != "mcp"}
    assert (
        recorded == changes | questions | {"login", "logout", "beginSession", "endSession", "receiveUpload"} == others
    )


@pytest.mark.parametrize("operation", [one for one in OPERATIONS if one.action is not None], ids=lambda one: one.id)
def test_each_of_them_leaves_an_entry_even_for_nonsense(world: TenantWorld, entries: Entries, operation: Any) -> None:
    key = world.key("red")
    path = operation.path.replace("{id}", world.id("red/none.md")).replace("{token}", "x").replace("{store}", "ragbase")
    world.client.open(path, method=operation.method, headers=bearer(key), data=b"nonsense")
    assert [entry["action"] for entry in entries()] == [operation.action]


def google_token(email: str) -> str:
    parts = ({"alg": "RS256"}, {"email": email, "sub": "1"})
    head, claims = (base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts)
    return f"{head}.{claims}.SIGNATURE_REMOVED_BY_GOOGLE"


PROXY = google_token("service-1@gcp-sa-iap.iam.gserviceaccount.com")


@pytest.mark.parametrize(
    ("headers", "caller"),
    [
        ({"Authorization": f"Bearer {google_token('ada@example.com')}"}, "iam:ada@example.com"),
        ({"X-Serverless-Authorization": f"Bearer {google_token('ada@example.com')}"}, "iam:ada@example.com"),
        (
            {"Authorization": f"Bearer {PROXY}", "X-Goog-IAP-JWT-Assertion": google_token("eve@example.com")},
            "iam:eve@example.com",
        ),
        (
            {
                "Authorization": f"Bearer {google_token('ada@example.com')}",
                "X-Goog-IAP-JWT-Assertion": google_token("eve@example.com"),
            },
            "iam:ada@example.com",
        ),
        ({"Authorization": "Bearer a.!.c"}, "iam"),
        ({}, "iam"),
    ],
)
def test_a_member_of_iam_is_named_as_google_names_them(
    tmp_path: Path, entries: Entries, headers: dict[str, str], caller: str
) -> None:
    config = load_config(home=tmp_path, environment={}, embedder="hashing").model_copy(update={"sign_in": "iam"})
    with (
        patch("ragbase.access.access.check_settings"),
        closing(Guarded(config, MemoryCheckpoints(), VirtualClock())) as profile,
    ):
        client = create_app(profile).test_client()
        client.post("/api/query", headers=headers, json={"query": QUESTION})
    assert [entry["caller"] for entry in entries()] == [caller]


def test_the_address_is_that_of_the_client_behind_the_proxies(tmp_path: Path, entries: Entries) -> None:
    with api(tmp_path, password_hash=hash_of(), trusted_proxies=1) as client:
        client.get("/api/documents", headers={"X-Forwarded-For": "203.0.113.66, 198.51.100.7"})
    assert [entry["address"] for entry in entries()] == ["198.51.100.7"]


def test_every_line_of_the_log_has_its_caller(world: TenantWorld, caplog: pytest.LogCaptureFixture) -> None:
    key = world.key("red")
    lines: list[dict[str, Any]] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(json.loads(JsonFormatter().format(record)))

    logger, handler = logging.getLogger("ragbase"), Kept()
    logger.addHandler(handler)
    try:
        with caplog.at_level(logging.DEBUG, "ragbase"):
            world.upload(key, GUIDE, "backup.md")
            of_request = [*lines]
            world.work()
    finally:
        logger.removeHandler(handler)
    assert of_request
    assert {line.get("callerId") for line in of_request} == {f"key:{key.id}"}
    assert {line.get("callerId") for line in lines[len(of_request) :]} == {None}


def test_files_that_somebody_puts_into_the_folder_are_recorded(world: TenantWorld, entries: Entries) -> None:
    folder = world.profile.bucket_folder / "red"
    folder.mkdir(parents=True)
    file = folder / "note.md"
    for text in ("one", "two two"):
        file.write_text(text)
        world.profile.look_at_bucket()
    file.unlink()
    world.profile.look_at_bucket()
    found = entries()
    assert told(found) == [("document.upload", "done"), ("document.replace", "done"), ("document.delete", "done")]
    assert {entry["caller"] for entry in found} == {"folder"}
    assert {entry["document"] for entry in found} == {world.id("red/note.md")}
    assert {entry["tenant"] for entry in found} == {world.profile.audit.tenant("red")}


def test_a_request_that_finds_a_file_of_the_folder_has_not_put_it_there(world: TenantWorld, entries: Entries) -> None:
    folder = world.profile.bucket_folder / "red"
    folder.mkdir(parents=True)
    (folder / "note.md").write_text("somebody's")
    key = world.key("red")
    assert world.upload(key, b"# Mine", "note.md").status_code == 409
    assert world.upload(key, b"# Mine", "note.md", replace="true").status_code == 202
    found = [(entry["caller"], entry["address"], entry["action"], entry["outcome"]) for entry in entries()]
    mine = (f"key:{key.id}", LOCAL)
    assert ("folder", "", "document.upload", "done") in found
    assert [entry for entry in found if entry[0] != "folder"] == [
        (*mine, "document.upload", "begun"),
        (*mine, "document.upload", "failed"),
        (*mine, "document.replace", "begun"),
        (*mine, "document.replace", "done"),
    ]


def test_a_file_of_the_folder_is_not_taken_without_an_entry(world: TenantWorld, entries: Entries) -> None:
    world.profile.bucket_folder.mkdir(parents=True, exist_ok=True)
    (world.profile.bucket_folder / "note.md").write_text("text")
    with (
        patch.object(SqliteAuditLog, "append", side_effect=Unavailable("The disk is full.")),
        pytest.raises(Unavailable),
    ):
        world.profile.look_at_bucket()
    assert list(world.profile.bucket.list()) == []
    world.profile.look_at_bucket()
    assert [one.name for one in world.profile.bucket.list()] == ["note.md"]
    assert told(entries()) == [("document.upload", "done")]
