"""What servers make of many files and chunks: an embedding service with a limit, and a real Weaviate."""

from __future__ import annotations

import argparse
import random
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragbase.adapters.weaviate.indexes import WeaviateIndexes
from ragbase.domain.chunk import EmbeddedChunk, Passage
from ragbase.domain.identity import document_id
from ragbase.domain.index import index_of
from ragbase.pipeline.make_chunks import chunk_of
from scripts.bench.cloud import warm
from scripts.bench.harness import Figures, cpu_seconds, load, memory_mib, percentile
from scripts.local_cloud.burst import File, Files, settled, upload_all
from scripts.local_cloud.inside import EmbeddingServer, profile_of
from scripts.local_cloud.pdf import pdf
from scripts.local_cloud.questions import asking
from scripts.local_cloud.temporary_cloud import temporary_cloud
from scripts.local_cloud.weaviate import weaviate_server

Matrix = NDArray[np.float32]

LENGTHS = (8_000, 40_000)
"""The shortest and the longest text of a file, in characters. A passage has about 800."""
PDFS = 0.1
"""The share of PDF files. They are work for another process, the heavy lane."""
_NOT_IN_PDF = re.compile(r"[^ -~]|[()\\\\]")
"""What our PDFs cannot have on a page."""
PATIENCE = 1_800
"""How many seconds the files may take."""
TOPICS = 3_000
SPREAD = 0.7
"""How far the chunks of a topic are from its centre, which has the length 1."""
NEAR = 0.3
"""How far a question is from its chunk."""
WORDS, LENGTH = 20_000, 60
"""How many words there are, and how many a chunk has."""
WRITTEN = 1_000
"""Chunks of one write."""
CANDIDATES, RECALLED = 30, 10
IDLE = 0.05
"""Seconds of a processor in a second: less is nothing to do."""
IDLE_SECONDS, LONGEST_REST = 5, 300
_MODEL = "synthetic"


def rate(sizes: argparse.Namespace, texts: Sequence[str]) -> Iterator[Figures]:
    """Files to a local cloud whose embedding server takes --rate inputs a minute: how much of that is used?

    Somebody asks a question every second meanwhile.
    """
    files = _shuffled(texts, sizes.files)
    with temporary_cloud(sizes.rate) as (cloud, user):
        warm(user)
        server = EmbeddingServer(cloud)
        server.reset()
        began = time.monotonic()
        with asking(user, "What was uploaded?") as asked:
            upload_all(user, files)
            statuses = settled(user, files, PATIENCE)
            seconds = time.monotonic() - began
        with profile_of(cloud) as profile:
            dead_letters = len(profile.dead_letters.page(limit=1_000))
        yield {
            "rate": sizes.rate,
            "files": len(files),
            "statuses": Counter(statuses.values()),
            "dead_letters": dead_letters,
            "seconds": round(seconds, 1),
            **_usage(server.stats(), server.rate(), sizes.rate),
            "queries": len(asked.statuses),
            "answered": asked.answered,
            "slowest_answer_seconds": round(max(asked.seconds, default=0.0), 2),
        }


def _usage(stats: Mapping[str, Any], limit: Mapping[str, Any], rate: int) -> Figures:
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


def _shuffled(texts: Sequence[str], count: int) -> Files:
    """Files of the lines of all texts, in another order in each. The same texts give the same files."""
    chance, lines, files = random.Random(0), "\n".join(texts).splitlines(), dict[str, File]()
    for number in range(count):
        text, length = "", chance.randint(*LENGTHS)
        while len(text) < length:
            text += chance.choice(lines) + "\n"
        if chance.random() < PDFS:
            plain = _NOT_IN_PDF.sub(" ", text)
            pages = [plain[start : start + 3_000] for start in range(0, len(plain), 3_000)]
            files[f"rate/{number:03}.pdf"] = File(pdf(*pages), "application/pdf")
        else:
            files[f"rate/{number:03}.md"] = File(text.encode(), "text/markdown")
    return files


def weaviate(sizes: argparse.Namespace, _: Sequence[str]) -> Iterator[Figures]:
    """A real Weaviate that holds many chunks, `flat` and `hnsw`: fill, search, recall and memory.

    Chunks are written and searched through ragbase's adapter, one search at a time: one by vector, one by words, and
    the statistics. The vectors are synthetic: topics, with a spectrum that falls as that of texts does. A question is a
    vector near one chunk, with two words of it. `recall` is the share of the ten nearest chunks by an exact comparison.
    `server_cpu_ms` is Weaviate's processor time of a search, to which other work on the machine adds little. `own_mib`
    is Weaviate's own memory, `files_mib` the files that it has in memory.
    """
    vectors = _synthetic(sizes.chunks, sizes.dimension)
    for kind in ("flat", "hnsw"):
        yield {"index": kind, **_filled_and_asked(vectors, sizes.questions, has_graph=kind == "hnsw"), "load": load()}


