"""Kill processes of the local cloud at random while files come in, let each service be away, and compare the end.

Functions, Weaviate and the embedding server are killed (kill -9) and started again; every service is away for a while:
those that keep their state in memory alone (the emulators) stand still, the others are dead. What was given up is then
replayed, as an operator would. At last `reconcile` has to find nothing, and every file must have the chunks that the
embedded profile makes of it. Prints one line of JSON; the exit code is 1 where anything is not as it should be.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from ragbase.interfaces.cli.application import application
from scripts.bench.machine import machine
from tests.e2e.burst import Files, embedded, made_up, settled, upload_all
from tests.e2e.cloud_inside import Index, profile_of
from tests.e2e.cloud_user import User, eventually, user_of
from tests.servers.local_cloud import LocalCloud

KILLED = ("router", "fast_lane", "heavy_lane", "dead_letter", "janitor", "api", "weaviate", "cohere")
AWAY = ("weaviate", "cohere", "storage", "pubsub", "firestore")
KEEPS_NOTHING = ("storage", "pubsub", "firestore")
"""Their state is in memory: they are stopped in their tracks, not killed."""
PAUSE = 3.0
"""Seconds between two kills, on average."""
LOTS = 10
"""The files come in so many lots, spread over the kills."""
PATIENCE = 1_500
"""Seconds for everything to settle: a lease of 2 minutes has to run out, and the queue's backoff doubles."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=200)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--away", type=float, default=60, metavar="SECONDS", help="how long each service is away")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    files = made_up("chaos", options.files, seed=options.seed)
    with tempfile.TemporaryDirectory() as folder:
        cloud = LocalCloud(Path(folder))
        try:
            cloud.up("hashing")
            with user_of(cloud) as user:
                began = time.monotonic()
                trouble(cloud, user, files, options)
                figures = the_end(cloud, user, files)
                figures["seconds"] = round(time.monotonic() - began, 1)
        finally:
            cloud.down()
    told = {"files": len(files), "kills": options.kills, "away_seconds": options.away, "seed": options.seed, **figures}
    print(json.dumps({"chaos": "cloud", **told, "machine": machine()}))
    right = figures["completed"] == len(files) and not figures["different_from_embedded"]
    sys.exit(0 if right and figures["reconcile_exit"] == 0 else 1)


def trouble(cloud: LocalCloud, user: User, files: Files, options: argparse.Namespace) -> None:
    """Uploads go on all the while; what cannot be uploaded because the bucket is away is tried again by the client."""
    chance = random.Random(options.seed)
    names = list(files)
    lots = [names[start::LOTS] for start in range(LOTS)]
    steps: list[Callable[[], None]] = [lambda: kill(cloud, chance.choice(KILLED)) for _ in range(options.kills)]
    steps += [lambda part=part: away(cloud, part, options.away) for part in AWAY]  # type: ignore[misc]  # mypy cannot type the default
    chance.shuffle(steps)
    uploads: list[threading.Thread] = []
    for number, step in enumerate(steps):
        if number % max(1, len(steps) // LOTS) == 0 and lots:
            lot = lots.pop()
            uploads.append(threading.Thread(target=upload_all, args=(user, {name: files[name] for name in lot})))
            uploads[-1].start()
        time.sleep(chance.uniform(0, 2 * PAUSE))
        step()
    for lot in lots:
        upload_all(user, {name: files[name] for name in lot})
    for upload in uploads:
        upload.join()


def kill(cloud: LocalCloud, part: str) -> None:
    end(cloud, part)
    print(f"killed {part}", file=sys.stderr)
    cloud.up()


def end(cloud: LocalCloud, part: str) -> None:
    os.killpg(pid_of(cloud, part), signal.SIGKILL)
    eventually(lambda: [one for one in cloud.status() if (one.name, one.health) == (part, "stopped")])


def away(cloud: LocalCloud, part: str, seconds: float) -> None:
    print(f"{part} is away", file=sys.stderr)
    if part in KEEPS_NOTHING:
        with standing_still(pid_of(cloud, part)):
            time.sleep(seconds)
    else:
        end(cloud, part)
        time.sleep(seconds)
        cloud.up()


@contextmanager
def standing_still(pid: int) -> Iterator[None]:
    os.killpg(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(pid, signal.SIGCONT)


def pid_of(cloud: LocalCloud, part: str) -> int:
    (pid,) = (status.pid for status in cloud.status() if status.name == part and status.pid)
    return pid


def the_end(cloud: LocalCloud, user: User, files: Files) -> dict[str, Any]:
    given_up = list(settled(user, files, PATIENCE).values()).count("FAILED")
    if given_up:
        ragbase(cloud, "dead-letters", "replay", "--all", "--no-wait")
    statuses = settled(user, files, PATIENCE)
    code, report = ragbase(cloud, "reconcile", "--grace", "0")
    with (
        tempfile.TemporaryDirectory() as home,
        profile_of(cloud) as profile,
        embedded(files, profile.bucket.name, Path(home)) as reference,
    ):
        here = Index(profile)
        different = [name for name in files if here.shown(name) != reference.shown(name)]
    return {
        "given_up_and_replayed": given_up,
        "completed": list(statuses.values()).count("COMPLETED"),
        "different_from_embedded": len(different),
        "reconcile_exit": code,
        "reconcile": {kind: report[kind] for kind in ("inStep", "inMotion", "missing", "stale", "orphaned", "stuck")},
    }


def ragbase(cloud: LocalCloud, *arguments: str) -> tuple[int, Any]:
    done = CliRunner().invoke(application, [*arguments, "--json"], env=cloud.settings(), catch_exceptions=False)
    return done.exit_code, json.loads(done.stdout or "null")


if __name__ == "__main__":
    main()
