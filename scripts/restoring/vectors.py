"""Bring back Weaviate's data from a snapshot of its disk. A snapshot can only become a new disk.

Nothing is deleted: the disk before stays beside the new one, with a last snapshot of its own, until somebody deletes
it. The VM is stopped and started, never reset: at a stop, Weaviate can save what it has
(cloud.google.com/compute/docs/instances/suspend-stop-reset-instances-overview).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import datetime

from scripts.restoring.deployed import Deployed, Disk, Gcloud

DEVICE = "weaviate"
"""The name by which the VM finds the disk (terraform/modules/weaviate/instance.tf)."""


def from_snapshot(
    gcloud: Gcloud, deployed: Deployed, snapshot: str, into: str, *, now: datetime, say: Callable[[str], None]
) -> None:
    """Let Weaviate run on a new disk from the snapshot. Returns when the VM has been started again."""
    disk = deployed.disk
    if disk is None:
        sys.exit("This environment has no VM for Weaviate. Restore a hosted Weaviate with its own backups.")
    project, zone = f"--project={deployed.project}", f"--zone={disk.zone}"
    last = f"{disk.name[:40]}-before-{now:%Y%m%d-%H%M%S}"
    say(f"Taking a last snapshot of {disk.name}: {last}.")
    gcloud(
        *("compute", "snapshots", "create", last, f"--source-disk={disk.name}", f"--source-disk-zone={disk.zone}"),
        project,
    )
    say(f"Making the disk {into} from the snapshot {snapshot}.")
    _make(gcloud, deployed, disk, snapshot, into)
    say(f"Stopping {disk.instance}, and starting it with {into}.")
    gcloud("compute", "instances", "stop", disk.instance, zone, project)
    gcloud("compute", "instances", "detach-disk", disk.instance, f"--disk={disk.name}", zone, project)
    gcloud(
        *("compute", "instances", "attach-disk", disk.instance, f"--disk={into}", f"--device-name={DEVICE}"),
        *(zone, project),
    )
    gcloud("compute", "instances", "start", disk.instance, zone, project)
    say(f"{disk.instance} runs on {into}. The disk {disk.name} is still there.")


def _make(gcloud: Gcloud, deployed: Deployed, disk: Disk, snapshot: str, into: str) -> None:
    """Make the new disk, and look whether it stands, with the same key, before the disk before is touched."""
    project, zone = f"--project={deployed.project}", f"--zone={disk.zone}"
    about = json.loads(gcloud("compute", "snapshots", "describe", snapshot, "--format=json", project))
    gib = max(disk.gib, int(about["diskSizeGb"]))
    gcloud(
        *("compute", "disks", "create", into, f"--source-snapshot={snapshot}", "--type=pd-balanced", f"--size={gib}GB"),
        *_key(deployed),
        *(zone, project),
    )
    made = json.loads(gcloud("compute", "disks", "describe", into, "--format=json", zone, project))
    key = made.get("diskEncryptionKey", {}).get("kmsKeyName", "").partition("/cryptoKeyVersions/")[0]
    if made["status"] != "READY" or key != (deployed.kms_key or ""):
        sys.exit(f"The disk {into} is not as it should be: {json.dumps(made)}. Nothing was changed on {disk.instance}.")


def _key(deployed: Deployed) -> list[str]:
    return [] if deployed.kms_key is None else [f"--kms-key={deployed.kms_key}"]
