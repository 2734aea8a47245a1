"""Measure a real Weaviate that holds many chunks, without and with a graph: fill, search, recall and memory.

Prints one line of JSON for each setting of `weaviate_index`. Chunks are written and searched through ragbase's adapter,
one search at a time: one by vector, one by words, and the statistics. The vectors are synthetic: topics, with a
spectrum that falls as that of texts does. A question is a vector near one chunk, with two words of it. `recall` is the
share of the ten nearest chunks by an exact comparison. `server_cpu_ms` is Weaviate's processor time of a search, to
which other work on the machine adds little. `own_mib` is Weaviate's own memory, `files_mib` the files that it has in
memory.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ragbase.adapters.weaviate.indexes import WeaviateIndexes
from ragbase.domain.chunk import Chunk, EmbeddedChunk
from ragbase.domain.identity import chunk_id, document_id
from ragbase.domain.index import index_of
from scripts.bench.machine import machine
from scripts.local_cloud.weaviate import WeaviateServer, weaviate_server

Matrix = NDArray[np.float32]

TOPICS = 3_000
SPREAD = 0.7
"""How far the chunks of a topic are from its centre, which has the length 1."""
NEAR = 0.3
"""How far a question is from its chunk."""
WORDS = 20_000
LENGTH = 60
"""Words of a chunk."""
WRITTEN = 1_000
"""Chunks of one write."""
CANDIDATES = 30
RECALLED = 10
IDLE = 0.05
"""Seconds of a processor in a second: less is nothing to do."""
IDLE_SECONDS = 5
LONGEST_REST = 300
_MODEL = "synthetic"


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/weaviate", description=__doc__.splitlines()[0])
    parser.add_argument("--chunks", type=int, default=20_000, help="how many (20,000)")
    parser.add_argument("--dimension", type=int, default=384, help="numbers of each vector (384)")
    parser.add_argument("--questions", type=int, default=300, help="how many (300)")
    parser.add_argument("--index", choices=["flat", "hnsw"], nargs="+", default=["flat", "hnsw"])
    options = parser.parse_args()
    vectors = synthetic(options.chunks, options.dimension)
    for kind in options.index:
        figures = measure(kind, vectors, options.questions)
        print(json.dumps({"bench": "weaviate", "index": kind, **figures, "machine": machine()}), flush=True)


def synthetic(chunks: int, dimension: int) -> Matrix:
    """Unit vectors around TOPICS centres. The later numbers of each are smaller."""
    random = np.random.default_rng(1)
    spectrum = (1 / np.sqrt(np.arange(1, dimension + 1))).astype(np.float32)
    centres = units(random.standard_normal((TOPICS, dimension), dtype=np.float32) * spectrum)
    vectors = np.empty((chunks, dimension), dtype=np.float32)
    for start in range(0, chunks, WRITTEN):
        size = min(WRITTEN, chunks - start)
        own = units(random.standard_normal((size, dimension), dtype=np.float32) * spectrum)
        vectors[start : start + size] = units(centres[random.integers(0, TOPICS, size)] + SPREAD * own)
    return vectors


def units(rows: Matrix) -> Matrix:
    lengths: Matrix = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


def measure(kind: str, vectors: Matrix, questions: int) -> dict[str, object]:
    """Fill an index of a new server, then ask one question at a time."""
    dimension = vectors.shape[1]
    index = index_of("bench", model=_MODEL, dimension=dimension, language="english", has_graph=kind == "hnsw")
    with weaviate_server() as server:
        # Everything else is as in a deployment; writing may take longer on one machine.
        indexes = WeaviateIndexes(server.url, grpc_url=server.grpc_url, model=_MODEL, write_seconds=600)
        try:
            indexes.ensure(index)
            store = indexes.open(index)
            started = time.perf_counter()
            texts: list[str] = []
            for batch in embedded(vectors):
                store.write(batch)
                texts += [one.chunk.text for one in batch]
            filled = time.perf_counter() - started
            rest(server)
            random = np.random.default_rng(2)
            chosen = random.integers(0, len(vectors), questions)
            noise = units(random.standard_normal((questions, dimension), dtype=np.float32))
            asked = units(vectors[chosen] + NEAR * noise)
            for vector in asked[:5]:
                store.search(vector, texts[0].split()[:2], CANDIDATES)
            times, found = [], 0
            before = cpu_seconds(server)
            for which, vector in zip(chosen, asked, strict=True):
                started = time.perf_counter()
                hits = store.search(vector, texts[which].split()[:2], CANDIDATES).hits
                times.append(1000 * (time.perf_counter() - started))
                best = np.argsort(-(vectors @ vector))[:RECALLED]
                found += len({hit.chunk.ordinal for hit in hits[:RECALLED]} & set(best.tolist()))
            cpu = cpu_seconds(server) - before
            own, files = memory_mib(server)
        finally:
            indexes.close()
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    return {
        "chunks": len(vectors),
        "dimension": dimension,
        "questions": questions,
        "fill_per_second": round(len(vectors) / filled),
        "least_ms": round(min(times), 1),
        "p50_ms": round(cuts[49], 1),
        "p99_ms": round(cuts[98], 1),
        "server_cpu_ms": round(1000 * cpu / questions, 1),
        "recall": round(found / questions / RECALLED, 4),
        "own_mib": own,
        "files_mib": files,
        "load": round(os.getloadavg()[0], 1),
    }


def embedded(vectors: Matrix) -> Iterator[Sequence[EmbeddedChunk]]:
    """The chunks, WRITTEN at a time. Few words are frequent, as in texts. A chunk's ordinal is its vector's row."""
    random = np.random.default_rng(3)
    document = document_id("bench", "synthetic.md")
    for start in range(0, len(vectors), WRITTEN):
        rows = range(start, min(start + WRITTEN, len(vectors)))
        drawn = np.minimum(random.zipf(1.3, (len(rows), LENGTH)), WORDS)
        texts = [" ".join(f"w{word}" for word in words) for words in drawn]
        yield [
            EmbeddedChunk(
                Chunk(
                    id=chunk_id(document, 1, row, "bench"),
                    document_id=document,
                    generation=1,
                    ordinal=row,
                    text=text,
                    char_start=0,
                    char_end=len(text),
                    header_path=(),
                    page=None,
                    text_hash=str(row),
                ),
                vectors[row],
                text,
            )
            for row, text in zip(rows, texts, strict=True)
        ]


def rest(server: WeaviateServer) -> None:
    """Wait until the server has nothing to do: after a fill it merges files, which slows every search. A deployment is
    seldom filled so fast."""
    ended = time.monotonic() + LONGEST_REST
    idle = 0
    while idle < IDLE_SECONDS and time.monotonic() < ended:
        before = cpu_seconds(server)
        time.sleep(1)
        idle = idle + 1 if cpu_seconds(server) - before < IDLE else 0


def cpu_seconds(server: WeaviateServer) -> float:
    """The processor time that the server has used. Linux only, as is `memory_mib`."""
    fields = _proc(server, "stat").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_mib(server: WeaviateServer) -> tuple[int, int]:
    """The server's own memory, and the files that it has in memory."""
    lines = dict(line.split(":", 1) for line in _proc(server, "status").splitlines())
    own, files = (int(lines[name].split()[0]) // 1024 for name in ("RssAnon", "RssFile"))
    return own, files


def _proc(server: WeaviateServer, name: str) -> str:
    assert server.process is not None
    return Path(f"/proc/{server.process.pid}/{name}").read_text(encoding="ascii")


if __name__ == "__main__":
    main()
