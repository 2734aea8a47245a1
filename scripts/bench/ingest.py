"""Measure how fast a folder of Markdown files is ingested: first, again without a change, and after an edit.

ragbase runs its whole durable pipeline. LangChain works in memory (peer.py), and with `--durable` other pipelines, too,
that keep their index on disk (durable_peers.py). All of them have loaded their modules before. Prints one line of JSON.
A ratio above 1 means that ragbase is better.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from ragbase.domain.chunk import Passage
from ragbase.ports import Embedder
from scripts.bench.durable_peers import PEERS
from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine
from scripts.locked import locked_packages

if TYPE_CHECKING:
    from ragbase import RAGEngine

Result = TypeVar("Result")


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/ingest", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files")
    parser.add_argument("--embedder", choices=["hashing", "minilm"], default="hashing")
    parser.add_argument("--files", type=int, help="take only this many files, from all over the folder")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side runs; the bench prints medians")
    parser.add_argument("--durable", action="store_true", help="compare with peers that keep their index on disk, too")
    options = parser.parse_args()
    files = [file for file in sorted(options.data.rglob("*.md")) if read_passages([str(file)])[0][1]]
    if not files:
        parser.error(f"{options.data} has no Markdown files with text. Name a folder that has some.")
    if options.files:
        files = files[:: max(1, len(files) // options.files)][: options.files]
    names = [str(file) for file in files]
    ours, peers, alone = [], [], []
    durable: dict[str, list[Figures]] = {name: [] for name in PEERS} if options.durable else {}
    # All folders stay to the end: some file systems make new files slowly after many were removed.
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            ours.append(isolated(measure_ours, names, options.embedder, empty_folder(folder)))
            peers.append(isolated(measure_peer, names, options.embedder))
            for name, measured in durable.items():
                measured.append(isolated(measure_durable_peer, names, options.embedder, name, empty_folder(folder)))
            alone.append(isolated(measure_embedder, names, options.embedder))
    figures = report(len(names), options.embedder, ours, peers, alone)
    print(json.dumps({**figures, "durable_peers": report_durable(len(names), ours, durable)}))


def ratio(ours: list[Figures], others: list[Figures]) -> float:
    """How many times as fast ragbase is, in the median of the rounds: each compares what ran one after the other."""
    return float(statistics.median(other["seconds"] / our["seconds"] for our, other in zip(ours, others, strict=True)))


def report_durable(documents: int, ours: list[Figures], peers: dict[str, list[Figures]]) -> Figures:
    """Each peer's documents a second, and how many times as fast ragbase is."""
    return {
        name: {
            "documents_per_second": round(documents / statistics.median(figures["seconds"] for figures in measured), 1),
            "ratio": round(
                statistics.median(p["seconds"] / o["seconds"] for o, p in zip(ours, measured, strict=True)), 2
            ),
        }
        for name, measured in peers.items()
    }


def report(documents: int, embedder: str, ours: list[Figures], peers: list[Figures], alone: list[Figures]) -> Figures:
    seconds = statistics.median(figures["seconds"] for figures in ours)
    peer_seconds = statistics.median(figures["seconds"] for figures in peers)
    again = statistics.median(figures["again_seconds"] for figures in ours)
    return {
        "bench": "ingest",
        "embedder": embedder,
        "documents": documents,
        "chunks": ours[0]["chunks"],
        "documents_per_second": round(documents / seconds, 1),
        "peer_documents_per_second": round(documents / peer_seconds, 1),
        "ratio_vs_langchain": round(ratio(ours, peers), 3),
        "ratio_vs_embedder_alone": round(ratio(ours, alone), 3),
        "unchanged_seconds": round(again, 4),
        "ratio_vs_first_ingest": round(seconds / again, 1),
        "embedded_when_unchanged": ours[0]["embedded_when_unchanged"],
        "embedded_after_edit": ours[0]["embedded_after_edit"],
        "chunks_of_edited": ours[0]["chunks_of_edited"],
        "peak_memory_mib": max(figures["peak_memory_mib"] for figures in ours),
        "peer_peak_memory_mib": max(figures["peak_memory_mib"] for figures in peers),
        "machine": machine(),
    }


