"""Measure how fast an index of 1,000, 10,000 and 100,000 chunks answers, next to LangChain (peers.py).

Prints one line of JSON. Times are in milliseconds and include the embedding of the question. Ratios compare medians. A
ratio above 1 means that ragbase is faster. An index of more than 10,000 chunks gets random vectors, because only the
time matters there.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
from collections.abc import Sequence
from pathlib import Path

from scripts.bench.filled import fill, fill_at_random, varied
from scripts.bench.harness import Bench, Figures, isolated, memory_mib, milliseconds, percentile

ROUNDS = 200
LARGEST_REAL = 10_000


def main() -> None:
    bench = Bench("query", __doc__, data="a folder of Markdown files, which give the texts")
    bench.add_argument("--embedder", choices=["hashing", "minilm", "e5"], default="minilm")
    bench.add_argument("--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="how many chunks")
    options = bench.parse_args()
    texts = bench.paragraphs(options.data)
    results = [isolated(measure, size, texts, options.embedder) for size in options.sizes]
    bench.say({"embedder": options.embedder, "sizes": results})


def measure(size: int, texts: Sequence[str], embedder: str) -> Figures:
    """Fill an index, then ask one question at a time, in this process, with everything loaded."""
    from ragbase import RAGEngine, load_config

    with (
        tempfile.TemporaryDirectory() as folder,
        RAGEngine(load_config(home=Path(folder) / "home", embedder=embedder)) as engine,
    ):
        documents = list(itertools.islice(varied(texts), size))
        if size <= LARGEST_REAL:
            fill(engine, texts, size, Path(folder) / "documents")
        else:
            fill_at_random(engine, documents)
        model = engine.profile.embedder
        questions = [" ".join(text.split()[:8]) for text in documents[:: max(1, size // ROUNDS)]][:ROUNDS]
        ours = milliseconds(engine.query, questions)
        figures: Figures = {
            "chunks": size,
            "p50_ms": percentile(ours, 50),
            "p99_ms": percentile(ours, 99),
            "embedding_p50_ms": percentile(milliseconds(model.embed_query, questions), 50),
            "memory_mib": memory_mib(what="VmRSS"),  # before LangChain is loaded
        }
        if size <= LARGEST_REAL:
            from ragbase.domain.chunk import Passage
            from scripts.bench.peers import Peer

            peer = Peer(model)
            peer.ingest([(str(n), [Passage(text, 0, len(text))]) for n, text in enumerate(documents)])
            theirs = milliseconds(peer.query, questions)
            figures |= {
                "peer_p50_ms": percentile(theirs, 50),
                "ratio_vs_langchain": round(statistics.median(theirs) / statistics.median(ours), 2),
            }
        return figures


if __name__ == "__main__":
    main()
