"""Records come back only into a new database, which is waited for."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from scripts.restoring.deployed import Deployed
from scripts.restoring.records import clone, from_backup
from tests.unit.scripts.restoring.gcloud import Recorded

KEY = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
OPERATION = "projects/p/databases/ragbase-2/operations/7"
LISTED = [{"name": "projects/p/databases/ragbase"}]


def google(*after: dict[str, Any]) -> Recorded:
    """One database, and a copy that is done after these looks at it."""
    return Recorded(
        {
            "firestore databases list": LISTED,
            "firestore databases clone": {"name": OPERATION},
            "firestore databases restore": {"name": OPERATION},
            "firestore operations describe": list(after),
        }
    )


def cloned(
    gcloud: Recorded, *, into: str = "ragbase-2", key: str | None = None, at: str = "2026-11-26T09:15:42+01:00"
) -> None:
    moment = datetime.fromisoformat(at)
    clone(gcloud, Deployed("p", "b", "ragbase", key), moment, into, say=lambda _: None, pause=0)


def test_a_clone_takes_the_minute_before_in_utc_and_waits_until_it_stands() -> None:
    gcloud = google({"name": OPERATION}, {"name": OPERATION, "done": True})
    cloned(gcloud)
    assert gcloud.options("firestore databases clone") == {
        "--source-database=projects/p/databases/ragbase",
        "--snapshot-time=2026-11-26T08:15:00Z",
        "--destination-database=ragbase-2",
        "--format=json",
        "--project=p",
    }
    assert gcloud.commands()[-2:] == ["firestore operations describe"] * 2


def test_a_backup_is_copied_with_the_key_of_the_deployment() -> None:
    gcloud = google({"name": OPERATION, "done": True})
    backup = "projects/p/locations/l/backups/b1"
    from_backup(gcloud, Deployed("p", "b", "ragbase", KEY), backup, "ragbase-2", say=lambda _: None, pause=0)
    assert gcloud.options("firestore databases restore") >= {
        f"--source-backup={backup}",
        "--encryption-type=customer-managed-encryption",
        f"--kms-key-name={KEY}",
    }


@pytest.mark.parametrize(
    ("into", "reason"),
    [("ragbase", "There is a database ragbase already"), ("Ragbase_2", "cannot be called Ragbase_2")],
)
def test_a_name_that_is_taken_or_wrong_is_refused_before_anything_is_copied(into: str, reason: str) -> None:
    gcloud = google()
    with pytest.raises(SystemExit, match=reason):
        cloned(gcloud, into=into)
    assert "firestore databases clone" not in gcloud.commands()


def test_a_copy_that_fails_is_told_with_the_words_of_firestore() -> None:
    gcloud = google({"name": OPERATION, "done": True, "error": {"message": "The snapshot is too old."}})
    with pytest.raises(SystemExit, match="The snapshot is too old"):
        cloned(gcloud)
