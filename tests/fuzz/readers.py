"""Hostile files of every text format and of mails, read and quoted: a crash, a hang, or a text out of all proportion.

Half of the files are the worst ones that we know, in some size. The others are parts of those, repeated, nested, joined
and damaged.
"""

from __future__ import annotations

import os
import random
import resource
import select
import signal
import tempfile
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path

from ragbase.domain.errors import PermanentError
from ragbase.domain.limits import MAX_FILE_SIZE, MAX_GROWTH, SMALL_TEXT
from ragbase.formats.extraction_limits import GIB, ExtractionLimits
from ragbase.formats.extractor import FormatExtractor
from ragbase.text.languages import language_of
from tests.fuzz.budget import Budget, Finding, Report, kept
from tests.fuzz.stages import Stages
from tests.fuzz.worst_inputs import WORST, drawn

READER_SECONDS = 30.0
"""The time limit of a reader's own process here: less than in production, so that a run sees more files."""

LEAST_SECONDS, SECONDS_FOR_MB = 6.0, 6.0
"""Of a processor, for a stage that no other process does. Ordinary files take a tenth of that."""

MEMORY = 3 * GIB
"""Address space of the process that does the stages."""

SIZES = (2_000, *(50_000,) * 4, *(250_000,) * 6, 1_000_000, 1_000_000, 4_000_000)
HUGE = 0.003
"""The share of files of nearly 50 MB."""

KNOWN = 0.5
"""The share of files that are the worst ones that we know."""

FORMATS = tuple(WORST)


@dataclass(slots=True)
class Seen:
    """What the process of one case has said: seconds by stage, the stage that it was in last, and how it ended."""

    took: dict[str, float] = field(default_factory=dict)
    stage: str = ""
    end: str = ""


@dataclass(slots=True)
class Figures:
    """`ends` counts how files end: with text, or with a code. `slowest` is seconds and a case, for each stage."""

    bytes: int = 0
    ends: dict[str, int] = field(default_factory=dict)
    slowest: dict[str, tuple[float, int]] = field(default_factory=dict)
    timed_out: list[int] = field(default_factory=list)


def fuzz(budget: Budget, formats: Sequence[str] = FORMATS, folder: Path | None = None) -> Report:
    """Do all that is done with a hostile file, for each number. The files with findings are written to the folder."""
    folder = folder or Path(tempfile.mkdtemp(prefix="fuzz-readers-"))
    folder.mkdir(parents=True, exist_ok=True)
    warm_up(formats)
    report, figures = Report(), Figures()
    for case in budget.cases(report):
        format, data = make(case, formats)
        for finding in look_at(case, format, data, folder, figures):
            report.add(finding)
    report.figures = asdict(figures)
    return report


def warm_up(formats: Sequence[str]) -> None:
    """Load what the stages load, once for all cases: they are done in copies of this process."""
    for format in formats:
        stages = Stages(WORST[format][next(iter(WORST[format]))](3_000).encode(), format, FormatExtractor())
        with suppress(PermanentError):
            for stage in stages.all().values():
                stage()
    language_of("Ветер наполняет парус.")


def make(case: int, formats: Sequence[str]) -> tuple[str, bytes]:
    """The format and the bytes of one case."""
    chance = random.Random(case)
    format = chance.choice(formats)
    size = MAX_FILE_SIZE - 1_000_000 if chance.random() < HUGE else chance.choice(SIZES)
    if chance.random() < KNOWN:
        name = chance.choice(list(WORST[format]))
        data = WORST[format][name](size).encode("utf-8", "surrogatepass")
    else:
        data = drawn(chance, format, size)
    return format, data[:MAX_FILE_SIZE]


def look_at(case: int, format: str, data: bytes, folder: Path, figures: Figures) -> list[Finding]:
    """What is wrong with one file."""
    seen = read_apart(data, format)
    figures.bytes += len(data)
    end = seen.end.split(":")[0]
    figures.ends[end] = figures.ends.get(end, 0) + 1
    if seen.end == "TIMEOUT":
        figures.timed_out.append(case)
    for stage, seconds in seen.took.items():
        figures.slowest[stage] = max(figures.slowest.get(stage, (0.0, 0)), (seconds, case))
    return [
        Finding(case, f"{format}, {stage}: {what}", file=kept(case, format, data, folder))
        for stage, what in faults(seen, len(data))
    ]


def faults(seen: Seen, size: int) -> list[tuple[str, str]]:
    """Stages, and what was wrong in them."""
    found = [
        (stage, f"slow: {seconds:.1f} s")
        for stage, seconds in seen.took.items()
        if seconds > allowed(size) and stage != "read"
    ]
    if not seen.end or seen.end.startswith(("fault", "out of proportion")):
        found.append((seen.stage, seen.end or "hang, or killed"))
    return found


def allowed(size: int) -> float:
    """Seconds of a processor for one stage of a file."""
    return LEAST_SECONDS + SECONDS_FOR_MB * size / 1_000_000


def read_apart(data: bytes, format: str) -> Seen:
    """Do all stages in a process of its own, until it ends or hangs."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            os.setpgid(0, 0)
            _do(data, format, writing)
        finally:
            os._exit(0)
    os.close(writing)
    said = _said(reading, time.monotonic() + 10 * allowed(len(data)) + 4 * READER_SECONDS)
    with suppress(ProcessLookupError, PermissionError):  # it has ended
        os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return _seen(said)


def _said(reading: int, until: float) -> list[str]:
    said = b""
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while (left := until - time.monotonic()) > 0 and select.select([pipe], [], [], left)[0]:
            piece = pipe.read(65_536)
            if not piece:
                break
            said += piece
    return said.decode(errors="replace").splitlines()


def _seen(said: list[str]) -> Seen:
    seen = Seen()
    for line in said:
        kind, _, rest = line.partition(" ")
        if kind == "begin":
            seen.stage = rest
        elif kind == "took":
            stage, seconds = rest.split(" ")
            seen.took[stage] = float(seconds)
        elif kind == "end":
            seen.end = rest
    return seen


def _do(data: bytes, format: str, writing: int) -> None:
    """All stages; what is seen of them goes to the pipe at once."""
    most = int(8 * allowed(len(data)))
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    with os.fdopen(writing, "w", buffering=1) as out:
        stages = Stages(data, format, FormatExtractor(ExtractionLimits(timeout_seconds=READER_SECONDS)))
        try:
            for name, stage in stages.all().items():
                print(f"begin {name}", file=out)
                start = time.process_time()
                stage()
                print(f"took {name} {time.process_time() - start:.2f}", file=out)
        except PermanentError as error:
            print(f"end {error.code}", file=out)
        except BaseException as error:  # noqa: BLE001 - it is what we look for
            print(f"end fault: {type(error).__name__}: {str(error)[:200]!r}", file=out)
            traceback.print_exc()
        else:
            print(f"end {_proportion(stages, len(data))}", file=out)


def _proportion(stages: Stages, size: int) -> str:
    characters = len(stages.extraction.markdown) if stages.extraction is not None else 0
    if characters > max(SMALL_TEXT, MAX_GROWTH * size) and stages.format != "eml":
        return f"out of proportion: {characters} characters, {len(stages.passages)} passages"
    return "text"
