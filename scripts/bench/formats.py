"""Measure how fast HTML pages and CSV rows are read, and how much memory a large text takes.

Prints one line of JSON for each. The CSV file and the text are made here; `--data` has the pages.
"""

from __future__ import annotations

import csv
import io
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from scripts.bench.harness import PEAK_UNIT, Bench, Figures, isolated, rounded

MAX_PAGES = 500
MIB = 1024 * 1024
BOAT = '{"id": 12345, "name": "Boot", "city": "Kiel", "note": "ein schnelles", "price": 3.50}'
TEXTS = {
    "txt": ("", "Der Wind füllt das Segel – und das Boot bewegt sich.\n", ""),
    "emoji": ("", "Der Wind füllt das Segel – und das Boot bewegt sich 😀.\n", ""),
    "md": ("---\ntitle: Boot\n---\n", "# Kapitel\n\nDer Wind füllt das Segel – und das Boot bewegt sich.\n\n", ""),
    "json": ("[", f"{BOAT},\n", "{}]"),
    "jsonl": ("", f"{BOAT}\n", ""),
    "csv": ("id,name,city\n", "12345,Boot,Kiel\n", ""),
}
"""By the format or what is special: how the file begins, what is repeated in it, how it ends."""
MOST_CSV = 15
"""MiB. More than 17 of these short rows would become more text than a document may have."""


def main() -> None:
    bench = Bench("formats", __doc__, data="a folder of HTML pages")
    bench.number("--rounds", 3, "how often each is measured; the bench prints medians")
    bench.number("--rows", 100_000, "of the CSV file")
    bench.number("--mib", 50, "of each large text")
    bench.add_argument("--only", choices=["html", "rows", *TEXTS], nargs="+", help="these alone")
    options = bench.parse_args()
    pages = bench.files(options.data, "*.html", "HTML pages")
    names = [str(page) for page in pages[:: max(1, len(pages) // MAX_PAGES)][:MAX_PAGES]]
    measured: dict[str, tuple[Callable[..., Figures], *tuple[object, ...]]] = {
        "html": (measure_html, names),
        "rows": (measure_csv, options.rows),
    }
    measured |= {text: (measure_text, text, options.mib) for text in TEXTS}
    for name in options.only or measured:
        measure, *arguments = measured[name]
        rounds = [isolated(measure, *arguments) for _ in range(options.rounds)]
        medians = {key: statistics.median(figures[key] for figures in rounds) for key in rounds[0]}
        bench.say({"of": name, **rounded(medians, 2)})


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


def measure_csv(count: int) -> Figures:
    """Rows of six columns: read one after the other, as Markdown, and as passages."""
    from ragbase.chunking.chunker import MarkdownChunker
    from ragbase.domain.job import ProcessingConfig
    from ragbase.formats.csv import open_table
    from ragbase.formats.extractor import FormatExtractor

    file = io.StringIO(newline="")
    writer = csv.writer(file)
    writer.writerow(["id", "name", "city", "note", "price", "date"])
    for number in range(count):
        writer.writerow([number, f"Boat {number}", f"Harbour, {number % 97}", 'a "fast" one', number / 4, "2024-03-01"])
    data = file.getvalue().encode()
    start = time.perf_counter()
    assert sum(1 for _ in open_table(io.BytesIO(data)).rows) == count
    streamed = time.perf_counter()
    extraction = FormatExtractor().extract(data, "csv", ProcessingConfig())
    extracted = time.perf_counter()
    assert len(MarkdownChunker().split(extraction)) == count
    chunked = time.perf_counter()
    return {
        "rows": count,
        "rows_per_second": count / (streamed - start),
        "rows_per_second_as_markdown": count / (extracted - streamed),
        "rows_per_second_as_passages": count / (chunked - streamed),
    }


def measure_text(text: str, mebibytes: int) -> Figures:
    """The most memory that reading and checking, and then chunking, takes: the file itself included, as a multiple of
    the file."""
    import resource

    from ragbase.chunking.chunker import MarkdownChunker
    from ragbase.domain.job import ProcessingConfig
    from ragbase.domain.limits import MAX_NOISE_RATIO
    from ragbase.formats.extractor import FormatExtractor
    from ragbase.formats.quality import check_text

    def peak() -> float:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MIB / PEAK_UNIT

    extractor, promised = FormatExtractor(), "txt" if text == "emoji" else text
    extractor.detect(b"words", promised)
    mebibytes = min(mebibytes, MOST_CSV) if text == "csv" else mebibytes
    head, line, tail = TEXTS[text]
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
