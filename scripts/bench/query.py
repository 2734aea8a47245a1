"""Measure how fast an index of 1,000, 10,000 and 100,000 chunks answers, next to LangChain (peer.py).

Prints one line of JSON. Times are in milliseconds and include the embedding of the question. Ratios compare medians. A
ratio above 1 means that ragbase is faster. An index of more than 10,000 chunks gets random vectors, because only the
time matters there. With `--store weaviate`, the chunks are in a real Weaviate on this machine, and the records in
a data folder.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.bench.isolated import Figures, isolated
from scripts.bench.keeping_embedder import PassageKeeper
from scripts.bench.machine import machine

if TYPE_CHECKING:
    from ragbase import RAGEngine

ROUNDS = 200
LARGEST_REAL = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/query", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files, which give the texts")
    parser.add_argument("--embedder", choices=["hashing", "minilm", "e5"], default="minilm")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="how many chunks")
    parser.add_argument("--store", choices=["embedded", "weaviate"], default="embedded", help="where the chunks are")
    options = parser.parse_args()
    texts = given_paragraphs(parser, options.data)
    results = [isolated(measure, size, texts, options.embedder, options.store) for size in options.sizes]
    chosen = {"embedder": options.embedder, "store": options.store}
    print(json.dumps({"bench": "query", **chosen, "sizes": results, "machine": machine()}))


def given_paragraphs(parser: argparse.ArgumentParser, folder: Path) -> list[str]:
    """The paragraphs of the folder that the user has named. Without any, the program ends and says so."""
    texts = paragraphs(folder)
    if not texts:
        parser.error(f"{folder} has no Markdown paragraphs. Name a folder that has some.")
    return texts


def paragraphs(folder: Path) -> list[str]:
    files = sorted(folder.rglob("*.md"))
    parts = (part.strip() for file in files for part in file.read_text(encoding="utf-8").split("\n\n"))
    return [part[:400] for part in parts if len(part) >= 80]


def measure(size: int, texts: Sequence[str], embedder: str, store: str) -> Figures:
    """Fill an index, then ask one question at a time, in this process, with everything loaded."""
    from ragbase import RAGEngine, load_config

    with (
        tempfile.TemporaryDirectory() as folder,
        RAGEngine(load_config(home=Path(folder) / "home", embedder=embedder)) as engine,
        ExitStack() as stack,
    ):
        rest: Callable[[], None] = stack.enter_context(in_weaviate(engine)) if store == "weaviate" else lambda: None
        model = PassageKeeper(engine.profile.embedder)  # LangChain gets the same vectors at no cost
        engine.profile.__dict__["embedder"] = model
        documents = list(itertools.islice(varied(texts), size))
        if size <= LARGEST_REAL:
            fill(engine, documents, Path(folder))
        else:
            fill_at_random(engine, documents)
        rest()
        questions = [" ".join(text.split()[:8]) for text in documents[:: max(1, size // ROUNDS)]][:ROUNDS]
        ours = times(lambda question: len(engine.query(question)), questions)
        embedding = times(lambda question: len(model.embed_query(question)), questions)
        figures: Figures = {
            "chunks": size,
            "p50_ms": percentile(ours, 50),
            "p99_ms": percentile(ours, 99),
            "embedding_p50_ms": percentile(embedding, 50),
            "memory_mib": resident_mib(),
        }
        if size <= LARGEST_REAL:
            peer = times(peer_of(model, documents), questions)
            figures |= {
                "peer_p50_ms": percentile(peer, 50),
                "ratio_vs_langchain": round(statistics.median(peer) / statistics.median(ours), 2),
            }
        return figures


@contextmanager
def in_weaviate(engine: RAGEngine) -> Iterator[Callable[[], None]]:
    """The engine's chunks are in a new server. What this gives waits until that has nothing to do."""
    from ragbase.adapters.weaviate.indexes import WeaviateIndexes
    from scripts.bench.weaviate import rest
    from scripts.local_cloud.weaviate import weaviate_server

    model = engine.profile.embedder.model
    with weaviate_server() as server:
        # Everything else is as in a deployment; writing may take longer on one machine.
        indexes = WeaviateIndexes(server.url, grpc_url=server.grpc_url, model=model, write_seconds=120)
        engine.profile.__dict__["indexes"] = indexes
        try:
            yield lambda: rest(server)
        finally:
            indexes.close()


