"""How far back each way leads now. Firestore tells nobody of a backup that it did not make: it has no metric and no log
for that. So somebody has to look, and a nightly job can."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from scripts.restoring.deployed import Deployed, Disk, Gcloud

OLDEST_BACKUP = timedelta(hours=50)
"""Firestore makes one each day (terraform/database.tf), at a time of its choice, and needs some hours."""
OLDEST_SNAPSHOT = timedelta(hours=26)
"""Compute Engine makes one every 12 hours (terraform/modules/weaviate/snapshots.tf)."""


@dataclass(frozen=True, slots=True)
class Way:
    name: str
    is_open: bool
    found: str


def ways(gcloud: Gcloud, deployed: Deployed, now: datetime) -> Iterator[Way]:
    """The state of each way back that this environment should have."""
    yield _objects(gcloud, deployed)
    yield _minutes(gcloud, deployed)
    if deployed.backups:
        yield _backups(gcloud, deployed, now)
    if deployed.disk is not None:
        yield _snapshots(gcloud, deployed, deployed.disk, now)


def _objects(gcloud: Gcloud, deployed: Deployed) -> Way:
    bucket = _json(gcloud, deployed, "storage", "buckets", "describe", f"gs://{deployed.bucket}", "--raw")
    kept = bool(bucket.get("versioning", {}).get("enabled"))
    return Way("old versions of objects", kept, "the bucket keeps them" if kept else "the bucket keeps none")


def _minutes(gcloud: Gcloud, deployed: Deployed) -> Way:
    database = _json(gcloud, deployed, "firestore", "databases", "describe", f"--database={deployed.database}")
    earliest = database.get("earliestVersionTime")
    return Way("records of each minute", earliest is not None, f"since {earliest or 'no time'}")


def _backups(gcloud: Gcloud, deployed: Deployed, now: datetime) -> Way:
    place = f"projects/{deployed.project}/databases/{deployed.database}"
    listed = _json(gcloud, deployed, "firestore", "backups", "list")
    times = [one["snapshotTime"] for one in listed if one["database"] == place and one["state"] == "READY"]
    return _newest("backups of records", times, OLDEST_BACKUP, now)


def _snapshots(gcloud: Gcloud, deployed: Deployed, disk: Disk, now: datetime) -> Way:
    place = f"/zones/{disk.zone}/disks/{disk.name}"
    listed = _json(gcloud, deployed, "compute", "snapshots", "list")
    times = [
        one["creationTimestamp"]
        for one in listed
        if one.get("sourceDisk", "").endswith(place) and one["status"] == "READY"
    ]
    return _newest("snapshots of Weaviate's disk", times, OLDEST_SNAPSHOT, now)


def _newest(name: str, times: Iterable[str], oldest: timedelta, now: datetime) -> Way:
    known = sorted(map(datetime.fromisoformat, times))
    if not known:
        return Way(name, False, "there is none")
    found = f"{len(known)}, the newest of {known[-1].isoformat(timespec='minutes')}"
    return Way(name, now - known[-1] <= oldest, found)


def _json(gcloud: Gcloud, deployed: Deployed, *command: str) -> Any:
    answer: Mapping[str, Any] = json.loads(gcloud(*command, "--format=json", f"--project={deployed.project}"))
    return answer
