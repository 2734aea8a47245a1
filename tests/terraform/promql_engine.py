"""Prometheus's own engine, which runs the queries of the alerts on series.

promql/go.mod and go.sum lock it. It is built once, and the user's cache folder keeps it.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.local_cloud.process import cache_folder, exclusive

SOURCE = Path(__file__).with_name("promql")


@dataclass(frozen=True, slots=True)
class Series:
    """A time series. A point is a time in seconds and a value."""

    name: str
    labels: dict[str, str]
    points: Sequence[tuple[float, float]]


def engine() -> Path:
    """The program. A minute or two of work if it is not there yet. Skips the test if there is no Go."""
    if not shutil.which("go"):
        pytest.skip(
            "There is no go on PATH, so nothing can run the queries of the alerts. See https://go.dev/doc/install."
        )
    sources = b"".join(file.read_bytes() for file in sorted(SOURCE.iterdir()))
    folder = cache_folder(f"promql-{hashlib.sha256(sources).hexdigest()[:12]}")
    program = folder / "promql"
    with exclusive(folder):
        if not program.exists():
            building = folder / "building"
            command = ["go", "build", "-mod=readonly", "-o", str(building), "."]
            ended = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
            if ended.returncode:
                pytest.skip(f"Prometheus's engine cannot be built: {ended.stderr.strip()[-500:]}")
            building.replace(program)
    return program


def met(query: str, series: Sequence[Series], times: Sequence[float]) -> list[bool]:
    """Whether the query returns anything at each of the times."""
    given = [{"labels": {"__name__": one.name} | one.labels, "points": list(one.points)} for one in series]
    asked = {"series": given, "queries": [{"query": query, "at": list(times)}]}
    ended = subprocess.run([engine()], input=json.dumps(asked), capture_output=True, text=True, check=False)
    assert not ended.returncode, f"{query}\n{ended.stderr}"
    (answer,) = json.loads(ended.stdout)
    return [bool(one) for one in answer]