def resident_mib() -> float:
    """How much memory the process uses now, before LangChain is loaded. Linux only; 0 on other systems."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0.0
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return round(int(line.split()[1]) / 1024, 1)


def varied(texts: Sequence[str]) -> Iterator[str]:
    """All paragraphs, then the same ones again with a number, so that no two texts are equal."""
    for round_ in itertools.count():
        for text in texts:
            yield text if round_ == 0 else f"{text}\nIssue {round_}"


def fill(engine: RAGEngine, documents: Sequence[str], folder: Path) -> None:
    names = [folder / f"{number}.md" for number in range(len(documents))]
    for name, text in zip(names, documents, strict=True):
        name.write_text(text, encoding="utf-8")
    engine.ingest(names)


def fill_at_random(engine: RAGEngine, documents: Sequence[str]) -> None:
    """Write documents of 100 chunks with random vectors directly to the stores, without the pipeline."""
    import numpy as np

    from ragbase.domain.chunk import Chunk, EmbeddedChunk
    from ragbase.domain.document import Document, IndexedGeneration, Status
    from ragbase.domain.identity import chunk_id, document_id
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.lane import Lane
    from ragbase.formats.table import MARKDOWN
    from ragbase.text.terms import terms_of

    random = np.random.default_rng(1)
    profile = engine.profile
    index = profile.open_index()
    for number, start in enumerate(range(0, len(documents), 100)):
        texts = documents[start : start + 100]
        now = profile.clock.now()
        record = Document(
            id=document_id(profile.config.bucket, f"{number}.md"),
            bucket=profile.config.bucket,
            name=f"{number}.md",
            generation=1,
            status=Status.COMPLETED,
            size=1,
            md5=str(number),
            content_type="text/markdown",
            format=MARKDOWN.name,
            lane=Lane.FAST,
            source=f"{number}.md",
            config=ProcessingConfig(),
            created_at=now,
            updated_at=now,
            active=IndexedGeneration(
                generation=1,
                chunk_count=len(texts),
                md5=str(number),
                fingerprint="bench",
                text_length=1,
                index_name=index.index.name,
            ),
        )
        vectors = random.standard_normal((len(texts), index.embedder.dimension), dtype=np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        index.vectors().write(
            [
                EmbeddedChunk(
                    Chunk(
                        id=chunk_id(record.id, record.generation, ordinal, "bench"),
                        document_id=record.id,
                        generation=record.generation,
                        ordinal=ordinal,
                        text=text,
                        char_start=0,
                        char_end=len(text),
                        header_path=(),
                        page=None,
                        text_hash=f"{number}-{ordinal}",
                    ),
                    vector,
                    " ".join(terms_of(text)),
                )
                for ordinal, (text, vector) in enumerate(zip(texts, vectors, strict=True))
            ]
        )
        profile.documents.update(record.id, lambda _, record=record: record)  # type: ignore[misc]


def peer_of(model: PassageKeeper, documents: Sequence[str]) -> Callable[[str], int]:
    from ragbase.domain.chunk import Passage
    from scripts.bench.peer import Peer

    peer = Peer(model)
    peer.ingest([(str(n), [Passage(text, 0, len(text))]) for n, text in enumerate(documents)])
    return lambda question: peer.query(question, 5)


def times(ask: Callable[[str], int], questions: Sequence[str]) -> list[float]:
    for question in questions[:5]:
        ask(question)
    spent = []
    for question in questions:
        start = time.perf_counter()
        ask(question)
        spent.append(1000 * (time.perf_counter() - start))
    return spent


def percentile(values: Sequence[float], percent: int) -> float:
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 2)


if __name__ == "__main__":
    main()
