"""A place that documents come from: a folder, a bucket of somebody else, a website. It is only read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ragbase.domain.left_out import LeftOutFile


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceEntry:
    """A file of a source. `name` is its path within the source. `mark` is another one whenever the file's bytes are
    others. `size` is in bytes, and None if only reading tells; `url` is the web address where people read it, if it
    has one, and `path` its absolute path, if it is a file of this machine. With `left_out`, the source does not give
    the file, whatever is in it, and says why: what an earlier sync has brought of it is no longer there."""

    name: str
    mark: str
    size: int | None = None
    url: str | None = None
    path: str | None = None
    left_out: LeftOutFile | None = None


class DocumentSource(Protocol):
    """Files with a mark each, so that a second look finds what has changed without reading any.

    Raises Unavailable if the source does not answer, and UnreadableSource if it refuses.
    """

    @property
    def address(self) -> str:
        """Names the source, in the same way at every run. With the name of an entry behind it, it names the entry."""
        ...

    @property
    def root(self) -> str:
        """The folder of the bucket for its documents, unless somebody names another: empty, or with "/" at its end."""
        ...

    @property
    def in_order(self) -> bool:
        """Whether `entries` come in the order of their names, by code point."""
        ...

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        """All files, each once if they come in order: then only those whose names come after `after`. It raises rather
        than pass over what it could not see: a file that is missing here counts as removed from the source."""
        ...

    def read(self, entry: SourceEntry) -> Iterator[bytes]:
        """The bytes of the file, in blocks. Raises EntryChanged if they are no longer those of the mark, perhaps after
        some blocks, and UnreadableFile. Both messages name the file and the remedy."""
        ...

    def close(self) -> None:
        """End what is open: connections, files."""
        ...
