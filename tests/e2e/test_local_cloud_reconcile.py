"""`ragbase reconcile`, `ragbase backfill` and the janitor on the local cloud, after something went wrong in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import CliRunner

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document, Status
from ragbase.domain.identity import document_id
from ragbase.interfaces.cli.application import application
from scripts.local_cloud.inside import profile_of
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User, eventually
from tests.functions.served import Served

GUIDE = "# Backups\n\nThe nightly backup of the {site} site starts at 02:30 and is kept for ninety days.\n"
ALL = 1000
"""More examples than there are documents: other tests may leave something behind."""

pytestmark = pytest.mark.prove


@pytest.fixture(scope="module")
def profile(cloud: LocalCloud) -> Iterator[Profile]:
    with profile_of(cloud) as profile:
        yield profile


def call(cloud: LocalCloud, *arguments: str) -> tuple[int, Any]:
    result = CliRunner().invoke(
        application, [*arguments, "--json"], prog_name="ragbase", env=cloud.settings(), catch_exceptions=False
    )
    return result.exit_code, json.loads(result.stdout)


def findings(report: Any, name: str) -> list[tuple[str, bool]]:
    return [(one["kind"], one["repaired"]) for one in report["examples"] if one.get("filename") == name]


def reconcile(cloud: LocalCloud, name: str, *options: str) -> list[tuple[str, bool]]:
    """What is found about one document."""
    _, report = call(cloud, "reconcile", "--grace", "0", "--examples", str(ALL), *options)
    assert report["complete"]
    return findings(report, name)


def completed(profile: Profile, user: User, name: str) -> Document:
    assert user.settled(name)["status"] == "COMPLETED"
    record = profile.documents.get(document_id(profile.bucket.name, name))
    assert record is not None
    return record


def test_lost_chunks_are_found_and_made_again_by_the_lanes(cloud: LocalCloud, user: User, profile: Profile) -> None:
    name, question = "reconcile/chunks.md", "When does the nightly backup of the Esbjerg site start?"
    user.upload(name, GUIDE.format(site="Esbjerg"))
    record = completed(profile, user, name)
    assert reconcile(cloud, name) == []
    profile.open_index().vectors().delete(record.id, generation=record.generation)

    assert reconcile(cloud, name) == [("missing", False)]
    assert reconcile(cloud, name, "--repair") == [("missing", True)]

    eventually(lambda: [result for result in user.ask(question) if "Esbjerg" in result["content"]])
    eventually(lambda: reconcile(cloud, name) == [])


def test_orphans_are_removed(cloud: LocalCloud, user: User, profile: Profile) -> None:
    name = "reconcile/orphans.md"
    user.upload(name, GUIDE.format(site="Faro"))
    old = completed(profile, user, name)
    chunks = profile.open_index().vectors().read(old.id, old.generation)
    user.upload(name, GUIDE.format(site="Ghent"))
    eventually(lambda: _generation(profile, old.id) != old.generation)
    completed(profile, user, name)
    eventually(lambda: not profile.open_index().vectors().read(old.id, old.generation))
    profile.open_index().vectors().write(chunks)  # a worker that was thought dead

    assert reconcile(cloud, name, "--repair") == [("orphaned", True)]
    assert reconcile(cloud, name) == []


def _generation(profile: Profile, id: str) -> int:
    record = profile.documents.get(id)
    return record.generation if record else 0


def test_a_backfill_passes_over_what_is_known(cloud: LocalCloud, user: User, profile: Profile) -> None:
    name = "backfill/known.md"
    user.upload(name, GUIDE.format(site="Hull"))
    assert completed(profile, user, name).status is Status.COMPLETED
    assert call(cloud, "backfill", "backfill/") == (
        0,
        {"routed": 0, "known": 1, "documents": 0, "chunks": 0, "failed": []},
    )


def test_the_janitor_answers_the_scheduler(cloud: LocalCloud) -> None:
    """All that it could find here is younger than its grace; what it repairs is shown in tests/functions."""
    (port,) = [part.port for part in cloud.status() if part.name == "janitor"]
    janitor = Served(f"http://127.0.0.1:{port}", cloud.log("janitor"))
    answer = janitor.send("POST", "/", b"", {})
    assert answer.status == 200, cloud.log("janitor").read_text()[-2000:]
    assert {"inStep", "inMotion", "missing", "stale", "orphaned", "stuck", "unlabelled"} <= answer.json.keys()
    assert '"action": "janitor.findings"' in janitor.log.read_text()
