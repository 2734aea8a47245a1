"""What each function meets in its life: enough that it uses every port which its code has a use for."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import timedelta
from io import BytesIO
from typing import Any

from ragbase.domain.dead_letter import DeadLetter
from ragbase.domain.document import Status
from ragbase.domain.errors import ErrorCode
from ragbase.domain.job import Job
from ragbase.domain.lane import Lane
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.work import Failure
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.pipeline.give_text import give_text
from ragbase.ports import Topic
from scripts.local_cloud.pdf import pdf
from tests.functions.recorded import job_push, notification
from tests.functions.used_rights import World, call

TEXT = b"# Backups\n\nThe nightly backup starts at half past two and is kept for ninety days in a second region.\n"
OTHER = TEXT.replace(b"half past two", b"a quarter to four")
GIVEN = "# Tickets\n\nA ticket for the night train has to be bought at the counter before it leaves the platform.\n"
PAGES = pdf(*(f"Page {number} says that the nightly backup starts at half past two." for number in range(120)))
"""More than one part reads it."""


def router(world: World) -> set[str]:
    module, used = world.function("router")
    first = world.put("a.md", TEXT)
    for name, data in (("a.md", OTHER), ("b.pdf", PAGES)):
        assert call(module.router, notification("pubsub_finalize", world.put(name, data))).status_code == 204
    assert call(module.router, notification("pubsub_finalize", first)).status_code == 204  # late: it asks the bucket
    return used


def fast_lane(world: World) -> set[str]:
    return _lane(world, Lane.FAST, ".md", "text/markdown", {"first": TEXT, "second": OTHER})


def heavy_lane(world: World) -> set[str]:
    files = {"first": PAGES, "second": pdf("The nightly backup starts at a quarter to four, and is kept for a month.")}
    return _lane(world, Lane.HEAVY, ".pdf", "application/pdf", files)


def _lane(world: World, lane: Lane, suffix: str, content_type: str, files: Mapping[str, bytes]) -> set[str]:
    """Documents that are read, given a text, replaced, copied, moved to the other lane, given up and deleted."""
    name, topic = f"{lane.value}_lane", {Lane.FAST: Topic.FAST, Lane.HEAVY: Topic.HEAVY}[lane]
    module, used = world.function(name)

    def send(job: Job) -> None:
        answer = call(getattr(module, name), job_push(job))
        assert answer.status_code == 204, (job.name, answer.data)

    def work() -> None:
        while jobs := world.routed(topic):
            for job in jobs:
                send(job)

    world.put(f"a{suffix}", files["first"])
    work()
    give_text(world.record(f"a{suffix}"), GIVEN, page_count=1, ocr_applied=False, ports=world.profile)
    work()
    world.put(f"a{suffix}", files["second"])
    work()
    world.put(f"copy{suffix}", files["second"])
    work()
    for there, data in {"text/markdown": TEXT, "application/pdf": PAGES}.items():
        moved = f"moved to {there}"
        world.put(moved, files["first"], content_type)
        (job,) = world.routed(topic)
        world.put(moved, data, there)
        send(job)  # its bytes are gone: it asks the bucket
        work()
    world.put("unnamed", PAGES, "application/octet-stream")  # the fast lane looks what it is
    work()
    world.put(f"last{suffix}", files["second"] + b" ")
    (job,) = world.routed(topic)
    world.change(f"last{suffix}", attempts=MAX_RETRIES + 1)
    send(job)
    world.profile.bucket.delete(f"a{suffix}")
    work()
    return used


def dead_letter(world: World) -> set[str]:
    """Messages of documents that nobody works on: jobs of both lanes, and the event of a newer generation."""
    module, used = world.function("dead_letter")
    for name, data, topic in (("a.md", TEXT, Topic.FAST), ("b.pdf", PAGES, Topic.HEAVY)):
        world.put(name, data)
        (job,) = world.routed(topic)
        assert call(module.dead_letter, job_push(job)).status_code == 204
    newer = notification("pubsub_finalize", world.put("a.md", OTHER))
    assert call(module.dead_letter, newer).status_code == 204, "the record is of a generation that is gone"
    return used


def janitor(world: World, *, late: timedelta = timedelta(hours=2)) -> set[str]:
    """Objects that nobody has heard of, a deletion that nobody has heard of, and texts that nobody needs."""
    world.put("gone.md", TEXT)
    world.work()
    world.profile.bucket.delete("gone.md")
    for name, data in (("a.md", OTHER), ("b.pdf", PAGES)):
        world.put(name, data)
    world.profile.texts.put("0" * 32, -1, GIVEN)
    module, used = world.function("janitor", late=late)
    assert call(module.janitor).status_code == 200
    return used


def sources(world: World) -> set[str]:
    """A folder in which something is new, and then something is gone. (What a source is read with is its owner's.)"""
    docs = world.folder.parent / "docs"
    docs.mkdir()
    described = f'address = "{docs}"\ndelete = true\nforce = true\nevery_minutes = 5\n'
    (world.folder / "sources.toml").write_text(f"[docs]\n{described}")
    used = set[str]()
    for hour, files in enumerate((("a.md", "b.md"), ("a.md",))):
        for file in docs.iterdir():
            file.unlink()
        for name in files:
            (docs / name).write_bytes(TEXT)
        module, rights = world.function("sources", late=timedelta(hours=hour))
        answer = call(module.sources)
        assert answer.status_code == 200
        used |= rights
    assert answer.json["sources"][0]["counts"]["deleted"] == 1
    return used


def api(world: World) -> set[str]:
    """Every route that the description names."""
    module, used = world.function("api")
    client, asked = module.app.test_client(), set[tuple[str, str]]()

    def ask(method: str, path: str, status: int, *, of: str = "", **body: Any) -> Any:
        answer = client.open(
            re.sub("{(id|letter|question|key)}", of, path).replace("{page}", "1").replace("{store}", "ragbase"),
            method=method,
            **body,
        )
        assert answer.status_code == status, (method, path, answer.data)
        asked.add((method, path))
        return answer.json if answer.is_json else None

    def upload(name: str, data: bytes) -> str:
        form = {"file": (BytesIO(data), name), "path": name, "replace": "true"}
        return str(ask("POST", "/api/documents", 202, data=form)["id"])

    text = upload("a.md", TEXT)
    pages = upload("b.pdf", PAGES)
    world.work()
    for path in ("/api/documents/{id}", *(f"/api/documents/{{id}}/{part}" for part in ("chunks", "text", "content"))):
        ask("GET", path, 200, of=text)
    ask("GET", "/api/documents/{id}/pages", 200, of=pages)
    ask("GET", "/api/documents/{id}/pages/{page}", 200, of=pages)
    ask("GET", "/api/documents/{id}/pages/{page}/marks", 200, of=pages, query_string={"from": 0, "to": 20})
    for path in ("/api/documents", "/api/counts", "/api/events", "/internal/extractions"):
        ask("GET", path, 200)
    for id, name in ((text, "a.md"), (pages, "b.pdf")):
        world.change(name, status=Status.FAILED, failure=Failure(ErrorCode.INTERNAL_ERROR, "A test says so."))
        ask("POST", "/api/documents/{id}/retry", 202, of=id)
    world.work()
    ask("POST", "/api/documents/{id}/reread", 202, of=pages)
    wanted = {"question": "When does the nightly backup start?", "document": "a.md"}
    kept = ask("POST", "/api/golden-questions", 201, json=wanted)
    ask("GET", "/api/golden-questions", 200)
    ask("GET", "/api/evaluations", 200)
    ask("DELETE", "/api/golden-questions/{question}", 204, of=kept["id"])
    begun = ask("POST", "/api/uploads", 201, json={"path": "c.md", "size": len(OTHER)})
    assert client.put(begun["url"], data=OTHER).status_code == 202
    world.work()
    for path in ("/api/query", "/api/answer"):
        ask("POST", path, 200, json={"query": "When does the nightly backup start?"})
        before = [{"role": "user", "text": "When does the nightly backup start?"}]
        ask("POST", path, 200, json={"query": "And how long is it kept?", "history": before})
    ask("POST", "/api/explain", 200, json={"query": "When does the nightly backup start?", "document": "a.md"})
    ask("POST", "/api/auth/login", 401, json={"password": "no password is set"})
    ask("POST", "/api/auth/logout", 409)
    ask("GET", "/api/session", 200)
    ask("POST", "/api/session", 401, json={"secret": "no password is set"})
    ask("DELETE", "/api/session", 409)
    result = {"markdown": GIVEN, "pageCount": 1, "ocrApplied": False, "processingTimeMs": 1.5}
    ask("POST", "/internal/callback", 202, json={"documentId": text, "success": True, "result": result})
    tool = {"name": "searchKnowledge", "arguments": {"query": "nightly backup"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": tool}
    ask("POST", "/mcp", 200, json=message, headers={"Accept": "application/json, text/event-stream"})
    _ask_as_others(world, ask, upload("d.md", OTHER))
    ask("DELETE", "/api/documents/{id}", 204, of=text)
    _operate(world, ask)
    for path in ("/healthz", "/health", "/ready", "/readyz"):
        ask("GET", path, 200)
    not_asked = {(one.method, one.path) for one in OPERATIONS if one.is_described} - asked
    assert not not_asked, not_asked
    return used


def _ask_as_others(world: World, ask: Callable[..., Any], text: str) -> None:
    """What clients of other services' protocols ask for. The document of this id is deleted."""
    world.work()
    ask("GET", "/v1/vector_stores", 200)
    store = "/v1/vector_stores/{store}"
    question = "When does the nightly backup start?"
    for path in ("", "/files"):
        ask("GET", f"{store}{path}", 200)
    for path in ("", "/content"):
        ask("GET", f"{store}/files/{{id}}{path}", 200, of=text)
    ask("POST", f"{store}/search", 200, json={"query": question})
    setting = {"top_k": 3, "score_threshold": 0}
    ask("POST", "/retrieval", 200, json={"knowledge_id": "ragbase", "query": question, "retrieval_setting": setting})
    ask("DELETE", f"{store}/files/{{id}}", 200, of=text)


def _operate(world: World, ask: Callable[..., Any]) -> None:
    """What only the operator asks for."""
    shown = ("health", "rate", "dead-letters", "sources", "reconciliation", "audit", "tenants")
    for path in (f"/api/{name}" for name in shown):
        ask("GET", path, 200)
    record = world.change("b.pdf", status=Status.FAILED, failure=Failure(ErrorCode.INTERNAL_ERROR, "A test says so."))
    now = world.profile.clock.now()
    letter = DeadLetter(
        message=record.job, attempts=6, code=ErrorCode.INTERNAL_ERROR, reason="A test.", first_seen=now, last_seen=now
    )
    world.profile.dead_letters.keep(letter)
    ask("GET", "/api/dead-letters/{letter}", 200, of=letter.id)
    ask("GET", "/api/keys", 200)
    ask("POST", "/api/keys", 409, json={"name": "the first one closes the API"})
    ask("DELETE", "/api/keys/{key_id}", 404, of="none")
    ask("POST", "/api/dead-letters/{letter}/replay", 200, of=letter.id)


JOURNEYS: Mapping[str, Callable[[World], set[str]]] = {
    journey.__name__: journey for journey in (api, dead_letter, fast_lane, heavy_lane, janitor, router, sources)
}
