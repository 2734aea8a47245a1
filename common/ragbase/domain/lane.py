"""The two queues for jobs."""

from __future__ import annotations

from enum import StrEnum


class Lane(StrEnum):
    """FAST is for formats that are read in milliseconds, HEAVY for those that may need minutes or much memory."""

    FAST = "fast"
    HEAVY = "heavy"