def _synthetic(chunks: int, dimension: int) -> Matrix:
    """Unit vectors around TOPICS centres. The later numbers of each are smaller."""
    random = np.random.default_rng(1)
    spectrum = (1 / np.sqrt(np.arange(1, dimension + 1))).astype(np.float32)
    centres = _units(random.standard_normal((TOPICS, dimension), dtype=np.float32) * spectrum)
    vectors = np.empty((chunks, dimension), dtype=np.float32)
    for start in range(0, chunks, WRITTEN):
        size = min(WRITTEN, chunks - start)
        own = _units(random.standard_normal((size, dimension), dtype=np.float32) * spectrum)
        vectors[start : start + size] = _units(centres[random.integers(0, TOPICS, size)] + SPREAD * own)
    return vectors


def _units(rows: Matrix) -> Matrix:
    lengths: Matrix = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / lengths


def _filled_and_asked(vectors: Matrix, questions: int, *, has_graph: bool) -> Figures:
    """Fill an index of a new server, then ask one question at a time."""
    dimension = vectors.shape[1]
    index = index_of("bench", model=_MODEL, dimension=dimension, language="english", has_graph=has_graph)
    with weaviate_server() as server:
        assert server.process is not None
        process = server.process.pid
        # Everything else is as in a deployment; writing may take longer on one machine.
        indexes = WeaviateIndexes(server.url, grpc_url=server.grpc_url, model=_MODEL, write_seconds=600)
        try:
            indexes.ensure(index)
            store = indexes.open(index)
            started = time.perf_counter()
            texts: list[str] = []
            for batch in _chunks(vectors):
                store.write(batch)
                texts += [one.chunk.text for one in batch]
            filled = time.perf_counter() - started
            if len(vectors) > WRITTEN:
                _rest(process)
            random = np.random.default_rng(2)
            chosen = random.integers(0, len(vectors), questions)
            noise = _units(random.standard_normal((questions, dimension), dtype=np.float32))
            asked = _units(vectors[chosen] + NEAR * noise)
            for vector in asked[:5]:
                store.search(vector, texts[0].split()[:2], CANDIDATES)
            times, found, before = list[float](), 0, cpu_seconds(process)
            for which, vector in zip(chosen, asked, strict=True):
                started = time.perf_counter()
                hits = store.search(vector, texts[which].split()[:2], CANDIDATES).hits
                times.append(1000 * (time.perf_counter() - started))
                best = np.argsort(-(vectors @ vector))[:RECALLED]
                found += len({hit.chunk.ordinal for hit in hits[:RECALLED]} & set(best.tolist()))
            cpu = cpu_seconds(process) - before
            own, files = (round(memory_mib(process, what)) for what in ("RssAnon", "RssFile"))
        finally:
            indexes.close()
    return {
        "chunks": len(vectors),
        "dimension": dimension,
        "questions": questions,
        "fill_per_second": round(len(vectors) / filled),
        "least_ms": round(min(times), 1),
        "p50_ms": percentile(times, 50),
        "p99_ms": percentile(times, 99),
        "server_cpu_ms": round(1000 * cpu / questions, 1),
        "recall": round(found / questions / RECALLED, 4),
        "own_mib": own,
        "files_mib": files,
    }


def _chunks(vectors: Matrix) -> Iterator[Sequence[EmbeddedChunk]]:
    """The chunks, WRITTEN at a time. Few words are frequent, as in texts. A chunk's ordinal is its vector's row."""
    random, document = np.random.default_rng(3), document_id("bench", "synthetic.md")
    for start in range(0, len(vectors), WRITTEN):
        rows = range(start, min(start + WRITTEN, len(vectors)))
        drawn = np.minimum(random.zipf(1.3, (len(rows), LENGTH)), WORDS)
        texts = [" ".join(f"w{word}" for word in words) for words in drawn]
        yield [
            EmbeddedChunk(chunk_of(Passage(text, 0, len(text)), document, 1, row, "bench"), vectors[row], text)
            for row, text in zip(rows, texts, strict=True)
        ]


def _rest(process: int) -> None:
    """Wait until the server has nothing to do: after a fill it merges files, which slows every search. A deployment is
    seldom filled so fast."""
    ended = time.monotonic() + LONGEST_REST
    idle = 0
    while idle < IDLE_SECONDS and time.monotonic() < ended:
        before = cpu_seconds(process)
        time.sleep(1)
        idle = idle + 1 if cpu_seconds(process) - before < IDLE else 0
