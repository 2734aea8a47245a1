"""The place for files: objects and their generations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from ragbase.domain.object_event import EventKind, ObjectEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredObject:
    """The live generation of an object. `size` is in bytes, `md5` in lower-case hex. `written_at` is when the bucket
    took this generation: the number of a generation says nothing of its time. `spelling` is the form in which the
    bucket keeps the name, if that is not NFC; empty if it is. An object that `is_shadowed` does not count, because
    another one whose name is a form of the same name does."""

    bucket: str
    name: str
    generation: int
    size: int
    md5: str
    content_type: str
    metadata: Mapping[str, str]
    written_at: datetime
    spelling: str = ""
    is_shadowed: bool = False

    @property
    def place(self) -> str:
        """Where a listing has it: the name as the bucket keeps it."""
        return self.spelling or self.name

    @property
    def shows_folder(self) -> bool:
        """Whether it is one of the empty objects that consoles use to show folders."""
        return self.name.endswith("/") and self.size == 0

    def event(self, kind: EventKind) -> ObjectEvent:
        """The event that announces what has happened to the object."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedRequest:
    """A request to the bucket itself that carries its right in its address. `headers` have to be sent as they are."""

    method: str
    url: str
    headers: Mapping[str, str]


class Bucket(Protocol):
    """Objects by name. Every `put` and `delete` is announced as an ObjectEvent, at least once.

    The bucket of the documents takes each form of a name for the same, and gives names in NFC (canonical_bucket.py).
    An event may have any form. Other buckets tell forms apart.
    """

    @property
    def name(self) -> str: ...

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        """Write a new generation, durably and atomically. Its number is unique among those of its name, also after a
        deletion, and says nothing else: a later generation may have a lower one.

        Without a `content_type`, the name or the content decides. With `replaces`, nothing is written unless that
        generation is the live one (0: unless there is none). Raises GenerationChanged if it is not, and InvalidObject
        for a name that is not a relative path, or that the bucket cannot hold next to its other names.
        """
        ...

    def sign_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        seconds: int,
    ) -> SignedRequest | None:
        """A request by which its holder can write this object, of `size` bytes, for that many seconds, as `put` with
        these arguments. None if this bucket cannot sign requests. Raises InvalidObject as `put` does."""
        ...

    def begin_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        origin: str | None,
    ) -> str | None:
        """An address to which its holder can send this object in parts, as `put` with these arguments, by PUT with
        `Content-Range`. Pages of `origin` may use it. None if this bucket takes no parts. Raises InvalidObject."""
        ...

    @property
    def takes_parts_at(self) -> str | None:
        """The addresses of `begin_upload` without their query; or what they begin with, which ends with a slash. None
        if there are none."""
        ...

    def sign_download(self, name: str, generation: int, *, seconds: int) -> SignedRequest | None:
        """A request by which its holder can read this generation as a file. None if this bucket cannot sign."""
        ...

    def delete(self, name: str, *, generation: int | None = None) -> StoredObject | None:
        """Remove the live generation and return it; None if there is no such object. With `generation`, None as well,
        and nothing is removed, if another one is live."""
        ...

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        """`delete` each of these names, with the generation beside it, in as few requests or transactions as the bucket
        allows. Returns what was removed, by name. An error leaves those deleted that came before it, and maybe others;
        every deletion is announced."""
        ...

    def stat(self, name: str) -> StoredObject | None:
        """The live generation, or None: of this moment, never of an earlier one."""
        ...

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        """The live generations of these names, if they have one, in as few requests as the bucket allows."""
        ...

    def read(self, name: str, generation: int) -> bytes:
        """The bytes of exactly this generation. Raises GenerationGone if it is not live."""
        ...

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        """The live objects whose names start with `prefix` and come after the place `after`, sorted by their place (by
        code point). Only a name that the bucket keeps in another form has another place than itself.

        Raises ConfigurationError if there is no such bucket, or it may not be listed."""
        ...

    def list_all(self, *, after: str = "") -> Iterator[StoredObject]:
        """The same of all objects, also of those that do not count (`is_shadowed`)."""
        ...


class DelegatingBucket:
    """Implements Bucket by another one. What notes or announces changes inherits from it, and changes `put` and
    `delete_many`, to which `delete` leads, too."""

    def __init__(self, bucket: Bucket) -> None:
        self._bucket = bucket

    @property
    def name(self) -> str:
        return self._bucket.name

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        return self._bucket.put(name, data, content_type=content_type, metadata=metadata, replaces=replaces)

    def sign_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        seconds: int,
    ) -> SignedRequest | None:
        return self._bucket.sign_upload(
            name, size=size, content_type=content_type, metadata=metadata, replaces=replaces, seconds=seconds
        )

    def begin_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        origin: str | None,
    ) -> str | None:
        return self._bucket.begin_upload(
            name, size=size, content_type=content_type, metadata=metadata, replaces=replaces, origin=origin
        )

    @property
    def takes_parts_at(self) -> str | None:
        return self._bucket.takes_parts_at

    def sign_download(self, name: str, generation: int, *, seconds: int) -> SignedRequest | None:
        return self._bucket.sign_download(name, generation, seconds=seconds)

    def delete(self, name: str, *, generation: int | None = None) -> StoredObject | None:
        return self.delete_many({name: generation}).get(name)

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        return self._bucket.delete_many(generations)

    def stat(self, name: str) -> StoredObject | None:
        return self._bucket.stat(name)

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        return self._bucket.stat_many(names)

    def read(self, name: str, generation: int) -> bytes:
        return self._bucket.read(name, generation)

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        return self._bucket.list(prefix, after=after)

    def list_all(self, *, after: str = "") -> Iterator[StoredObject]:
        return self._bucket.list_all(after=after)
