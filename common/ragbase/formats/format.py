"""What a file format is called, and which lane takes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.domain.lane import Lane


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One file format: what it is called, and which lane takes it. Its reader is in readers.py."""

    name: str
    """As records, jobs and fingerprints name it. It never changes."""

    extensions: tuple[str, ...]
    """In lower case, with their dots."""

    content_types: tuple[str, ...]
    """The first one is given to objects that come without a content type."""

    lane: Lane
