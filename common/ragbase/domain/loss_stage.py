"""The stages at which a search may lose a document."""

from __future__ import annotations

from enum import StrEnum


class LossStage(StrEnum):
    """Where a document is lost on its way from the bucket to a result, in the order of that way."""

    FOUND = "FOUND"
    """It is not lost: it is a result."""
    LEFT_OUT = "LEFT_OUT"
    """It is in a folder or another source, and is not taken from there."""
    NOT_IN_BUCKET = "NOT_IN_BUCKET"
    NO_RECORD = "NO_RECORD"
    """The bucket has it, and the records do not know this generation."""
    WAITING = "WAITING"
    """It is PENDING or PROCESSING."""
    FAILED = "FAILED"
    NOT_IN_INDEX = "NOT_IN_INDEX"
    """The current index lacks its chunks, or some of them."""
    OTHER_TENANT = "OTHER_TENANT"
    """It belongs to another tenant than the one that was asked for."""
    FILTERED = "FILTERED"
    """The filter of the question leaves it out."""
    EXTRACTION = "EXTRACTION"
    """Words of the question are in the file, and in none of its chunks."""
    CHUNK_CUT = "CHUNK_CUT"
    """A border between two chunks divides the words of the question: no chunk holds them together."""
    NOT_A_CANDIDATE = "NOT_A_CANDIDATE"
    """Too many other chunks are nearer to the question, and too many have its words."""
    BELOW_THRESHOLD = "BELOW_THRESHOLD"
    OUTRANKED = "OUTRANKED"
    """It passes the threshold, and as many others as were asked for are better."""
