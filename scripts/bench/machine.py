"""The machine that a bench ran on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from ragbase.processors import processors


def machine() -> dict[str, str | int | float]:
    """The CPU's model, how many cores this process may use, the memory in GiB, and the version of Python."""
    return {
        "cpu": _cpu_model(),
        "cores": processors(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "python": platform.python_version(),
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())
