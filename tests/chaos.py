"""Kill processes of the local cloud at random while files come in. Is everything right in the end?

It kills functions, Weaviate and the embedding server (kill -9) and starts them again. Each service is also down for a
while. The emulators are only stopped for that time, because they keep their data in memory; the other services are
killed. Then it replays the dead letters, as an operator would. In the end `reconcile` must find nothing, and every file
must have the same chunks as in the embedded profile. Prints one line of JSON. The exit code is 1 if anything is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from click.testing import CliRunner

from ragbase.interfaces.cli.application import application
from scripts.bench.machine import machine
from scripts.local_cloud.burst import Files, different_from_embedded, made_up, settled, upload_all
from scripts.local_cloud.local_cloud import LocalCloud, NotUp
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.user import User, eventually

KILLED = ("router", "fast_lane", "heavy_lane", "dead_letter", "janitor", "api", "weaviate", "cohere")
AWAY = ("weaviate", "cohere", "storage", "pubsub", "firestore")
IN_MEMORY = ("storage", "pubsub", "firestore")
"""These keep their data in memory. They are stopped (SIGSTOP), not killed."""
PAUSE = 3.0
"""Average number of seconds between two kills."""
BATCHES = 10
"""How many batches the files come in, spread over the kills."""
PATIENCE = 1_500
"""How many seconds to wait for all files: a lease runs for 2 minutes, and the queue's backoff doubles each time."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/chaos", description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=200, help="how many files to upload")
    parser.add_argument("--kills", type=int, default=30, help="how many processes to kill")
    parser.add_argument("--away", type=float, default=60, metavar="SECONDS", help="how long each service is down")
    parser.add_argument("--seed", type=int, default=0, help="the same seed gives the same files and the same kills")
    options = parser.parse_args()
    files = made_up("chaos", options.files, seed=options.seed)
    with temporary_cloud() as (cloud, user):
        began = time.monotonic()
        trouble(cloud, user, files, options)
        figures = outcome(cloud, user, files)
        figures["seconds"] = round(time.monotonic() - began, 1)
    given = {"files": len(files), "kills": options.kills, "away_seconds": options.away, "seed": options.seed}
    print(json.dumps({"chaos": "cloud", **given, **figures, "machine": machine()}))
    right = figures["completed"] == len(files) and not figures["different_from_embedded"]
    sys.exit(0 if right and figures["reconcile_exit"] == 0 else 1)


def trouble(cloud: LocalCloud, user: User, files: Files, options: argparse.Namespace) -> None:
    """Kill and stop parts while uploads go on. When the bucket is down, Google's client repeats the upload."""
    chance = random.Random(options.seed)
    names = list(files)
    batches = [names[start::BATCHES] for start in range(BATCHES)]
    steps: list[Callable[[], None]] = [lambda: kill(cloud, chance.choice(KILLED)) for _ in range(options.kills)]
    steps += [lambda part=part: away(cloud, part, options.away) for part in AWAY]  # type: ignore[misc]  # mypy cannot type the default
    chance.shuffle(steps)
    uploads: list[threading.Thread] = []
    for number, step in enumerate(steps):
        if number % max(1, len(steps) // BATCHES) == 0 and batches:
            batch = batches.pop()
            uploads.append(threading.Thread(target=upload_all, args=(user, {name: files[name] for name in batch})))
            uploads[-1].start()
        time.sleep(chance.uniform(0, 2 * PAUSE))
        step()
    for batch in batches:
        upload_all(user, {name: files[name] for name in batch})
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
    print(f"{part} is down", file=sys.stderr)
    if part in IN_MEMORY:
        with stopped(pid_of(cloud, part)):
            time.sleep(seconds)
    else:
        end(cloud, part)
        time.sleep(seconds)
        cloud.up()


@contextmanager
def stopped(pid: int) -> Iterator[None]:
    os.killpg(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.killpg(pid, signal.SIGCONT)


def pid_of(cloud: LocalCloud, part: str) -> int:
    (pid,) = (status.pid for status in cloud.status() if status.name == part and status.pid)
    return pid


def outcome(cloud: LocalCloud, user: User, files: Files) -> dict[str, Any]:
    undeliverable = list(settled(user, files, PATIENCE).values()).count("FAILED")
    if undeliverable:
        ragbase(cloud, "dead-letters", "replay", "--all", "--no-wait")
    statuses = settled(user, files, PATIENCE)
    code, report = ragbase(cloud, "reconcile", "--grace", "0")
    return {
        "given_up_and_replayed": undeliverable,
        "completed": list(statuses.values()).count("COMPLETED"),
        "different_from_embedded": len(different_from_embedded(cloud, files)),
        "reconcile_exit": code,
        "reconcile": {
            kind: report[kind] for kind in ("inStep", "inMotion", "missing", "stale", "orphaned", "stuck", "unlabelled")
        },
    }


def ragbase(cloud: LocalCloud, *arguments: str) -> tuple[int, Any]:
    done = CliRunner().invoke(application, [*arguments, "--json"], env=cloud.settings(), catch_exceptions=False)
    return done.exit_code, json.loads(done.stdout or "null")


if __name__ == "__main__":
    try:
        main()
    except (NotUp, Missing) as reason:
        sys.exit(str(reason))
