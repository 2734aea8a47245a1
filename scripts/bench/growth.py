"""Is an ingest as fast when the index has many documents already?

Prints one line of JSON. The documents have 2 to 3 KB, and pass through the whole pipeline with the hashing embedder, in
calls of 1,000. `ratio` is the rate of the last 1,000 to that of the first.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from scripts.bench.delete import written
from scripts.bench.machine import machine
from scripts.bench.query import given_paragraphs

PARAGRAPHS = 10
CALL = 1_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/growth", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files, which give the texts")
    parser.add_argument("--documents", type=int, default=20_000, help="how many are ingested (20,000)")
    options = parser.parse_args()
    texts = given_paragraphs(parser, options.data)
    if options.documents < CALL:
        parser.error(f"--documents {options.documents} is less than one call. Give at least {CALL}.")
    print(json.dumps({"bench": "growth", **measure(texts, options.documents), "machine": machine()}))


def measure(texts: list[str], documents: int) -> dict[str, object]:
    from ragbase import RAGEngine, load_config

    with tempfile.TemporaryDirectory() as folder:
        files = written(texts, Path(folder), documents=documents + 1, paragraphs=PARAGRAPHS)
        with RAGEngine(load_config(home=Path(folder) / "home", embedder="hashing")) as engine:
            engine.ingest(files[-1:])  # its imports
            rates = []
            for first in range(0, documents, CALL):
                call = files[first : min(first + CALL, documents)]
                start = time.perf_counter()
                result = engine.ingest(call)
                rates.append(len(call) / (time.perf_counter() - start))
                assert result["failed_files"] == [], result["errors"]
        size = sum(file.stat().st_size for file in files) / len(files)
    return {
        "documents": documents,
        "bytes_a_document": round(size),
        "documents_per_second": [round(rate, 1) for rate in rates],
        "ratio": round(rates[-1] / rates[0], 2),
    }


if __name__ == "__main__":
    main()
