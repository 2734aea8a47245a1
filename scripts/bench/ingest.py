"""Measure how fast a folder of Markdown files is ingested: first, again without a change, and after an edit.

ragbase runs its whole durable pipeline. LangChain works in memory, and with `--durable` other pipelines, too, that keep
their index on disk (peers.py). All of them have loaded their modules before. Prints one line of JSON. A ratio above 1
means that ragbase is better.
"""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragbase.domain.chunk import Passage
from ragbase.ports import Embedder
from scripts.bench.harness import Bench, Figures, isolated, timed
from scripts.bench.peers import PEERS, Peer
from scripts.locked import locked_packages

if TYPE_CHECKING:
    from ragbase import RAGEngine


def main() -> None:
    bench = Bench("ingest", __doc__, data="a folder of Markdown files")
    bench.add_argument("--embedder", choices=["hashing", "minilm"], default="hashing")
    bench.number("--files", 0, "take only this many files, from all over the folder; 0 takes all")
    bench.number("--rounds", 5, "how often each side runs; the bench prints medians")
    bench.add_argument("--durable", action="store_true", help="compare with peers that keep their index on disk, too")
    options = bench.parse_args()
    found = bench.files(options.data, "*.md", "Markdown files")
    names = [str(file) for file in found if read_passages([str(file)])[0][1]]
    if options.files:
        names = names[:: max(1, len(names) // options.files)][: options.files]
    sides: dict[str, list[Figures]] = {"ours": [], "peer": [], "alone": []}
    sides |= {name: [] for name in PEERS} if options.durable else {}
    # All folders stay to the end: some file systems make new files slowly after many were removed.
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(options.rounds):
            sides["ours"].append(isolated(measure_ours, names, options.embedder, empty_folder(folder)))
            sides["peer"].append(isolated(measure_peer, names, options.embedder))
            for peer in PEERS if options.durable else ():
                sides[peer].append(isolated(measure_durable, names, options.embedder, peer, empty_folder(folder)))
            sides["alone"].append(isolated(measure_embedder, names, options.embedder))
    bench.say({"embedder": options.embedder, **report(len(names), sides)})


def report(documents: int, sides: dict[str, list[Figures]]) -> Figures:
    ours = sides["ours"]

    def rate(side: str) -> float:
        return round(documents / float(statistics.median(one["seconds"] for one in sides[side])), 1)

    def ratio(side: str, digits: int = 3) -> float:
        """How many times as fast ragbase is, in the median of the rounds: each compares what ran one after the
        other."""
        pairs = zip(ours, sides[side], strict=True)
        return round(float(statistics.median(other["seconds"] / our["seconds"] for our, other in pairs)), digits)

    again = statistics.median(one["again_seconds"] for one in ours)
    counts = ("chunks", "embedded_when_unchanged", "embedded_after_edit", "chunks_of_edited")
    return {
        "documents": documents,
        "documents_per_second": rate("ours"),
        "peer_documents_per_second": rate("peer"),
        "ratio_vs_langchain": ratio("peer"),
        "ratio_vs_embedder_alone": ratio("alone"),
        "unchanged_seconds": round(again, 4),
        "ratio_vs_first_ingest": round(statistics.median(one["seconds"] for one in ours) / again, 1),
        **{name: ours[0][name] for name in counts},
        "peak_memory_mib": max(one["peak_memory_mib"] for one in ours),
        "peer_peak_memory_mib": max(one["peak_memory_mib"] for one in sides["peer"]),
        "durable_peers": {
            name: {"documents_per_second": rate(name), "ratio": ratio(name, 2)} for name in PEERS if name in sides
        },
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
    engine = Peer(warm(embedder))
    seconds, _ = timed(lambda: engine.ingest(read_passages(names)))
    return {"seconds": seconds}


def measure_durable(names: list[str], embedder: str, peer: str, folder: Path) -> Figures:
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
    from ragbase.ports.embedder import in_calls

    model = warm(embedder)
    texts = list({embedding_text(passage) for _, passages in read_passages(names) for passage in passages})

    def embed() -> None:
        for call in in_calls(texts, model):
            model.embed_documents(call)

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


if __name__ == "__main__":
    main()
