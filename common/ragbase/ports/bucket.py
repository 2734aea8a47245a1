"""Objects in generations, and what announces them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ragbase.domain.object_event import EventKind, ObjectEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """An object of a bucket: one live generation. `size` is in bytes, `md5` in lower-case hex."""

    bucket: str
    name: str
    generation: int
    size: int
    md5: str
    content_type: str
    metadata: Mapping[str, str]

    @property
    def shows_folder(self) -> bool:
        """Whether it is one of the empty objects by which consoles show folders."""
        return self.name.endswith("/") and self.size == 0

    def event(self, kind: EventKind) -> ObjectEvent:
        """What is announced when this has happened to the object."""
        return ObjectEvent(
            kind=kind,
            bucket=self.bucket,
            name=self.name,
            generation=self.generation,
            size=self.size,
            md5=self.md5,
            content_type=self.content_type,
            metadata=self.metadata,
        )


class Bucket(Protocol):
    """Named objects in generations. Every `put` and `delete` announces itself as an ObjectEvent, at least once."""

    @property
    def name(self) -> str: ...

    def put(
        self, name: str, data: bytes, *, content_type: str = "", metadata: Mapping[str, str] | None = None
    ) -> StoredObject:
        """Write a new generation, durably and atomically. Generations of a name only grow, also across deletions.

        Without a `content_type` the name or the content tells it. Raises InvalidObject for a name that is no relative
        path, or that the bucket cannot hold beside the names it has.
        """
        ...

    def delete(self, name: str) -> StoredObject | None:
        """Remove the live generation and return it; None where there is no such object."""
        ...

    def stat(self, name: str) -> StoredObject | None:
        """The live generation, or None."""
        ...

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        """The live generations of those names that have one, in as few requests as the bucket allows."""
        ...

    def read(self, name: str, generation: int) -> bytes:
        """The bytes of exactly this generation. Raises GenerationGone where it is not the live one."""
        ...

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        """The live objects whose names start with `prefix` and come after `after`, by name (by code point)."""
        ...
