"""Ask 60 questions about the documentation of Python packages, and say which answers have the expected words.

The folders are those of the packages' source archives, which pip downloads; `--data` keeps them. The questions are in
two sets with packages of their own: rules were made with the first set in view, and judged by the second one. A
question without an answer in the folders has to get none. Prints a line of JSON for each set, and with `--answers` each
answer to standard error: read them, for an answer may have the expected words beside wrong ones.
"""

from __future__ import annotations

import argparse
import csv
import json
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from scripts.bench.expected_answers import has_words
from scripts.bench.machine import machine

QUESTIONS = Path(__file__).parent / "data" / "documentation_questions.tsv"
PACKAGES = {
    "look": ("anyio==4.16.0", "nox==2026.10.20", "flask-sqlalchemy==3.1.1"),
    "judge": ("structlog==26.1.0", "cattrs==26.2.1", "apscheduler==3.11.3"),
}
_TEXTS = (".md", ".rst")


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripts/bench/asked-documentation", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="where the folders are kept, and taken from if they are there")
    parser.add_argument("--set", choices=[*PACKAGES], help="this set alone")
    parser.add_argument("--answers", action="store_true", help="print each answer to standard error")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        for name in [options.set] if options.set else PACKAGES:
            folder = _folder((options.data or Path(temporary)) / name, PACKAGES[name])
            figures = measure(name, folder, Path(temporary) / f"home-{name}", show=options.answers)
            print(json.dumps({"bench": "asked-documentation", **figures, "machine": machine()}), flush=True)


def measure(name: str, folder: Path, home: Path, *, show: bool) -> dict[str, object]:
    from ragbase import RAGEngine, load_config

    lines = QUESTIONS.read_text(encoding="utf-8").splitlines()
    rows = [row for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE) if row["set"] == name]
    right = refused = in_evidence = 0
    times: list[float] = []
    with RAGEngine(load_config(environment={}, home=home, embedder="minilm")) as engine:
        ingested = engine.ingest(sorted(file for file in folder.rglob("*") if file.is_file()))
        engine.generate(rows[0]["question"])  # loads what it needs
        for row in rows:
            began = time.perf_counter()
            answer = engine.generate(row["question"])
            times.append((time.perf_counter() - began) * 1000)
            expected = row["expected"].split("|") if row["expected"] else []
            is_right = has_words(answer.text, expected) if expected else not answer.answered
            right += is_right
            refused += not answer.answered
            in_evidence += bool(expected) and any(has_words(one.text, expected) for one in answer.evidence)
            if show:
                print(f"{'right' if is_right else 'wrong'}: {row['question']}\n    {answer.text}", file=sys.stderr)
    return {
        "set": name,
        "documents": ingested["ingested_count"],
        "chunks": ingested["chunk_count"],
        "questions": len(rows),
        "right": right,
        "refused": refused,
        "answerable": sum(bool(row["expected"]) for row in rows),
        "in_evidence": in_evidence,
        "median_ms": round(statistics.median(times), 1),
    }


def _folder(folder: Path, packages: Sequence[str]) -> Path:
    """With the documentation of these packages."""
    if not folder.is_dir():
        with tempfile.TemporaryDirectory() as archives:
            command = ["download", "--quiet", "--no-deps", "--no-binary", ":all:", "--dest", archives, *packages]
            subprocess.run([sys.executable, "-m", "pip", *command], check=True)
            for archive in sorted(Path(archives).iterdir()):
                _unpack(archive, folder)
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    """The texts at the top and in the folder docs."""
    with tarfile.open(archive) as opened:
        for member in opened:
            place = PurePosixPath(member.name)
            is_documentation = len(place.parts) == 2 or place.parts[1:2] == ("docs",)
            content = opened.extractfile(member) if member.isfile() and place.suffix in _TEXTS else None
            if is_documentation and content is not None and ".." not in place.parts and not place.is_absolute():
                path = folder / place
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.read())


if __name__ == "__main__":
    main()
