"""The disk before is only touched when its replacement stands, and never deleted."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from scripts.restoring.deployed import Deployed, Disk
from scripts.restoring.vectors import from_snapshot
from tests.unit.scripts.restoring.gcloud import Recorded

KEY = "projects/p/locations/l/keyRings/r/cryptoKeys/k"
DISK = Disk("ragbase-weaviate-data", "ragbase-weaviate", "europe-west1-b", 100)
ORDER = [
    "compute snapshots create",
    "compute snapshots describe",
    "compute disks create",
    "compute disks describe",
    "compute instances stop",
    "compute instances detach-disk",
    "compute instances attach-disk",
    "compute instances start",
]


def restored(status: str = "READY", made_with: str = "", *, key: str | None = None, gib: int = 100) -> Recorded:
    made = {"status": status} | ({"diskEncryptionKey": {"kmsKeyName": made_with}} if made_with else {})
    gcloud = Recorded({"compute snapshots describe": [{"diskSizeGb": str(gib)}], "compute disks describe": [made]})
    deployed = Deployed("p", "b", "ragbase", key, DISK)
    now = datetime(2026, 11, 27, 3, 0, tzinfo=UTC)
    try:
        from_snapshot(gcloud, deployed, "snap", "data-2", now=now, say=lambda _: None)
    except SystemExit:
        assert "compute instances stop" not in gcloud.commands()
        raise
    return gcloud


def test_the_new_disk_stands_before_the_vm_stops_and_nothing_is_deleted_or_reset() -> None:
    gcloud = restored()
    assert gcloud.commands() == ORDER
    assert "--device-name=weaviate" in gcloud.options("compute instances attach-disk")
    assert "--disk=ragbase-weaviate-data" in gcloud.options("compute instances detach-disk")


def test_the_new_disk_has_the_key_of_the_one_before() -> None:
    gcloud = restored(made_with=f"{KEY}/cryptoKeyVersions/3", key=KEY)
    assert f"--kms-key={KEY}" in gcloud.options("compute disks create")


def test_the_new_disk_is_as_large_as_the_settings_and_the_snapshot_ask_for() -> None:
    assert "--size=100GB" in restored(gib=50).options("compute disks create")
    assert "--size=200GB" in restored(gib=200).options("compute disks create")


@pytest.mark.parametrize(
    ("status", "made_with", "key"),
    [("FAILED", "", None), ("RESTORING", "", None), ("READY", "", KEY), ("READY", f"{KEY}-2/cryptoKeyVersions/1", KEY)],
    ids=["failed", "not yet there", "without its key", "with another key"],
)
def test_a_disk_that_is_not_as_it_should_be_stops_nothing(status: str, made_with: str, key: str | None) -> None:
    with pytest.raises(SystemExit, match="Nothing was changed on ragbase-weaviate"):
        restored(status, made_with, key=key)
