"""Where the tests have their files: in memory, if there is room.

A data folder waits for the disk at each change, and the tests make very many. No promise that they check needs a disk:
what a killed process has written stays in memory, too, and no test takes away the power.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 6 * 2**30
"""Bytes that must be free there, and in memory: several installations of ragbase with its models fit."""


def use_memory_folder() -> None:
    """For this process and its children. TMPDIR chooses another place."""
    if "TMPDIR" not in os.environ and _has_room():
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None


def _has_room() -> bool:
    if not os.access(MEMORY, os.W_OK):
        return False
    found = os.statvfs(MEMORY)
    starts_programs = not found.f_flag & os.ST_NOEXEC  # some tests install ragbase there
    return starts_programs and min(found.f_bavail * found.f_frsize, _available()) >= ROOM


def _available() -> int:
    """Bytes of memory that are free or can be made so."""
    found = re.search(r"^MemAvailable: *(\d+) kB$", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
