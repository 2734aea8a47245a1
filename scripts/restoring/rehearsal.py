"""Each way back, rehearsed on a local cloud: documents, a loss, the way back, and what is found in the end."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ragbase.settings import variable_of
from scripts.local_cloud.burst import Files, different_from_embedded, made_up, settled, upload_all
from scripts.local_cloud.local_cloud import LocalCloud
from scripts.local_cloud.user import User, eventually
from scripts.local_cloud.wiring import BUCKET, DEFAULT_DATABASE, PROJECT
from scripts.restoring import bucket as versions
from scripts.restoring import records as databases
from scripts.restoring import vectors as disks
from scripts.restoring.deployed import Deployed, Disk
from scripts.restoring.settle import settle

DISK = "ragbase-weaviate-data"
_BATCH = 200


class LocalGoogle:
    """What stands in for gcloud on the local cloud. It does there what Google does, as far as the emulators let it.

    - A clone or a backup of the database is read from Firestore's emulator at that time, and written into a new
      database of the emulator. The emulator has no operations, so a copy is done at once.
    - A snapshot is a copy of Weaviate's folder while Weaviate is halted for that moment, so that it has what a disk has
      when the power fails. A disk is a folder, too. To stop the VM is to end Weaviate as systemd does.

    Call it with gcloud's arguments. `calls` has all of them. `folder` keeps snapshots and disks.
    """

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


PATIENCE = 600
"""How many seconds documents may take, on a busy machine."""


@dataclass(slots=True)
class Rehearsed:
    """How a way back ended. `found` is what the last comparison found; `different` are the documents that search shows
    in another way than an embedded profile with the files that should be there."""

    procedure: str
    documents: int
    seconds: dict[str, float] = field(default_factory=dict)
    found: int = -1
    different: Sequence[str] = ()

    @contextmanager
    def timed(self, step: str) -> Iterator[None]:
        began = time.monotonic()
        yield
        self.seconds[step] = round(time.monotonic() - began, 1)


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """Ways back on one local cloud. Each begins with `count` documents of its own, and leaves the cloud in step."""

    cloud: LocalCloud
    user: User
    google: LocalGoogle
    count: int
    say: Callable[[str], None]

    def by_name(self, name: str) -> Rehearsed:
        ways: Mapping[str, Callable[[], Rehearsed]] = {
            "region": self.region,
            "bucket": self.bucket,
            "snapshot": self.snapshot,
            "reindex": self.reindex,
            "backup": lambda: self.records("backup"),
            "records": lambda: self.records("clone"),
        }
        return ways[name]()

    def records(self, how: str) -> Rehearsed:
        """All records are lost. They come back from a `clone` at a minute, or from a `backup`, while the bucket and the
        index are newer, and while jobs are on their way."""
        before = self._indexed("records", seed=1)
        moment = datetime.now(UTC)
        if how == "clone":  # Firestore keeps one version of a minute
            moment = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
            eventually(lambda: datetime.now(UTC) > moment, 90, every=0.5)
        files = self._changed_since(before, "records")
        now, into = self.cloud.settings()[variable_of("firestore_database")], f"restored-{how}"
        self.google.back_up("backups/1", now, moment)
        for one in self.google.database(now).collection("documents").stream():
            one.reference.delete()

        done = Rehearsed(f"records ({how})", len(files))
        deployed = Deployed(PROJECT, BUCKET, now)
        with done.timed("copy the database"):
            if how == "clone":
                databases.clone(self.google, deployed, moment, into, say=self.say)
            else:
                databases.from_backup(self.google, deployed, "backups/1", into, say=self.say)
        copied = self.google.database(into).collection("documents").count().get()[0][0].value
        if copied < len(before):
            raise RuntimeError(f"The copy has {copied} records of {len(before)} documents.")
        on_their_way = _documents("records/late", 5, seed=3)
        upload_all(self.user, on_their_way)
        with done.timed("switch"):
            self.cloud.use_database(into)
        return self._ended(done, {**files, **on_their_way})

    def bucket(self) -> Rehearsed:
        """Somebody overwrites some objects and deletes others."""
        bucket = self.user.bucket
        bucket.versioning_enabled = True  # as in terraform/storage.tf
        bucket.patch()
        files = self._indexed("bucket", seed=4)
        moment = datetime.now(UTC)
        self._changed_since(files, "bucket")

        done = Rehearsed("bucket", len(files))
        with done.timed("bring back"):
            for one in versions.lost(versions.versions_of(bucket, "bucket/"), moment):
                versions.bring_back(bucket, one)
        # What was uploaded since then stays. It is no part of what was lost.
        for name in self.user.documents():
            if name.startswith("bucket/new/"):
                self.user.delete(name)
        return self._ended(done, files)

    def snapshot(self) -> Rehearsed:
        """Weaviate's data are damaged. They come back from a snapshot that is older than bucket and records."""
        before = self._indexed("snapshot", seed=5)
        self.google("compute", "snapshots", "create", "scheduled", f"--source-disk={DISK}")
        files = self._changed_since(before, "snapshot")

        done = Rehearsed("vectors (snapshot)", len(files))
        deployed = Deployed(PROJECT, BUCKET, DEFAULT_DATABASE, disk=Disk(DISK, "ragbase-weaviate", "local", 1))
        with done.timed("new disk, stop, start"):
            disks.from_snapshot(self.google, deployed, "scheduled", f"{DISK}-2", now=datetime.now(UTC), say=self.say)
        return self._ended(done, files)

    def reindex(self) -> Rehearsed:
        """Weaviate's data are gone, and there is no snapshot."""
        files = self._indexed("reindex", seed=6)
        done = Rehearsed("vectors (no snapshot)", len(files))
        with done.timed("an empty Weaviate"):
            self.cloud.stop("weaviate")
            shutil.rmtree(self.cloud.data)
            self.cloud.up()
        return self._ended(done, files)

    def region(self) -> Rehearsed:
        """A new environment elsewhere, from the objects that are outside of the lost region."""
        files = _documents("region", self.count, seed=7)
        survived = self.user.bucket.client.create_bucket("survived")
        for name, file in files.items():
            survived.blob(name).upload_from_string(file.content, content_type=file.content_type)
        done = Rehearsed("region", len(files))
        with done.timed("sync"):
            self._ragbase("sync", "gs://survived", "--prefix", "", "--quiet")  # else the names change
        return self._ended(done, files)

    def _indexed(self, folder: str, *, seed: int) -> Files:
        files = _documents(folder, self.count, seed=seed)
        upload_all(self.user, files)
        self._completed(files)
        return files

    def _changed_since(self, files: Files, folder: str) -> Files:
        """A third of the files is deleted, a third is overwritten, and as many are new. All are indexed."""
        names = sorted(files)
        third = len(names) // 3
        for name in names[:third]:
            self.user.delete(name)
        other = list(_documents(f"{folder}/other", len(names), seed=8).values())
        changed = dict(zip(names[third : 2 * third], other, strict=False))
        new = _documents(f"{folder}/new", third, seed=9)
        upload_all(self.user, {**changed, **new})
        now = {**{name: files[name] for name in names[third:]}, **changed, **new}
        eventually(lambda: not set(names[:third]) & set(self.user.documents()), PATIENCE, every=0.5)
        self._completed(now)
        eventually(lambda: not different_from_embedded(self.cloud, changed), PATIENCE, every=1)
        return now

    def _completed(self, files: Files) -> None:
        """Wait until all are indexed. A loss of what was never there would prove nothing."""
        for name, status in settled(self.user, files, PATIENCE).items():
            if status != "COMPLETED":
                raise RuntimeError(f"{name} is {status} before the loss: {self.user.document(name)}")

    def _ended(self, done: Rehearsed, files: Files) -> Rehearsed:
        """Repair until reconcile finds nothing, then compare all chunks."""
        with done.timed("repair"), tempfile.TemporaryDirectory() as home:
            settings = self.cloud.settings() | {"RAGBASE_HOME": home}
            report = settle(settings, PATIENCE, say=self.say, grace=0, pause=1)
        done.found = int(report["left"])
        done.different = different_from_embedded(self.cloud, files)
        return done

    def _ragbase(self, *arguments: str) -> None:
        with tempfile.TemporaryDirectory() as home:
            command = [sys.executable, "-P", "-m", "ragbase.interfaces.cli.main", *arguments]
            environment = {**os.environ, **self.cloud.settings(), "RAGBASE_HOME": home}
            done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"ragbase {' '.join(arguments)} failed: {done.stderr[-2000:]}")


def _documents(folder: str, count: int, *, seed: int) -> Files:
    """Markdown only, so that each can be overwritten by the bytes of another."""
    files = made_up(folder, 2 * count + 10, seed=seed)
    return dict([(name, file) for name, file in files.items() if name.endswith(".md")][:count])
