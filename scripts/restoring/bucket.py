"""Bring back objects that were overwritten or deleted. The bucket keeps old versions (terraform/storage.tf).

An old version becomes the newest one by a copy inside of the bucket. For the pipeline, that is an upload like any
other. So nothing is lost by it, and it can be taken back in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Protocol


class Version(Protocol):
    """A version of an object, as google.cloud.storage.Blob has it. `time_deleted` is None for the live one."""

    @property
    def name(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def time_created(self) -> datetime: ...
    @property
    def time_deleted(self) -> datetime | None: ...
    @property
    def md5_hash(self) -> str | None: ...
    @property
    def crc32c(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Back:
    """A version to bring back, and the generation that it replaces: None if the object is gone."""

    name: str
    generation: int
    replaces: int | None


def lost(versions: Iterable[Version], moment: datetime) -> Iterator[Back]:
    """The objects that had other bytes at `moment` than now, or are gone now. What is newer than `moment` stays."""
    for name, all_of_it in groupby(sorted(versions, key=lambda one: one.name), key=lambda one: one.name):
        group = list(all_of_it)
        then = [one for one in group if one.time_created <= moment and _ends_after(one, moment)]
        now = [one for one in group if one.time_deleted is None]
        if then and not (now and _bytes(now[0]) == _bytes(then[0])):
            yield Back(name, then[0].generation, now[0].generation if now else None)


def versions_of(bucket: Any, prefix: str, *, only: str | None = None) -> Sequence[Version]:
    """All versions of all objects whose names start with the prefix, or of the one that is called `only`."""
    # As a word: the client sends a Python True as "True", which not every server takes.
    found = bucket.client.list_blobs(bucket, prefix=prefix if only is None else only, versions="true")
    return [one for one in found if only is None or one.name == only]


def bring_back(bucket: Any, back: Back) -> None:
    """Make the old version the newest one. Refused (PreconditionFailed) if somebody has changed the object since."""
    bucket.copy_blob(
        bucket.blob(back.name),
        bucket,
        back.name,
        source_generation=back.generation,
        if_generation_match=back.replaces or 0,
    )


def _ends_after(version: Version, moment: datetime) -> bool:
    return version.time_deleted is None or version.time_deleted > moment


def _bytes(version: Version) -> tuple[str | None, str]:
    """Two versions with the same are the same bytes. A composed object has no MD5."""
    return version.md5_hash, version.crc32c
