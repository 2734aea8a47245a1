"""What all benches share: their arguments, their lines of JSON, measurements in processes of their own, and what the
system says of a process."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import resource
import statistics
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from scripts.bench.machine import machine

Figures = dict[str, Any]
Result = TypeVar("Result")

PEAK_UNIT = 2**20 if sys.platform == "darwin" else 2**10
"""Of `ru_maxrss`, in a MiB."""


class Bench(argparse.ArgumentParser):
    """The arguments of a bench, and the lines that it prints. Its help is the first line of `about`. `data` says what
    the folder of the option --data has; without it, there is no such option."""

    def __init__(self, name: str, about: str | None, *, data: str = "") -> None:
        super().__init__(prog=f"scripts/bench/{name}", description=(about or "").splitlines()[0])
        self._name = name
        if data:
            self.add_argument("--data", type=Path, required=True, metavar="FOLDER", help=data)

    def number(self, option: str, default: int, help: str = "") -> None:
        """An option with a whole number, or an argument that may be left out."""
        more: dict[str, Any] = {} if option.startswith("-") else {"nargs": "?"}
        self.add_argument(option, type=int, default=default, help=f"{help} (%(default)s)".strip(), **more)

    def files(self, folder: Path, pattern: str, kind: str) -> list[Path]:
        """The files of the folder that the user has named. Without any, the program ends and says so."""
        found = sorted(folder.rglob(pattern))
        if not found:
            self.error(f"{folder} has no {kind} ({pattern}). Put some there, or name another folder.")
        return found

    def paragraphs(self, folder: Path) -> list[str]:
        """The first 400 characters of the longer paragraphs of its Markdown files. Without any, the program ends."""
        files = self.files(folder, "*.md", "Markdown files")
        parts = (part.strip() for file in files for part in file.read_text(encoding="utf-8").split("\n\n"))
        return [part[:400] for part in parts if len(part) >= 80] or self.error(f"{folder} has no paragraphs.")

    def say(self, figures: Mapping[str, object], *, of: str = "") -> None:
        """Print a line of JSON. `of` says which measurement of the bench it is."""
        line = {"bench": f"{self._name} {of}".strip(), **figures, "machine": machine()}
        print(json.dumps(line, ensure_ascii=False), flush=True)


def isolated(measure: Callable[..., Figures], *arguments: object) -> Figures:
    """Run `measure` in a new Python process, so that no measurement affects the next one. Returns its figures and
    `peak_memory_mib`, the most memory it used."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (measure, arguments))


def _measured(measure: Callable[..., Figures], arguments: tuple[object, ...]) -> Figures:
    figures = measure(*arguments)
    return {**figures, "peak_memory_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / PEAK_UNIT, 1)}


def timed(action: Callable[..., Result], *arguments: object) -> tuple[float, Result]:
    """The seconds that it takes, and its result."""
    start = time.perf_counter()
    result = action(*arguments)
    return time.perf_counter() - start, result


def milliseconds(ask: Callable[[str], object], questions: Sequence[str], *, first: int = 5) -> list[float]:
    """What each question takes, after the first ones have loaded everything."""
    for question in questions[:first]:
        ask(question)
    return [1000 * timed(ask, question)[0] for question in questions]


def percentile(values: Sequence[float], percent: int) -> float:
    if len(values) < 2:
        return round(values[0], 2) if values else 0.0
    return round(statistics.quantiles(values, n=100, method="inclusive")[percent - 1], 2)


def share(ones: Iterable[float], digits: int = 3) -> float:
    """The mean; 0 of nothing."""
    listed = list(ones)
    return round(sum(listed) / len(listed), digits) if listed else 0.0


def rounded(figures: Mapping[str, Any], digits: int = 4) -> Figures:
    return {name: round(one, digits) if isinstance(one, float) else one for name, one in figures.items()}


def load() -> float:
    """Of the machine in the last minute: how much to believe its times."""
    return round(os.getloadavg()[0], 1)


def memory_mib(process: int | str = "self", what: str = "RssAnon") -> float:
    """How much memory a process uses now, by its name in /proc: RssAnon is that without the file pages that it has
    mapped, which are only a cache. 0 if it has ended. Linux only."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return round(next((int(line.split()[1]) for line in lines if line.startswith(f"{what}:")), 0) / 1024, 1)


def cpu_seconds(process: int) -> float:
    """The processor time that all threads of a process have used, in the program and in the system. Linux only."""
    # The name of the program, in brackets, may have blanks and brackets itself (proc(5)).
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@dataclass
class Memory:
    """The most memory in MiB: of a process, or of a family of processes together, and of the largest of these."""

    together: float = 0.0
    largest: float = 0.0


@contextmanager
def watched(process: int, *, family: bool = False, what: str = "RssAnon") -> Iterator[Memory]:
    """What the process takes, looked at twenty times a second. With `family`, all its children count, too: what
    processes share counts for each. Linux only."""
    seen, over = Memory(), threading.Event()

    def watch() -> None:
        while not over.wait(0.05):
            sizes = [memory_mib(one, what) for one in (_family(process) if family else [process])]
            seen.together = max(seen.together, round(sum(sizes), 1))
            seen.largest = max(seen.largest, *sizes)

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        over.set()
        thread.join()


def _family(process: int) -> list[int]:
    """The process and all its children, after it."""
    children: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(stat.parent.name))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found
