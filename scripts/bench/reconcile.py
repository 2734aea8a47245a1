"""Measure the time and the memory of `reconcile` with 10,000 documents, and with a tenth of them. Linux only.

Prints one line of JSON. The bench writes the documents directly, in the state in which the pipeline leaves them.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from datetime import timedelta
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine

if TYPE_CHECKING:
    from ragbase.domain.document import Document, IndexedGeneration

CHUNKS = 8
"""How many chunks each document has: about 8,000 characters."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/reconcile", description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=10_000)
    options = parser.parse_args()
    many, few = options.documents, max(1, options.documents // 10)
    with tempfile.TemporaryDirectory() as folder:
        figures = {}
        for documents in (few, many):
            home = str(Path(folder) / str(documents))
            isolated(fill, home, documents)
            figures[documents] = isolated(measure, home, documents)
    print(
        json.dumps(
            {
                "bench": "reconcile",
                "documents": many,
                "chunks": many * CHUNKS,
                "seconds": round(figures[many]["seconds"], 2),
                "seconds_of_a_tenth": round(figures[few]["seconds"], 2),
                "memory_mib": figures[many]["memory_mib"],
                "memory_mib_of_a_tenth": figures[few]["memory_mib"],
                "machine": machine(),
            }
        )
    )


def fill(home: str, documents: int, chunks_of_each: int = CHUNKS) -> Figures:
    """Fill a data folder with documents: an object, a record and chunks for each."""
    import numpy as np

    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config
    from ragbase.domain.chunk import Chunk, EmbeddedChunk
    from ragbase.domain.document import IndexedGeneration
    from ragbase.domain.identity import chunk_id, document_id, text_hash
    from ragbase.domain.object_event import EventKind
    from ragbase.pipeline.route import route

    profile = open_profile(load_config(home=Path(home), embedder="hashing"))
    profile.bucket  # noqa: B018 - this creates its folder
    index = profile.open_index()
    vector = np.eye(1, index.embedder.dimension, dtype=np.float32)[0]
    text = "A passage of a thousand characters or so, as long as most chunks are. " * 14
    for number in range(documents):
        stored = profile.bucket.put(f"{number % 100:02}/{number:06}.md", b"text")
        route(stored.event(EventKind.FINALISED), profile)
        id = document_id(stored.bucket, stored.name)
        chunks = [
            Chunk(
                id=chunk_id(id, stored.generation, ordinal, "bench"),
                document_id=id,
                generation=stored.generation,
                ordinal=ordinal,
                text=text,
                char_start=0,
                char_end=len(text),
                header_path=(),
                page=None,
                text_hash=text_hash(f"{number} {ordinal}"),
            )
            for ordinal in range(chunks_of_each)
        ]
        index.vectors().write([EmbeddedChunk(chunk, vector, "passage characters chunks") for chunk in chunks])
        active = IndexedGeneration(
            generation=stored.generation,
            chunk_count=chunks_of_each,
            md5=stored.md5,
            fingerprint="bench",
            text_length=len(text),
            index_name=index.index.name,
        )
        profile.documents.update(id, partial(completed, active))
    profile.close()
    return {}


def completed(active: IndexedGeneration, record: Document | None) -> Document | None:
    from dataclasses import replace

    from ragbase.domain.document import Status

    assert record is not None
    return replace(record, status=Status.COMPLETED, active=active)


def measure(home: str, documents: int) -> Figures:
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config
    from ragbase.upkeep.reconcile.reconcile import reconcile
    from ragbase.upkeep.reconcile.report import Report

    profile = open_profile(load_config(home=Path(home), embedder="hashing"))
    index, report = profile.open_index(), Report()
    start, memory = perf_counter(), memory_mib()
    for progress in reconcile(profile, index, grace=timedelta(0)):
        report.add(progress)
        memory = max(memory, memory_mib())
    seconds = perf_counter() - start
    profile.close()
    assert (report.in_step, report.found.total()) == (documents, 0), report
    return {"seconds": seconds, "memory_mib": memory}


def memory_mib() -> float:
    """How much memory the process uses now, without the file pages that it has mapped: those are only a cache."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    kib = next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))
    return round(kib / 1024, 1)


if __name__ == "__main__":
    main()
