"""How long does it take to delete many documents in one call?

Prints one line of JSON. The documents are three paragraphs each, ingested through the whole pipeline with the hashing
embedder. `cpu_seconds` are those of all threads: other work on the machine adds little to them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import tempfile
import time
from pathlib import Path

from scripts.bench.machine import machine
from scripts.bench.query import given_paragraphs, varied

PARAGRAPHS = 3


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/delete", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files, which give the texts")
    parser.add_argument("--documents", type=int, default=5_000, help="how many are deleted (5,000)")
    options = parser.parse_args()
    texts = given_paragraphs(parser, options.data)
    print(json.dumps({"bench": "delete", **measure(texts, options.documents), "machine": machine()}))


def measure(texts: list[str], documents: int) -> dict[str, float]:
    from ragbase import RAGEngine, load_config

    with tempfile.TemporaryDirectory() as folder:
        names = written(texts, Path(folder), documents=documents, paragraphs=PARAGRAPHS)
        with RAGEngine(load_config(home=Path(folder) / "home", embedder="hashing")) as engine:
            engine.ingest(names)
            start, cpu = time.perf_counter(), time.process_time()
            deleted = engine.delete([str(name) for name in names])["deleted_count"]
            spent, cpu = time.perf_counter() - start, time.process_time() - cpu
    return {"documents": deleted, "seconds": round(spent, 2), "cpu_seconds": round(cpu, 2)}


def written(texts: list[str], folder: Path, *, documents: int, paragraphs: int) -> list[Path]:
    """Write so many Markdown files, each with so many paragraphs. No two paragraphs are the same."""
    wanted = varied(texts)
    files = [folder / f"{number}.md" for number in range(documents)]
    for file in files:
        file.write_text("\n\n".join(itertools.islice(wanted, paragraphs)), encoding="utf-8")
    return files


if __name__ == "__main__":
    main()
