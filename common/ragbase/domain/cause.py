"""Why a document is made again though its bytes are the same: what differs between two fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum


class Cause(StrEnum):
    """What a fingerprint names (pipeline/fingerprint.py)."""

    READER = "reader"
    CHUNKING = "chunking"
    MODEL = "model"
    TERMS = "terms"


_WORDS = {
    Cause.READER: "another reader",
    Cause.CHUNKING: "other chunks",
    Cause.MODEL: "another model",
    Cause.TERMS: "other search terms",
}


def causes(before: str, now: str) -> tuple[Cause, ...]:
    """In what two fingerprints differ; nothing if they are equal."""
    pairs = zip(Cause, _named(before), _named(now), strict=True)
    return tuple(cause for cause, old, new in pairs if old != new)


def causes_text(found: Sequence[Cause]) -> str:
    """As in "another reader and other chunks"."""
    return " and ".join(_WORDS[cause] for cause in found)


def _named(fingerprint: str) -> tuple[list[str], ...]:
    """What each cause is about: the format and its reader, the chunks, the model, and the terms of the words."""
    names = fingerprint.split("|")
    return names[:2], names[2:3], names[3:4], names[4:]
