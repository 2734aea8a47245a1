"""How far the reading of a long document is, which several workers read at once, each a range of its pages."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ragbase.domain.lease import Lease
from ragbase.domain.limits import MAX_RETRIES
from ragbase.domain.page_range import PageRange


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentPart:
    """A range of pages. `is_read` says that its text is stored (`ports.part_texts`). `attempts` and `lease` are its
    own: several parts are read at the same time, and a failed one is tried again alone."""

    pages: PageRange
    is_read: bool = False
    attempts: int = 0
    lease: Lease | None = None

    def is_leased(self, now: datetime) -> bool:
        return self.lease is not None and self.lease.runs(now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The plan of a reading, and its state. `reader` names everything that decides the text of a page: the format, and
    the version of its reader with the uploader's wishes. The texts of two readers are never mixed."""

    reader: str
    parts: tuple[DocumentPart, ...]

    @classmethod
    def planned(cls, reader: str, ranges: Sequence[PageRange]) -> Reading:
        return cls(reader=reader, parts=tuple(DocumentPart(pages=pages) for pages in ranges))

    @property
    def is_complete(self) -> bool:
        return all(part.is_read for part in self.parts)

    @property
    def read_parts(self) -> int:
        return sum(part.is_read for part in self.parts)

    def part(self, number: int) -> DocumentPart | None:
        """Parts are counted from 1."""
        return self.parts[number - 1] if 0 < number <= len(self.parts) else None

    def free_parts(self, now: datetime) -> list[int]:
        """The numbers of the parts that are not read, and that nobody is reading."""
        return [n for n, part in enumerate(self.parts, start=1) if not part.is_read and not part.is_leased(now)]

    def has_lost_part(self, now: datetime) -> bool:
        """Whether there is a part that nobody will read, because it is out of retries."""
        return any(self.parts[number - 1].attempts > MAX_RETRIES for number in self.free_parts(now))

    def is_in_work(self, now: datetime) -> bool:
        """Whether somebody is reading a part right now."""
        return any(part.is_leased(now) for part in self.parts)

    def text_name(self, part: DocumentPart) -> str:
        """The name of the part's stored text. Other pages and other readers have other names."""
        return f"{hashlib.sha256(self.reader.encode()).hexdigest()[:16]}-{part.pages}"

    def with_part(self, number: int, part: DocumentPart) -> Reading:
        return replace(self, parts=(*self.parts[: number - 1], part, *self.parts[number:]))
