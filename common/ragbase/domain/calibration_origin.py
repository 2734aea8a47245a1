"""Where the constants of an index come from."""

from __future__ import annotations

from enum import StrEnum


class CalibrationOrigin(StrEnum):
    """Where the constants of an index come from."""

    KNOWN = "known"
    """They are those of retrieval/calibrations.py."""
    FITTED = "fitted"
    """`ragbase calibrate` has fitted them without labels."""
    LABELLED = "labelled"
    """`ragbase calibrate` has fitted them with labels."""
    MISSING = "missing"
    """Nobody has fitted any: they are MiniLM's, and the threshold is a guess."""
