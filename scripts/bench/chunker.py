"""Measure how fast Markdown is cut into passages, beside LangChain's splitter, on one core. Prints one line of JSON.

Both cut every file into at most 1,000 characters with at most 200 of overlap, and say where each piece begins. A piece
is exact if it is the text at that place.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from ragbase.chunking.chunker import MarkdownChunker
from ragbase.chunking.tokens import TOKENS
from ragbase.domain.extraction import Extraction
from scripts.bench.machine import machine

Piece = tuple[int, str]
Split = Callable[[str], Sequence[Piece]]


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/chunker", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of Markdown files")
    parser.add_argument("--rounds", type=int, default=5, help="how often each side runs; the bench prints medians")
    options = parser.parse_args()
    texts = [file.read_text(encoding="utf-8") for file in sorted(options.data.rglob("*.md"))]
    if not texts:
        parser.error(f"{options.data} has no Markdown files. Name a folder that has some.")
    megabytes = sum(len(text.encode()) for text in texts) / 1e6
    sides = {"ragbase": of(MarkdownChunker()), "tokens": of(MarkdownChunker(512, 50, TOKENS)), "langchain": langchain()}
    seconds: dict[str, list[float]] = {name: [] for name in sides}
    for _ in range(options.rounds):
        for name, split in sides.items():
            start = time.process_time()
            for text in texts:
                split(text)
            seconds[name].append(time.process_time() - start)
    figures: dict[str, object] = {"bench": "chunker", "files": len(texts), "megabytes": round(megabytes, 1)}
    for name, split in sides.items():
        pieces = [(text, start, piece) for text in texts for start, piece in split(text)]
        exact = sum(text[start : start + len(piece)] == piece for text, start, piece in pieces)
        figures[name] = {
            "mb_per_second": round(megabytes / statistics.median(seconds[name]), 1),
            "passages": len(pieces),
            "exact": round(exact / len(pieces), 4),
        }
    print(json.dumps(figures | {"machine": machine()}))


def of(chunker: MarkdownChunker) -> Split:
    return lambda text: [(passage.char_start, passage.text) for passage in chunker.split(Extraction(text))]


def langchain() -> Split:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)
    return lambda text: [
        (document.metadata["start_index"], document.page_content) for document in splitter.create_documents([text])
    ]


if __name__ == "__main__":
    main()
