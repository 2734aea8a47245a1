"""What stands in for gcloud on the local cloud. It does there what Google does, as far as the emulators let it.

- A clone or a backup of the database is read from Firestore's emulator at that time, and written into a new database of
  the emulator. The emulator has no operations, so a copy is done at once.
- A snapshot is a copy of Weaviate's folder while Weaviate is halted for that moment, so that it has what a disk has
  when the power fails. A disk is a folder, too. To stop the VM is to end Weaviate as systemd does.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.wiring import DEFAULT_DATABASE, PROJECT

DISK = "ragbase-weaviate-data"
_BATCH = 200


class LocalGoogle:
    """Call it with gcloud's arguments. `calls` has all of them. `folder` keeps snapshots and disks."""

    def __init__(self, cloud: LocalCloud, folder: Path) -> None:
        self._cloud = cloud
        self._folder = folder
        self._databases = [DEFAULT_DATABASE]
        self._backups: dict[str, tuple[str, datetime]] = {}
        self.calls: list[Sequence[str]] = []

    def __call__(self, *arguments: str) -> str:
        self.calls.append(arguments)
        words = [one for one in arguments if not one.startswith("--")]
        options = dict(one.removeprefix("--").partition("=")[::2] for one in arguments if one.startswith("--"))
        known: Mapping[str, Callable[[Sequence[str], Mapping[str, str]], object]] = {
            "firestore databases list": lambda _, __: [{"name": f"{_PLACE}/{one}"} for one in self._databases],
            "firestore databases clone": self._clone,
            "firestore databases restore": self._restore,
            "compute snapshots create": self._snapshot,
            "compute snapshots describe": lambda _, __: {"diskSizeGb": "1"},
            "compute disks create": self._disk,
            "compute disks describe": lambda words, _: {"status": "READY" if self._is_there(words[0]) else "FAILED"},
            "compute instances stop": lambda _, __: self._cloud.stop("weaviate"),
            "compute instances detach-disk": self._detach,
            "compute instances attach-disk": self._attach,
            "compute instances start": lambda _, __: self._cloud.up(),
        }
        return json.dumps(known[" ".join(words[:3])](words[3:], options))

    def back_up(self, name: str, database: str, moment: datetime) -> None:
        """A backup of a database, as Firestore makes one each day."""
        self._backups[name] = database, moment

    def _clone(self, _: Sequence[str], options: Mapping[str, str]) -> object:
        source = options["source-database"].rpartition("/")[2]
        return self._copy(source, datetime.fromisoformat(options["snapshot-time"]), options["destination-database"])

    def _restore(self, _: Sequence[str], options: Mapping[str, str]) -> object:
        return self._copy(*self._backups[options["source-backup"]], options["destination-database"])

    def _copy(self, source: str, moment: datetime, into: str) -> object:
        there, here = self.database(source), self.database(into)
        for collection in there.collections(read_time=moment):
            documents = [one for one in collection.stream(read_time=moment) if one.exists]
            for first in range(0, len(documents), _BATCH):
                batch = here.batch()
                for one in documents[first : first + _BATCH]:
                    batch.set(here.document(one.reference.path), one.to_dict())
                batch.commit()
        self._databases.append(into)
        return {"name": f"{_PLACE}/{into}/operations/1", "done": True}

    def database(self, name: str) -> Any:
        """A client of one of the emulator's databases."""
        from google.cloud.firestore import Client

        os.environ["FIRESTORE_EMULATOR_HOST"] = self._cloud.settings()["FIRESTORE_EMULATOR_HOST"]
        return Client(project=PROJECT, database=name)

    def _snapshot(self, words: Sequence[str], options: Mapping[str, str]) -> None:
        (weaviate,) = (part.pid for part in self._cloud.status() if part.name == "weaviate")
        if weaviate:
            os.kill(weaviate, signal.SIGSTOP)
        try:
            shutil.copytree(self._cloud.data, self._folder / words[0])
        finally:
            if weaviate:
                os.kill(weaviate, signal.SIGCONT)

    def _disk(self, words: Sequence[str], options: Mapping[str, str]) -> None:
        shutil.copytree(self._folder / options["source-snapshot"], self._folder / words[0])

    def _is_there(self, disk: str) -> bool:
        return (self._folder / disk).is_dir()

    def _detach(self, _: Sequence[str], options: Mapping[str, str]) -> None:
        self._cloud.data.rename(self._folder / options["disk"])

    def _attach(self, _: Sequence[str], options: Mapping[str, str]) -> None:
        (self._folder / options["disk"]).rename(self._cloud.data)


_PLACE = f"projects/{PROJECT}/databases"
