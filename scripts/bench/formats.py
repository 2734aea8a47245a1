"""Measure how fast HTML pages and CSV rows are read, and how much memory a large text takes.

Prints one line of JSON for each. The CSV file and the text are made here; `--data` has the pages.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import statistics
import sys
import time
from pathlib import Path

from scripts.bench.isolated import Figures, isolated
from scripts.bench.machine import machine

MAX_PAGES = 500
ROWS = 100_000
MIB = 1024 * 1024
TEXTS = {
    "txt": (50, "", "Der Wind füllt das Segel – und das Boot bewegt sich.\n", ""),
    "emoji": (50, "", "Der Wind füllt das Segel – und das Boot bewegt sich 😀.\n", ""),
    "md": (50, "---\ntitle: Boot\n---\n", "# Kapitel\n\nDer Wind füllt das Segel – und das Boot bewegt sich.\n\n", ""),
    "json": (
        50,
        "[",
        '{"id": 12345, "name": "Boot", "city": "Kiel", "note": "ein schnelles", "price": 3.50},\n',
        "{}]",
    ),
    "jsonl": (50, "", '{"id": 12345, "name": "Boot", "city": "Kiel", "note": "ein schnelles", "price": 3.50}\n', ""),
    "csv": (15, "id,name,city\n", "12345,Boot,Kiel\n", ""),
}
"""By the format or what is special: MiB of the file, how it begins, what is repeated in it, how it ends. More
than 17 MiB of these short rows would become more text than a document may have."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/formats", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of HTML pages")
    parser.add_argument("--rounds", type=int, default=3, help="how often each is measured; the bench prints medians")
    options = parser.parse_args()
    pages = sorted(options.data.rglob("*.html"))
    if not pages:
        parser.error(f"{options.data} has no HTML pages. Name a folder that has some.")
    pages = pages[:: max(1, len(pages) // MAX_PAGES)][:MAX_PAGES]
    names = [str(page) for page in pages]
    for name, rounds in (
        ("html", [isolated(measure_html, names) for _ in range(options.rounds)]),
        ("csv", [isolated(measure_csv) for _ in range(options.rounds)]),
        *((text, [isolated(measure_text, text) for _ in range(options.rounds)]) for text in TEXTS),
    ):
        print(json.dumps({"bench": "formats", "of": name, **medians(rounds), "machine": machine()}))


def medians(rounds: list[Figures]) -> Figures:
    return {key: round(statistics.median(figures[key] for figures in rounds), 2) for key in rounds[0]}


def measure_html(names: list[str]) -> Figures:
    """Pages are in memory already, and the libraries are loaded."""
    from ragbase.domain.job import ProcessingConfig
    from ragbase.formats.extractor import FormatExtractor

    pages = [Path(name).read_bytes() for name in names]
    extractor = FormatExtractor()
    extractor.extract(pages[0], "html", ProcessingConfig())
    start = time.perf_counter()
    written = sum(len(extractor.extract(page, "html", ProcessingConfig()).markdown) for page in pages)
    seconds = time.perf_counter() - start
    size = sum(map(len, pages)) / 1_000_000
    return {
        "pages": len(pages),
        "megabytes": size,
        "markdown_megabytes": written / 1_000_000,
        "pages_per_second": len(pages) / seconds,
        "megabytes_per_second": size / seconds,
    }


def measure_csv() -> Figures:
    """Rows of six columns: read one after the other, as Markdown, and as passages."""
    from ragbase.chunking.chunker import MarkdownChunker
    from ragbase.domain.job import ProcessingConfig
    from ragbase.formats.csv import open_table
    from ragbase.formats.extractor import FormatExtractor

    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(["id", "name", "city", "note", "price", "date"])
    for number in range(ROWS):
        writer.writerow([number, f"Boat {number}", f"Harbour, {number % 97}", 'a "fast" one', number / 4, "2024-03-01"])
    data = file.getvalue().encode()
    start = time.perf_counter()
    assert sum(1 for _ in open_table(io.BytesIO(data)).rows) == ROWS
    streamed = time.perf_counter()
    extraction = FormatExtractor().extract(data, "csv", ProcessingConfig())
    extracted = time.perf_counter()
    assert len(MarkdownChunker().split(extraction)) == ROWS
    chunked = time.perf_counter()
    return {
        "rows": ROWS,
        "rows_per_second": ROWS / (streamed - start),
        "rows_per_second_as_markdown": ROWS / (extracted - streamed),
        "rows_per_second_as_passages": ROWS / (chunked - streamed),
    }


def measure_text(text: str) -> Figures:
    """The most memory that reading and checking, and then chunking, takes: the file itself included, as a multiple of
    the file."""
    import resource

    from ragbase.chunking.chunker import MarkdownChunker
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.limits import MAX_NOISE_RATIO
    from ragbase.formats.extractor import FormatExtractor
    from ragbase.formats.quality import check_text

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)

    extractor, promised = FormatExtractor(), "txt" if text == "emoji" else text
    extractor.detect(b"words", promised)
    mebibytes, head, line, tail = TEXTS[text]
    before = peak()
    data = head.encode() + line.encode() * (mebibytes * MIB // len(line.encode())) + tail.encode()
    start = time.perf_counter()
    extraction = extractor.extract(data, extractor.detect(data, promised), ProcessingConfig())
    check_text(extraction.markdown, 50, MAX_NOISE_RATIO)
    seconds, read = time.perf_counter() - start, peak()
    passages = MarkdownChunker().split(extraction)
    return {
        "mebibytes": mebibytes,
        "seconds": seconds,
        "memory_per_byte_of_file": (read - before) / len(data),
        "passages": len(passages),
        "memory_per_byte_with_passages": (peak() - before) / len(data),
    }


if __name__ == "__main__":
    main()
