"""Upload many files at once to a local cloud whose embedding server limits the inputs a minute, as Cohere does.

Somebody asks a question every second meanwhile. Prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.bench.cloud import Figures, warm
from scripts.bench.machine import machine
from scripts.local_cloud.burst import File, Files, settled, upload_all
from scripts.local_cloud.inside import EmbeddingServer, profile_of
from scripts.local_cloud.local_cloud import LocalCloud, NotUp
from scripts.local_cloud.missing_server import Missing
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.questions import Asked, asking
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.user import User

RATE = 2_000
"""Inputs a minute: Cohere's limit."""
FILES = 300
LENGTHS = (8_000, 40_000)
"""The shortest and the longest text of a file, in characters. A passage has about 800."""
PDFS = 0.1
"""The share of PDF files. They are work for another process, the heavy lane."""
_NOT_IN_PDF = re.compile(r"[^ -~]|[()\\\\]")
"""What our PDFs cannot have on a page."""
PATIENCE = 1_800
"""How many seconds the files may take."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/rate", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files")
    parser.add_argument("--rate", type=int, default=RATE, help="inputs a minute (default: %(default)s)")
    parser.add_argument("--files", type=int, default=FILES, help="how many files (default: %(default)s)")
    options = parser.parse_args()
    if not list(options.data.rglob("*.md")):
        parser.error(f"{options.data} has no Markdown files. Name a folder that has some.")
    with temporary_cloud(options.rate) as (cloud, user):
        warm(user)
        figures = measure(cloud, user, shuffled(options.data, options.files), options.rate)
    print(json.dumps({"bench": "rate", **figures, "machine": machine()}), flush=True)


def measure(cloud: LocalCloud, user: User, files: Files, rate: int) -> Figures:
    server = EmbeddingServer(cloud)
    server.reset()
    began = time.monotonic()
    with asking(user, "What was uploaded?") as asked:
        upload_all(user, files)
        statuses = settled(user, files, PATIENCE)
        seconds = time.monotonic() - began
    with profile_of(cloud) as profile:
        dead_letters = len(profile.dead_letters.page(limit=1_000))
    return {
        "rate": rate,
        "files": len(files),
        "statuses": Counter(statuses.values()),
        "dead_letters": dead_letters,
        "seconds": round(seconds, 1),
        **usage(server.stats(), server.rate(), rate),
        **answers(asked),
    }


def usage(stats: Mapping[str, Any], limit: Mapping[str, Any], rate: int) -> Figures:
    """What was made of the limit. Each whole minute counts, from the first call on."""
    minutes, refused = limit["minutes"], limit["refused"]
    queries = stats["input_types"].get("search_query", 0)
    calls = stats["calls"] - queries
    texts = sum(minutes) - (queries - refused.get("search_query", 0))
    return {
        "texts": texts,
        "minutes": minutes,
        "share_of_limit": round(sum(minutes[:-1]) / (rate * max(1, len(minutes) - 1)), 3),
        "calls": calls,
        "calls_of_fewest": round(calls / (texts / 96), 2),
        "refused_calls": refused,
    }


def answers(asked: Asked) -> Figures:
    return {
        "queries": len(asked.statuses),
        "answered": asked.answered,
        "slowest_answer_seconds": round(max(asked.seconds), 2),
    }


def shuffled(data: Path, count: int) -> Files:
    """Files of the lines of all Markdown files, in another order in each. The same data gives the same files."""
    chance = random.Random(0)
    lines = [line for file in sorted(data.rglob("*.md")) for line in file.read_text(encoding="utf-8").splitlines()]
    files = {}
    for number in range(count):
        text = _text(lines, chance.randint(*LENGTHS), chance)
        if chance.random() < PDFS:
            plain = _NOT_IN_PDF.sub(" ", text)
            pages = [plain[start : start + 3_000] for start in range(0, len(plain), 3_000)]
            files[f"rate/{number:03}.pdf"] = File(pdf(*pages), "application/pdf")
        else:
            files[f"rate/{number:03}.md"] = File(text.encode(), "text/markdown")
    return files


def _text(lines: Sequence[str], length: int, chance: random.Random) -> str:
    text = ""
    while len(text) < length:
        text += chance.choice(lines) + "\n"
    return text


if __name__ == "__main__":
    try:
        main()
    except (NotUp, Missing) as reason:
        sys.exit(str(reason))
