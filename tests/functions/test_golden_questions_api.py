"""/api/golden-questions and /api/evaluations: who keeps and sees what, and what nobody can send."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ragbase.access.caller import Scope
from ragbase.access.token import Token
from ragbase.adapters.embedded.audit_log import FILE, SqliteAuditLog
from ragbase.domain.limits import MAX_GOLDEN_QUESTIONS
from ragbase.evaluation.evaluation_runs import EvaluationRun
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import refused
from tests.functions.tenant_world import TenantWorld, seen

GUIDE = b"# Backups\n\nThe nightly backup starts at 02:30 and is kept for ninety days.\n"
PATH = "/api/golden-questions"
QUESTION = "When does the nightly backup start?"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    for tenant in ("red", "blue"):
        world.upload(world.key(tenant), GUIDE, path=f"{tenant}/guides/a.md")
        world.upload(world.key(tenant), GUIDE + b"More.\n", path=f"{tenant}/plans/b.md")
    world.work()
    yield world
    world.close()


def keep(world: TenantWorld, key: Token, document: str, question: str = QUESTION) -> Any:
    return world.ask(key, "POST", PATH, json={"question": question, "document": document})


def listed(world: TenantWorld, key: Token) -> list[tuple[str, str | None]]:
    answer = world.ask(key, "GET", PATH)
    assert answer.status_code == 200, answer.data
    return [(one["question"], one.get("filename")) for one in answer.json["questions"]]


def test_a_question_is_kept_listed_and_removed(world: TenantWorld) -> None:
    red = world.key("red")
    kept = keep(world, red, "guides/a.md", f"  {QUESTION}\n")
    assert kept.status_code == 201
    assert kept.json["question"] == QUESTION
    assert (kept.json["documentId"], kept.json["filename"]) == (world.id("red/guides/a.md"), "red/guides/a.md")
    again = keep(world, red, world.id("red/guides/a.md"))
    assert (again.status_code, again.json) == (200, kept.json)
    assert listed(world, red) == [(QUESTION, "red/guides/a.md")]
    assert world.ask(red, "DELETE", f"{PATH}/{kept.json['id']}").status_code == 204
    assert listed(world, red) == []
    refused(world.ask(red, "DELETE", f"{PATH}/{kept.json['id']}"), 404, "NOT_FOUND")


def test_no_tenant_meets_the_questions_of_another(world: TenantWorld) -> None:
    red, blue = world.key("red"), world.key("blue")
    id = keep(world, red, "guides/a.md").json["id"]
    assert listed(world, blue) == []
    # Another tenant's document is not there: neither by its id nor by its name.
    others, nobodys = world.id("red/guides/a.md"), "0b6c0000-0000-4000-8000-000000000000"
    assert seen(keep(world, blue, others), others) == seen(keep(world, blue, nobodys), nobodys)
    refused(keep(world, blue, "red/guides/a.md"), 404, "NOT_FOUND")
    assert seen(world.ask(blue, "DELETE", f"{PATH}/{id}"), id) == seen(world.ask(blue, "DELETE", f"{PATH}/x"), "x")
    assert listed(world, red) == [(QUESTION, "red/guides/a.md")]
    assert listed(world, world.key(None)) == [(QUESTION, "red/guides/a.md")]


def test_a_key_of_folders_meets_those_of_its_documents_alone(world: TenantWorld) -> None:
    everything, plans = world.key(None), world.key_of_folders("red/plans")
    id = keep(world, everything, "red/guides/a.md").json["id"]
    keep(world, everything, "red/plans/b.md", "Who plans?")
    assert listed(world, plans) == [("Who plans?", "red/plans/b.md")]
    refused(keep(world, plans, "red/guides/a.md"), 403, "FORBIDDEN")
    others, nobodys = world.id("red/guides/a.md"), "0b6c0000-0000-4000-8000-000000000000"
    assert seen(keep(world, plans, others), others) == seen(keep(world, plans, nobodys), nobodys)
    refused(world.ask(plans, "DELETE", f"{PATH}/{id}"), 404, "NOT_FOUND")
    assert len(listed(world, everything)) == 2


def test_scopes_hold(world: TenantWorld) -> None:
    id = keep(world, world.key("red"), "guides/a.md").json["id"]
    reader = world.keys.create("reader", scopes=[Scope.READ], tenant="red")[1]
    assert listed(world, reader) == [(QUESTION, "red/guides/a.md")]
    refused(keep(world, reader, "guides/a.md"), 403, "FORBIDDEN")
    refused(world.ask(reader, "DELETE", f"{PATH}/{id}"), 403, "FORBIDDEN")
    extractor = world.keys.create("extractor", scopes=[Scope.EXTRACT])[1]
    refused(world.ask(extractor, "GET", PATH), 403, "FORBIDDEN")
    for method in ("GET", "POST"):
        assert world.client.open(PATH, method=method, json={}).status_code == 401
    assert world.client.delete(f"{PATH}/{id}").status_code == 401


def test_a_document_that_is_gone_leaves_no_name(world: TenantWorld) -> None:
    red, everything = world.key("red"), world.key(None)
    id = keep(world, red, "guides/a.md").json["id"]
    world.ask(red, "DELETE", f"/api/documents/{world.id('red/guides/a.md')}")
    world.work()
    assert listed(world, red) == []
    assert listed(world, everything) == [(QUESTION, None)]
    refused(keep(world, red, "guides/a.md"), 404, "NOT_FOUND")
    refused(keep(world, red, world.id("red/guides/a.md")), 404, "NOT_FOUND")
    assert world.ask(everything, "DELETE", f"{PATH}/{id}").status_code == 204


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"question": QUESTION},
        {"question": "", "document": "guides/a.md"},
        {"question": " \t\n", "document": "guides/a.md"},
        {"question": "\x00\x01\x7f", "document": "guides/a.md"},
        {"question": "x" * 1001, "document": "guides/a.md"},
        {"question": 3, "document": "guides/a.md"},
        {"question": [QUESTION], "document": "guides/a.md"},
        {"question": QUESTION, "document": ""},
        {"question": QUESTION, "document": "../a.md"},
        {"question": QUESTION, "document": "guides/a.md", "tenant": "blue"},
        {"question": "\ud800", "document": "guides/a.md"},
    ],
)
def test_what_is_no_question_is_refused(world: TenantWorld, body: dict[str, Any]) -> None:
    answer = world.ask(world.key("red"), "POST", PATH, data=json.dumps(body), content_type="application/json")
    assert answer.status_code == 400, answer.data
    assert listed(world, world.key(None)) == []


def test_a_question_is_one_line_of_text(world: TenantWorld) -> None:
    hostile = "Who\x00 is\u2028<script>alert(1)</script>\r\n=cmd()\u202e?"
    keep(world, world.key("red"), "guides/a.md", hostile)
    assert listed(world, world.key("red"))[0][0] == "Who is <script>alert(1)</script> =cmd()\u202e?"


def test_a_tenant_that_keeps_many_takes_no_room_from_others(world: TenantWorld) -> None:
    red = world.key("red")
    for number in range(MAX_GOLDEN_QUESTIONS):
        world.profile.golden_questions.keep(f"Question {number}?", world.id("red/guides/a.md"), "red")
    refused(keep(world, red, "guides/a.md"), 409, "TOO_MANY_QUESTIONS")
    assert keep(world, world.key("blue"), "guides/a.md").status_code == 201


def test_what_is_kept_is_in_the_audit_log_without_its_text(world: TenantWorld, tmp_path: Path) -> None:
    id = keep(world, world.key("red"), "guides/a.md").json["id"]
    world.ask(world.key("red"), "DELETE", f"{PATH}/{id}")
    with closing(SqliteAuditLog(tmp_path / FILE)) as log:
        texts = [entry.text for entry in log.newest(limit=100)]
    for action in ("golden-question.keep", "golden-question.remove"):
        assert any(f'"action":"{action}"' in text and '"outcome":"done"' in text for text in texts), action
    assert not any("nightly" in text for text in texts)


def test_only_the_operator_sees_the_runs(world: TenantWorld) -> None:
    run = EvaluationRun(
        at=datetime(2025, 6, 1, tzinfo=UTC),
        model="hashing",
        top_k=5,
        threshold=0.5,
        questions=4,
        score=0.6,
        hit_rate=0.75,
        mrr=0.625,
        ranks=(2, 1, 0, 0, 0, 0, 0, 0, 0, 0),
        later=0,
        missing=1,
    )
    world.profile.evaluation_runs.note(run)
    answer = world.ask(world.key(None), "GET", "/api/evaluations")
    assert answer.status_code == 200
    (shown,) = answer.json["runs"]
    assert (shown["at"], shown["hitRate"], shown["ranks"][:2]) == ("2025-06-01T00:00:00Z", 0.75, [2, 1])
    for key in (world.key("red"), world.key_of_folders("red")):
        refused(world.ask(key, "GET", "/api/evaluations"), 403, "FORBIDDEN")
    assert world.client.get("/api/evaluations").status_code == 401
