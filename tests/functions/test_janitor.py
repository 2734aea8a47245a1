"""The janitor, served for real over a data folder in which something went wrong an hour ago."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ragbase.bootstrap.embedded import EmbeddedProfile
from ragbase.config import load_config
from ragbase.domain.document import Status
from ragbase.domain.identity import document_id
from ragbase.engine.lanes import lanes
from ragbase.engine.standstill import Standstill
from ragbase.engine.wait import DocumentWaiter
from ragbase.testing.clock import VirtualClock
from tests.functions.served import Served, serve_on_folder

pytestmark = pytest.mark.slow

TEXT = b"# Backups\n\nThe nightly backup starts at half past two and is kept for ninety days.\n"


class AnHourAgo(EmbeddedProfile):
    """A process whose clock is an hour behind, so that what it does is not in motion any more."""

    clock = VirtualClock()


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    return {"RAGBASE_HOME": str(tmp_path / "home"), "RAGBASE_EMBEDDER": "hashing", "RAGBASE_BUCKET": "uploads"}


@pytest.fixture
def profile(settings: dict[str, str]) -> Iterator[EmbeddedProfile]:
    AnHourAgo.clock = VirtualClock(datetime.now(UTC) - timedelta(hours=1))
    profile = AnHourAgo(load_config(environment=settings))
    yield profile
    profile.close()


@pytest.fixture
def janitor(settings: dict[str, str], tmp_path: Path) -> Iterator[Served]:
    with serve_on_folder("janitor", {**settings, "RAGBASE_LOG_LEVEL": "INFO"}, tmp_path / "janitor.log") as served:
        yield served


def call(janitor: Served) -> Any:
    answer = janitor.send("POST", "/", b"", {})
    assert answer.status == 200, answer.body
    return answer.json


def entries(janitor: Served, action: str) -> list[dict[str, Any]]:
    lines = (line for line in janitor.log.read_text().splitlines() if line.startswith("{"))
    return [entry for entry in map(json.loads, lines) if entry.get("action") == action]


def test_an_upload_that_nobody_heard_of_is_found_logged_and_processed(
    profile: EmbeddedProfile, janitor: Served
) -> None:
    profile.bucket.put("guide.md", TEXT)
    id = document_id("uploads", "guide.md")

    report = call(janitor)

    (example,) = report.pop("examples")
    assert (example["kind"], example["documentId"], example["repaired"]) == ("missing", id, True)
    assert report == {
        "inStep": 0,
        "inMotion": 0,
        "missing": 1,
        "stale": 0,
        "orphaned": 0,
        "stuck": 0,
        "unlabelled": 0,
        "shadowed": 0,
        "left": 0,
        "complete": True,
        "errors": [],
    }
    (finding,) = entries(janitor, "janitor.finding")
    assert (finding["document_id"], finding["kind"], finding["severity"]) == (id, "missing", "WARNING")
    (summary,) = entries(janitor, "janitor.findings")
    assert (summary["findings"], summary["missing"], summary["stuck"], summary["complete"]) == (1, 1, 0, True)

    # The queue of this profile works by the clock: what the function published is an hour ahead.
    AnHourAgo.clock.advance(timedelta(hours=1, minutes=1))
    waiter = DocumentWaiter(profile.documents, Standstill(profile))
    with lanes(profile, waiter.settled):
        waiter.expect(id)
        (record,) = waiter.rest()
    assert record.status is Status.COMPLETED
    assert call(janitor)["missing"] == 0


@pytest.mark.prove
def test_a_call_right_after_another_does_no_harm(profile: EmbeddedProfile, janitor: Served) -> None:
    for number in range(5):
        profile.bucket.put(f"{number}.md", TEXT)
    reports = [call(janitor) for _ in range(2)]
    assert [report["missing"] for report in reports] == [5, 0]
