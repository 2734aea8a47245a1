"""A bucket in a dictionary."""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from ragbase.domain.errors import GenerationChanged, GenerationGone
from ragbase.domain.object_event import EventKind, ObjectEvent
from ragbase.domain.object_name import check_object
from ragbase.formats.content_type import content_type_of
from ragbase.ports import Clock, StoredObject


class MemoryBucket:
    """Implements the Bucket port. `announce` is called after every change, outside any lock.

    Its generations are unique but in no order, which is all that Cloud Storage promises.
    """

    def __init__(
        self,
        name: str,
        announce: Callable[[ObjectEvent], None],
        clock: Clock,
        *,
        number: Callable[[str], int] | None = None,
    ) -> None:
        """`number` gives the next generation of a name its number: another one at every call. By default, those of
        `unordered`."""
        self._name = name
        self._announce = announce
        self._clock = clock
        self._number = number or unordered()
        self._live: dict[str, tuple[StoredObject, bytes]] = {}
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        return self._name

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        check_object(name, metadata or {})
        with self._lock:
            if replaces is not None and replaces != (self._live[name][0].generation if name in self._live else 0):
                raise GenerationChanged(f"{name}: somebody else has written or deleted it.")
            stored = StoredObject(
                bucket=self._name,
                name=name,
                generation=self._number(name),
                size=len(data),
                md5=hashlib.md5(data, usedforsecurity=False).hexdigest(),
                content_type=content_type or content_type_of(name, data),
                metadata=dict(metadata or {}),
                written_at=self._clock.now(),
            )
            self._live[name] = (stored, bytes(data))
        self._announce(stored.event(EventKind.FINALISED))
        return stored

    def sign_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        seconds: int,
    ) -> None:
        check_object(name, metadata)

    def begin_upload(
        self,
        name: str,
        *,
        size: int,
        content_type: str,
        metadata: Mapping[str, str],
        replaces: int | None,
        origin: str | None,
    ) -> None:
        return None

    takes_parts_at = None

    def sign_download(self, name: str, generation: int, *, seconds: int) -> None:
        """It has no address of its own."""

    def delete(self, name: str, *, generation: int | None = None) -> StoredObject | None:
        with self._lock:
            stored, _ = self._live.get(name, (None, b""))
            if stored is None or generation not in (None, stored.generation):
                return None
            del self._live[name]
        self._announce(stored.event(EventKind.DELETED))
        return stored

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        removed = [self.delete(name, generation=generation) for name, generation in generations.items()]
        return {stored.name: stored for stored in removed if stored is not None}

    def stat(self, name: str) -> StoredObject | None:
        return self.stat_many([name]).get(name)

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        with self._lock:
            return {name: self._live[name][0] for name in names if name in self._live}

    def read(self, name: str, generation: int) -> bytes:
        with self._lock:
            stored, data = self._live.get(name, (None, b""))
        if stored is None or stored.generation != generation:
            raise GenerationGone(f"{name}: generation {generation} is no longer in the bucket.")
        return data

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        with self._lock:
            live = [self._live[name][0] for name in self._live if name.startswith(prefix) and name > after]
        return iter(sorted(live, key=lambda stored: stored.name))

    def list_all(self, *, after: str = "") -> Iterator[StoredObject]:
        return self.list(after=after)  # each form of a name is another name here


def unordered() -> Callable[[str], int]:
    """Numbers for the generations of names: hashes of 63 bits, the same in each run, unique but in no order."""
    writes: Counter[str] = Counter()

    def number(name: str) -> int:
        writes[name] += 1
        digest = hashlib.blake2b(f"{name}\n{writes[name]}".encode(), digest_size=8).digest()
        return int.from_bytes(digest) >> 1

    return number