def measure_ours(names: list[str], embedder: str, folder: Path) -> Figures:
    """Ingest all files into an empty data folder, then again without a change, then after an edit of one file."""
    from ragbase import RAGEngine, load_config

    with RAGEngine(load_config(home=folder / "warm", embedder=embedder)) as engine:
        engine.ingest(copy(names[:1], folder / "one"))  # its imports
    copies = copy(names, folder / "documents")
    with RAGEngine(load_config(home=folder / "home", embedder=embedder)) as engine:
        engine.profile.embedder.embed_query("warm")
        seconds, result = timed(engine.ingest, copies)
        assert result["failed_files"] == [], result["errors"]
        before = embedded_texts(engine, copies)
        again_seconds, again = timed(engine.ingest, copies)
        assert again["unchanged_count"] == len(copies)
        unchanged = embedded_texts(engine, copies) - before
        largest = max(copies, key=lambda name: Path(name).stat().st_size)
        edit_one_paragraph(Path(largest))
        engine.ingest(copies)
        document = engine.find(largest)
        assert document is not None and document.active is not None
        return {
            "seconds": seconds,
            "again_seconds": again_seconds,
            "chunks": result["chunk_count"],
            "embedded_when_unchanged": unchanged,
            "embedded_after_edit": embedded_texts(engine, copies) - before - unchanged,
            "chunks_of_edited": document.active.chunk_count,
        }


def measure_peer(names: list[str], embedder: str) -> Figures:
    """Read and chunk the same files in the same way, then call LangChain's index()."""
    from scripts.bench.peer import Peer

    engine = Peer(warm(embedder))
    seconds, _ = timed(lambda: engine.ingest(read_passages(names)))
    return {"seconds": seconds}


def measure_durable_peer(names: list[str], embedder: str, peer: str, folder: Path) -> Figures:
    """Read and chunk the same files in the same way, then let a durable peer index them."""
    sys.path.append(str(locked_packages("peers")))
    model = warm(embedder)
    PEERS[peer]([("warm", read_passages(names[:1])[0][1])], model, empty_folder(folder))  # its imports
    empty = empty_folder(folder)
    seconds, _ = timed(lambda: PEERS[peer](read_passages(names), model, empty))
    return {"seconds": seconds}


def empty_folder(inside: str | Path) -> Path:
    return Path(tempfile.mkdtemp(dir=inside))


def measure_embedder(names: list[str], embedder: str) -> Figures:
    """Only embed the same chunks, in batches of the largest size."""
    from ragbase.domain.chunk import embedding_text

    model = warm(embedder)
    texts = list({embedding_text(passage) for _, passages in read_passages(names) for passage in passages})
    size = model.max_batch

    def embed() -> None:
        for start in range(0, len(texts), size):
            model.embed_documents(texts[start : start + size])

    return {"seconds": timed(embed)[0], "texts": len(texts)}


def read_passages(names: Sequence[str]) -> list[tuple[str, list[Passage]]]:
    from ragbase.chunking.chunker import MarkdownChunker
    from ragbase.domain.job import ProcessingConfig
    from ragbase.formats.extractor import FormatExtractor
    from ragbase.formats.table import MARKDOWN

    extractor, chunker = FormatExtractor(), MarkdownChunker()
    return [
        (name, chunker.split(extractor.extract(Path(name).read_bytes(), MARKDOWN.name, ProcessingConfig())))
        for name in names
    ]


def warm(embedder: str) -> Embedder:
    """The embedder with its model loaded."""
    from ragbase.bootstrap.open_profile import open_profile
    from ragbase.config import load_config

    model = open_profile(load_config(embedder=embedder)).embedder
    model.embed_query("warm")
    return model


def copy(names: list[str], folder: Path) -> list[str]:
    folder.mkdir()
    copies = [folder / f"{number}-{Path(name).name}" for number, name in enumerate(names)]
    for name, target in zip(names, copies, strict=True):
        shutil.copyfile(name, target)
    return [str(target) for target in copies]


def edit_one_paragraph(file: Path) -> None:
    """Change one word in the middle of the file's longest paragraph."""
    text = file.read_text(encoding="utf-8")
    paragraph = max(text.split("\n\n"), key=len)
    words = paragraph.split(" ")
    words[len(words) // 2] = "quicksilver"
    file.write_text(text.replace(paragraph, " ".join(words), 1), encoding="utf-8")


def embedded_texts(engine: RAGEngine, names: list[str]) -> int:
    """How many texts were embedded so far for these documents."""
    found = [engine.find(name) for name in names]
    return sum(document.usage.embedded_texts for document in found if document is not None)


def timed(action: Callable[..., Result], *arguments: object) -> tuple[float, Result]:
    start = time.perf_counter()
    result = action(*arguments)
    return time.perf_counter() - start, result


if __name__ == "__main__":
    main()
