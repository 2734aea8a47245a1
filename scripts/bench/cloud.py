"""Measure the local cloud: how soon search finds a new file, how many files it handles, and how fast it answers.

Prints one line of JSON for each measurement. Times are in milliseconds unless their name says something else.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from scripts.bench.harness import Bench, Figures, percentile, timed
from scripts.local_cloud.burst import File, different_from_embedded, of_folder, settled, upload_all
from scripts.local_cloud.inside import EmbeddingServer, profile_of
from scripts.local_cloud.local_cloud import LocalCloud, NotUp
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.user import User, eventually

PATIENCE = 900
"""How many seconds a measurement may wait for its files."""


def main() -> None:
    measurements: Mapping[str, Callable[[LocalCloud, User, Namespace], Figures]] = {
        "upload": measure_upload,
        "burst": measure_burst,
        "calls": measure_calls,
        "query": measure_query,
    }
    bench = Bench("cloud", __doc__, data="a folder of Markdown files")
    bench.add_argument("--only", choices=measurements, nargs="+", default=list(measurements), help="run only these")
    bench.number("--uploads", 100, "files that are uploaded one after the other")
    bench.number("--passages", 10_000, "that are searched")
    bench.number("--queries", 200)
    options = bench.parse_args()
    bench.files(options.data, "*.md", "Markdown files")
    for name in options.only:
        with temporary_cloud() as (cloud, user):
            warm(user)
            figures = measurements[name](cloud, user, options)
        bench.say(figures, of=name)


def warm(user: User) -> None:
    """Send a first request to each function, because it loads its clients then."""
    user.upload("warm.md", "# Warm\n\nThe first document makes every function load what it needs.\n")
    user.settled("warm.md")
    user.ask("Which document is the first?")


def measure_upload(cloud: LocalCloud, user: User, options: Namespace) -> Figures:
    """Upload files of 10 KB, one after another. Measure from the start of the upload until search finds the file."""
    files: list[Path] = sorted(options.data.rglob("*.md"))
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    times = []
    for number in range(options.uploads):
        word = f"zebra{number}q"
        name = f"upload/{number}.md"
        content = f"# About {word}\n\nThis text is about the {word}.\n\n{text[number * 10_000 : (number + 1) * 10_000]}"
        started = time.perf_counter()
        user.upload(name, content)
        eventually(partial(finds, user, word, name), every=0.01)
        times.append(time.perf_counter() - started)
    return {"files": options.uploads, **milliseconds(times)}


def finds(user: User, word: str, name: str) -> bool:
    """With threshold 0: the server's vectors know words only, and a threshold for its model's name is a guess."""
    return any(one["filename"] == name for one in user.ask(f"Where is {word}?", 5, threshold=0))


def measure_burst(cloud: LocalCloud, user: User, options: Namespace) -> Figures:
    files = of_folder(options.data, "burst")
    started = time.perf_counter()
    upload_all(user, files)
    uploaded = time.perf_counter() - started
    statuses = settled(user, files, PATIENCE)
    seconds = time.perf_counter() - started
    return {
        "files": len(files),
        "completed": list(statuses.values()).count("COMPLETED"),
        "different_from_embedded": len(different_from_embedded(cloud, files)),
        "upload_seconds": round(uploaded, 1),
        "seconds": round(seconds, 1),
        "documents_per_second": round(len(files) / seconds, 1),
    }


def measure_calls(cloud: LocalCloud, user: User, options: Namespace) -> Figures:
    """Compare the number of embedding calls, with 16 documents at a time, with the smallest possible number."""
    server = EmbeddingServer(cloud)
    server.reset()
    files = of_folder(options.data, "calls")
    upload_all(user, files)
    settled(user, files, PATIENCE)
    stats = server.stats()
    fewest = stats["texts"] / 96
    return {
        "texts": stats["texts"],
        "calls": stats["calls"],
        "calls_of_fewest": round(stats["calls"] / fewest, 2),
        "largest": stats["largest"],
    }


def measure_query(cloud: LocalCloud, user: User, options: Namespace) -> Figures:
    """Ask questions about so many passages of real words. Report the cost of the embedding call on its own."""
    files = scrambled(of_folder(options.data, "query"), options.passages)
    upload_all(user, files)
    settled(user, files, PATIENCE)
    passages = sum(document.get("chunkCount", 0) for document in user.documents().values())
    words = " ".join(file.content.decode() for file in list(files.values())[:40]).split()
    chance = random.Random(0)
    questions = [" ".join(chance.choices(words, k=8)) for _ in range(options.queries)]
    for question in questions[:20]:
        user.query(question, 5)
    with profile_of(cloud) as profile:
        profile.embedder.embed_query("ready")
        calls = [timed(profile.embedder.embed_query, question)[0] for question in questions]
    times = [timed(user.query, question, 5)[0] for question in questions]
    embedding = statistics.median(calls)
    return {
        "passages": passages,
        "queries": options.queries,
        **milliseconds(times),
        "embedding_p50": round(1000 * embedding, 1),
        "p50_beyond_embedding": round(1000 * (statistics.median(times) - embedding), 1),
        "p99_beyond_embedding": round(milliseconds(times)["p99"] - 1000 * embedding, 1),
    }


def scrambled(files: Mapping[str, File], passages: int) -> dict[str, File]:
    """Copies of the files, each with its lines in another order. Together they have about this many passages."""
    chance = random.Random(0)
    wanted = passages * 800  # characters: a passage has about 800
    made: dict[str, File] = {}
    while wanted > 0:
        for name, file in files.items():
            lines = file.content.decode().splitlines()
            chance.shuffle(lines)
            content = "\n".join(lines).encode()
            made[f"{len(made)}/{name}"] = File(content, file.content_type)
            wanted -= len(content)
            if wanted <= 0:
                break
    return made


def milliseconds(seconds: Sequence[float]) -> Figures:
    times = [1000 * one for one in seconds]
    return {"p50": percentile(times, 50), "p99": percentile(times, 99), "max": round(max(times), 1)}


if __name__ == "__main__":
    try:
        main()
    except (NotUp, Missing) as reason:
        sys.exit(str(reason))
