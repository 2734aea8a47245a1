"""Somebody else's bucket as a source: anything that implements the Bucket port can be one."""

from __future__ import annotations

from collections.abc import Iterator

from ragbase.domain.errors import ConfigurationError, EntryChanged, GenerationGone, UnreadableSource
from ragbase.domain.no_document import folder_with_content
from ragbase.ports import Bucket, SourceEntry


class BucketSource:
    """Implements the DocumentSource port. The mark of an object is its generation. A file is read as a whole: the
    Bucket port reads no other way, and no file that is uploaded is larger than 50 MB."""

    in_order = True

    def __init__(self, bucket: Bucket, prefix: str, *, scheme: str) -> None:
        """The objects whose names begin with `prefix`, which is empty or ends with "/"."""
        self._bucket = bucket
        self._prefix = prefix
        self._scheme = scheme

    @property
    def address(self) -> str:
        return f"{self._scheme}://{self.root}"

    @property
    def root(self) -> str:
        return f"{self._bucket.name}/{self._prefix}"

    def entries(self, *, after: str = "") -> Iterator[SourceEntry]:
        start = len(self._prefix)
        try:
            for stored in self._bucket.list(self._prefix, after=self._prefix + after if after else ""):
                name = stored.name[start:]
                if not stored.name.endswith("/"):
                    yield SourceEntry(name=name, mark=str(stored.generation), size=stored.size)
                elif not stored.shows_folder:
                    yield SourceEntry(name=name, mark="", left_out=folder_with_content(stored.name))
        except ConfigurationError as error:
            raise UnreadableSource(f"{self.address}: {error}") from error

    def read(self, entry: SourceEntry) -> Iterator[bytes]:
        try:
            yield self._bucket.read(self._prefix + entry.name, int(entry.mark))
        except GenerationGone as error:
            raise EntryChanged(
                f"{self.address}{entry.name}: it was changed while it was read. Run the sync again."
            ) from error

    def close(self) -> None:
        """Nothing is open: the bucket belongs to the caller."""
