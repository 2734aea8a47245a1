"""Measure the local cloud in trouble: how fast a burst goes on while parts are killed, and what an outage costs.

Prints one line of JSON for each measurement. All files are made up.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Mapping
from functools import partial

from scripts.bench.machine import machine
from scripts.local_cloud.burst import different_from_embedded, made_up, settled, upload_all
from scripts.local_cloud.chaos import end
from scripts.local_cloud.inside import EmbeddingServer, profile_of
from scripts.local_cloud.local_cloud import LocalCloud, NotUp
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.user import User

Figures = dict[str, object]

KILLED = ("router", "fast_lane", "heavy_lane", "router", "fast_lane", "heavy_lane")
"""In this order, in the middle of the burst."""
BATCH = 96
"""The most texts in a call of the embedder."""
PATIENCE = 1_800
"""How many seconds a measurement may wait for its files after the last start."""


def main() -> None:
    measurements: Mapping[str, Callable[[LocalCloud, User, argparse.Namespace], Figures]] = {
        "kills": measure_kills,
        "without_weaviate": partial(measure_outage, part="weaviate"),
        "without_cohere": partial(measure_outage, part="cohere"),
    }
    parser = argparse.ArgumentParser(prog="scripts/bench/faults", description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=300, help="how many files to upload at once")
    parser.add_argument("--away", type=float, default=900, metavar="SECONDS", help="how long a service is away")
    parser.add_argument("--only", choices=measurements, nargs="+", default=list(measurements), help="run only these")
    options = parser.parse_args()
    for name in options.only:
        with temporary_cloud() as (cloud, user):
            figures = measurements[name](cloud, user, options)
        print(json.dumps({"bench": f"faults {name}", **figures, "machine": machine()}), flush=True)


def measure_kills(cloud: LocalCloud, user: User, options: argparse.Namespace) -> Figures:
    """Kill the router and the lanes twice each while a burst is processed, and start each again at once."""
    files = made_up("burst", options.files, seed=1)
    began = time.monotonic()
    uploads = threading.Thread(target=upload_all, args=(user, files))
    uploads.start()
    for part in KILLED:
        time.sleep(2)
        end(cloud, part)
        cloud.up()
    started = time.monotonic()
    uploads.join()
    statuses = settled(user, files, PATIENCE)
    ended = time.monotonic()
    return {
        "files": len(files),
        "kills": len(KILLED),
        **_outcome(cloud, statuses),
        "different_from_embedded": len(different_from_embedded(cloud, files)),
        "seconds": round(ended - began, 1),
        "seconds_after_last_start": round(ended - started, 1),
        "documents_per_second": round(len(files) / (ended - began), 1),
    }


def measure_outage(cloud: LocalCloud, user: User, options: argparse.Namespace, *, part: str) -> Figures:
    """Take a service away in the middle of a burst. What is done in the end, after how long, in how many calls?"""
    server = EmbeddingServer(cloud)
    files = made_up("burst", options.files, seed=1)
    uploads = threading.Thread(target=upload_all, args=(user, files))
    uploads.start()
    time.sleep(2)
    before = server.stats()
    end(cloud, part)
    time.sleep(options.away)
    uploads.join()
    cloud.up()
    started = time.monotonic()
    statuses = settled(user, files, PATIENCE)
    after = server.stats()
    counted = {what: after[what] + (before[what] if part == "cohere" else 0) for what in ("texts", "calls")}
    return {
        "files": len(files),
        "away_seconds": options.away,
        **_outcome(cloud, statuses),
        "different_from_embedded": len(different_from_embedded(cloud, files)),
        "seconds_after_start": round(time.monotonic() - started, 1),
        **counted,
        "calls_of_fewest": round(counted["calls"] / (counted["texts"] / BATCH), 2),
    }


def _outcome(cloud: LocalCloud, statuses: Mapping[str, str]) -> Figures:
    with profile_of(cloud) as profile:
        dead_letters = len(profile.dead_letters.page(limit=1000))
    return {"completed": list(statuses.values()).count("COMPLETED"), "dead_letters": dead_letters}


if __name__ == "__main__":
    try:
        main()
    except (NotUp, Missing) as reason:
        sys.exit(str(reason))
