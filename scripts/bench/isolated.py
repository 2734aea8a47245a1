"""Run each measurement in its own process, so that no measurement affects the next one."""

from __future__ import annotations

import multiprocessing
import resource
import sys
from collections.abc import Callable
from typing import Any

Figures = dict[str, Any]


def isolated(measure: Callable[..., Figures], *arguments: object) -> Figures:
    """Run `measure` in a new Python process. Returns its figures and `peak_memory_mib`, the most memory it used."""
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(_measured, (measure, arguments))


def _measured(measure: Callable[..., Figures], arguments: tuple[object, ...]) -> Figures:
    figures = measure(*arguments)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return {**figures, "peak_memory_mib": round(peak / 1048576, 1)}
