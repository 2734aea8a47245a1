"""Measure how long the HTTP API takes for an image of a page, and for marks on it. Prints one line of JSON.

The folder has PDFs, of which the smallest are ingested. Some of their pages are drawn at random and asked for twice, in
the process of the API and without a network: `first_ms` draws the page, `again_ms` finds it kept. `marks_ms` is for the
marks of 300 characters. Each has the median and the longest of all pages.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from ragbase import RAGEngine, load_config
from ragbase.interfaces.api.app import create_app
from scripts.bench.harness import Bench, Figures, timed

CHARACTERS = 300


def main() -> None:
    bench = Bench("page-images", __doc__, data="a folder of PDFs")
    bench.number("--files", 12, "how many of them")
    bench.number("--pages", 40, "how many pages")
    bench.number("--width", 1200, "pixels")
    wanted = bench.parse_args()
    files = bench.files(wanted.data, "*.pdf", "PDFs")
    files = sorted(files, key=lambda file: file.stat().st_size)[: wanted.files]
    with tempfile.TemporaryDirectory() as home:
        config = load_config(home=Path(home), environment={}, embedder="hashing", ocr_mode="never")
        with RAGEngine(config) as engine:
            engine.ingest(files)
            bench.say({"width": wanted.width, **measured(engine, wanted.pages, wanted.width)})


def measured(engine: RAGEngine, count: int, width: int) -> Figures:
    shown = [(one.id, one.active) for one in engine.profile.documents.page(limit=1000) if one.active is not None]
    every = [(id, page) for id, active in shown for page in range(1, (active.page_count or 0) + 1)]
    pages = random.Random(1).sample(every, min(count, len(every)))
    client = create_app(engine.profile).test_client()
    first, again, marks, sizes = list[float](), list[float](), list[float](), list[int]()
    for id, page in pages:
        address = f"/api/documents/{id}/pages/{page}"
        seconds, drawn = timed(client.get, f"{address}?width={width}")
        if drawn.status_code != 200:
            continue
        first.append(seconds)
        sizes.append(len(drawn.data))
        again.append(timed(client.get, f"{address}?width={width}")[0])
        marks.append(timed(client.get, f"{address}/marks?from=0&to={CHARACTERS}")[0])
    return {
        "pages": len(pages),
        "drawn": len(first),
        "first_ms": _milliseconds(first),
        "again_ms": _milliseconds(again),
        "marks_ms": _milliseconds(marks),
        "kilobytes": [round(median(sizes) / 1000), round(max(sizes) / 1000)],
    }


def _milliseconds(seconds: Sequence[float]) -> list[float]:
    return [round(1000 * figure, 1) for figure in (median(seconds), max(seconds))]


if __name__ == "__main__":
    main()
