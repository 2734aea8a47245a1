"""Measure how long the HTTP API takes for an image of a page, and for marks on it. Prints one line of JSON.

The folder has PDFs, of which the smallest are ingested. Some of their pages are drawn at random and asked for twice, in
the process of the API and without a network: `first_ms` draws the page, `again_ms` finds it kept. `marks_ms` is for the
marks of 300 characters. Each has the median and the longest of all pages.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from ragbase import RAGEngine, load_config
from ragbase.interfaces.api.app import create_app
from scripts.bench.machine import machine

CHARACTERS = 300


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of PDFs")
    parser.add_argument("--files", type=int, default=12, help="how many of them")
    parser.add_argument("--pages", type=int, default=40, help="how many pages")
    parser.add_argument("--width", type=int, default=1200, help="pixels")
    wanted = parser.parse_args()
    files = sorted(wanted.data.glob("*.pdf"), key=lambda file: file.stat().st_size)[: wanted.files]
    with tempfile.TemporaryDirectory() as home:
        config = load_config(home=Path(home), environment={}, embedder="hashing", ocr_mode="never")
        with RAGEngine(config) as engine:
            engine.ingest(files)
            figures = measured(engine, wanted.pages, wanted.width)
    print(json.dumps({"bench": "page-images", "width": wanted.width, **figures, "machine": machine()}))


def measured(engine: RAGEngine, count: int, width: int) -> dict[str, object]:
    shown = [(one.id, one.active) for one in engine.profile.documents.page(limit=1000) if one.active is not None]
    every = [(id, page) for id, active in shown for page in range(1, (active.page_count or 0) + 1)]
    pages = random.Random(1).sample(every, min(count, len(every)))
    client = create_app(engine.profile).test_client()
    first, again, marks, sizes = list[float](), list[float](), list[float](), list[int]()
    for id, page in pages:
        address = f"/api/documents/{id}/pages/{page}"
        drawn, seconds = _asked(client, f"{address}?width={width}")
        if drawn.status_code != 200:
            continue
        first.append(seconds)
        sizes.append(len(drawn.data))
        again.append(_asked(client, f"{address}?width={width}")[1])
        marks.append(_asked(client, f"{address}/marks?from=0&to={CHARACTERS}")[1])
    return {
        "pages": len(pages),
        "drawn": len(first),
        "first_ms": _milliseconds(first),
        "again_ms": _milliseconds(again),
        "marks_ms": _milliseconds(marks),
        "kilobytes": [round(median(sizes) / 1000), round(max(sizes) / 1000)],
    }


def _asked(client: Any, address: str) -> tuple[Any, float]:
    start = time.perf_counter()
    answer = client.get(address)
    return answer, time.perf_counter() - start


def _milliseconds(seconds: Sequence[float]) -> list[float]:
    return [round(1000 * figure, 1) for figure in (median(seconds), max(seconds))]


if __name__ == "__main__":
    main()
