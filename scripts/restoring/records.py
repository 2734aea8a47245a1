"""Bring back the records of an earlier time.

Firestore copies them only into a database that does not exist yet (cloud.google.com/firestore/docs/backups,
cloud.google.com/firestore/docs/reference/rest/v1/projects.databases/clone). The deployment then has to switch to it
(switch.py).
"""

from __future__ import annotations

import json
import re
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime

from scripts.restoring.deployed import Deployed, Gcloud

_DATABASE = re.compile(r"[a-z][a-z0-9-]{2,61}[a-z0-9]")
_PAUSE = 10.0
"""Seconds between two looks at a copy, which takes minutes."""


def clone(
    gcloud: Gcloud,
    deployed: Deployed,
    moment: datetime,
    into: str,
    *,
    say: Callable[[str], None],
    pause: float = _PAUSE,
) -> None:
    """Copy the records as they were at `moment`, in the last 7 days. Firestore keeps one version of each minute, so it
    takes the minute before. Returns when the new database stands."""
    minute = moment.astimezone(UTC).replace(second=0, microsecond=0).isoformat().replace("+00:00", "Z")
    source = f"--source-database=projects/{deployed.project}/databases/{deployed.database}"
    say(f"Copying {deployed.database} as it was at {minute} into the new database {into}.")
    _copied(gcloud, deployed, into, ["clone", source, f"--snapshot-time={minute}"], pause)
    say(f"The database {into} stands.")


def from_backup(
    gcloud: Gcloud, deployed: Deployed, backup: str, into: str, *, say: Callable[[str], None], pause: float = _PAUSE
) -> None:
    """Copy the records of a backup, by its full name. Returns when the new database stands."""
    say(f"Copying the backup {backup.rpartition('/')[2]} into the new database {into}.")
    _copied(gcloud, deployed, into, ["restore", f"--source-backup={backup}"], pause)
    say(f"The database {into} stands.")


def _copied(gcloud: Gcloud, deployed: Deployed, into: str, how: list[str], pause: float) -> None:
    if not _DATABASE.fullmatch(into):
        sys.exit(f"A database cannot be called {into}. Take 4 to 63 lower-case letters, digits and hyphens.")
    project = f"--project={deployed.project}"
    databases = json.loads(gcloud("firestore", "databases", "list", "--format=json", project))
    if any(one["name"].endswith(f"/{into}") for one in databases):
        sys.exit(f"There is a database {into} already, and Firestore copies only into a new one. Take another name.")
    key = [] if deployed.kms_key is None else ["--encryption-type=customer-managed-encryption"]
    key += [] if deployed.kms_key is None else [f"--kms-key-name={deployed.kms_key}"]
    target = f"--destination-database={into}"
    begun = json.loads(gcloud("firestore", "databases", *how, target, *key, "--format=json", project))
    # Until the operation is done, nobody can read the new database.
    while not begun.get("done"):
        time.sleep(pause)
        about = ("firestore", "operations", "describe", begun["name"], f"--database={into}", "--format=json", project)
        begun = json.loads(gcloud(*about))
    if "error" in begun:
        sys.exit(f"Firestore did not copy the records: {begun['error'].get('message', begun['error'])}")
