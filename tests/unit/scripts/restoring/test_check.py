"""How far back each way leads."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from scripts.restoring.check import ways
from scripts.restoring.deployed import Deployed, Disk
from tests.unit.scripts.restoring.gcloud import Recorded

NOW = datetime(2026, 11, 27, 12, tzinfo=UTC)
DEPLOYED = Deployed("p", "b", "ragbase", disk=Disk("data", "vm", "z", 10), backups=True)


def ago(hours: float) -> str:
    """As Google writes a time."""
    return (NOW - timedelta(hours=hours)).isoformat().replace("+00:00", "Z")


def backup(hours: float, state: str = "READY", database: str = "ragbase") -> dict[str, str]:
    return {"database": f"projects/p/databases/{database}", "snapshotTime": ago(hours), "state": state}


def snapshot(hours: float, status: str = "READY", disk: str = "data") -> dict[str, str]:
    source = f"https://www.googleapis.com/compute/v1/projects/p/zones/z/disks/{disk}"
    return {"sourceDisk": source, "creationTimestamp": ago(hours), "status": status}


def closed(deployed: Deployed = DEPLOYED, **differs: Any) -> list[str]:
    """The ways that lead nowhere, where Google answers this in place of what it should."""
    answers = {
        "storage buckets describe": {"versioning": {"enabled": True}},
        "firestore databases describe": {"earliestVersionTime": ago(150)},
        "firestore backups list": [backup(60), backup(10)],
        "compute snapshots list": [snapshot(40), snapshot(8)],
    }
    answers |= {name.replace("_", " "): answer for name, answer in differs.items()}
    gcloud = Recorded({name: [answer] if name.endswith("describe") else answer for name, answer in answers.items()})
    return [way.name for way in ways(gcloud, deployed, NOW) if not way.is_open]


def test_all_ways_are_open() -> None:
    assert closed() == []


def test_what_an_environment_does_not_have_is_not_missed() -> None:
    assert closed(Deployed("p", "b", "ragbase"), firestore_backups_list=[], compute_snapshots_list=[]) == []


@pytest.mark.parametrize(
    ("differs", "name"),
    [
        ({"storage_buckets_describe": {}}, "old versions of objects"),
        ({"firestore_databases_describe": {}}, "records of each minute"),
        ({"firestore_backups_list": []}, "backups of records"),
        ({"firestore_backups_list": [backup(60)]}, "backups of records"),
        ({"firestore_backups_list": [backup(60), backup(1, "CREATING")]}, "backups of records"),
        ({"firestore_backups_list": [backup(1, database="ragbase-2")]}, "backups of records"),
        ({"compute_snapshots_list": []}, "snapshots of Weaviate's disk"),
        ({"compute_snapshots_list": [snapshot(30)]}, "snapshots of Weaviate's disk"),
        ({"compute_snapshots_list": [snapshot(1, "FAILED")]}, "snapshots of Weaviate's disk"),
        ({"compute_snapshots_list": [snapshot(1, disk="data-2")]}, "snapshots of Weaviate's disk"),
    ],
    ids=[
        "no versions",
        "no history",
        "no backup",
        "an old backup",
        "a backup that is not ready",
        "a backup of another database",
        "no snapshot",
        "an old snapshot",
        "a failed snapshot",
        "a snapshot of another disk",
    ],
)
def test_a_way_that_leads_nowhere_is_named(differs: Any, name: str) -> None:
    assert closed(**differs) == [name]
