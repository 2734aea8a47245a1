"""One object for each name, however the name is written, on a bucket that keeps names byte for byte.

Cloud Storage does, and most file systems, so a bucket may hold objects whose names differ only in form: a Mac writes
"é" as two characters, most other programs as one (https://cloud.google.com/storage/docs/objects#naming). Here all of
them are one object. Its name is in NFC. The one that counts is the one that the bucket has in NFC, or else the one in
NFD, or else the first by code points. The others have no document (`list_all` names them).

A generation's number has to differ among all forms of a name, then. Cloud Storage promises it for each name alone; its
numbers are times in microseconds, so that two forms have the same one only if they were written in the same moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.domain.errors import GenerationChanged, GenerationGone
from ragbase.domain.name_forms import has_other_forms, nfc, nfd, precedence, ranges
from ragbase.ports.bucket import DelegatingBucket, StoredObject

if TYPE_CHECKING:
    from ragbase.ports.bucket import SignedRequest

_PAGE = 500
"""Objects of a listing that are looked at together."""


class CanonicalBucket(DelegatingBucket):
    """Implements Bucket by one that tells forms apart. To ask for a name that it has in NFC, or that has one form only,
    costs as much as there."""

    def put(
        self,
        name: str,
        data: bytes,
        *,
        content_type: str = "",
        metadata: Mapping[str, str] | None = None,
        replaces: int | None = None,
    ) -> StoredObject:
        """The new generation has the name in NFC. It takes the place of all other forms, which are deleted."""
        name = nfc(name)
        stored = super().put(
            name, data, content_type=content_type, metadata=metadata, replaces=self._replaces(name, replaces)
        )
        if nfd(name) != name:
            self._delete_each(self._forms(name))
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
    ) -> SignedRequest | None:
        name = nfc(name)
        replaces = self._replaces(name, replaces)
        return super().sign_upload(
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
        name = nfc(name)
        replaces = self._replaces(name, replaces)
        return super().begin_upload(
            name, size=size, content_type=content_type, metadata=metadata, replaces=replaces, origin=origin
        )

    def sign_download(self, name: str, generation: int, *, seconds: int) -> SignedRequest | None:
        return super().sign_download(self._spelling(name, generation), generation, seconds=seconds)

    def delete(self, name: str, *, generation: int | None = None) -> StoredObject | None:
        return self.delete_many({name: generation}).get(name)

    def delete_many(self, generations: Mapping[str, int | None]) -> Mapping[str, StoredObject]:
        """To delete an object means all forms of its name. Those that do not count go first: if this breaks off,
        none of them takes its place."""
        wanted: dict[str, str] = {}
        plain = {name: generation for name, generation in generations.items() if not has_other_forms(name)}
        asked: dict[str, int | None] = {nfc(name): generation for name, generation in plain.items()}
        for name in generations.keys() - plain.keys():
            live = self.stat(name)
            if live is None or generations[name] not in (None, live.generation):
                continue
            self._delete_each(one for one in self._forms(nfc(name)) if one.name != live.place)
            wanted[live.place] = name
            asked[live.place] = generations[name]
        names = {**{nfc(name): name for name in plain}, **wanted}
        return {names[place]: _named(stored) for place, stored in super().delete_many(asked).items()}

    def stat(self, name: str) -> StoredObject | None:
        live = super().stat(nfc(name))
        return live if live is not None else self._other(name)

    def stat_many(self, names: Sequence[str]) -> Mapping[str, StoredObject]:
        live = super().stat_many([nfc(name) for name in names])
        found = {name: live.get(nfc(name)) or self._other(name) for name in names}
        return {name: stored for name, stored in found.items() if stored is not None}

    def read(self, name: str, generation: int) -> bytes:
        try:
            return super().read(nfc(name), generation)
        except GenerationGone:
            spelling = self._spelling(name, generation)
            if spelling == nfc(name):
                raise
            return super().read(spelling, generation)

    def list(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        return (one for one in self.list_all(prefix, after=after) if not one.is_shadowed)

    def list_all(self, prefix: str = "", *, after: str = "") -> Iterator[StoredObject]:
        """Those whose names begin with a form of the prefix."""
        prefix = nfc(prefix)
        for start, least in ranges(prefix):
            listed = self._bucket.list(start, after=max(least, after))
            while page := list(islice(listed, _PAGE)):
                odd = {one.name: name for one in page if (name := nfc(one.name)) != one.name}
                if not odd and prefix == start:
                    yield from page
                    continue
                known = super().stat_many(list(odd.values())) if odd else {}
                for one in page:
                    name = odd.get(one.name, one.name)
                    if name == one.name and name.startswith(prefix):
                        yield one
                    elif name.startswith(prefix):
                        counts = name not in known and self._is_first(one.name, name)
                        yield replace(one, name=name, spelling=one.name, is_shadowed=not counts)

    def _is_first(self, form: str, name: str) -> bool:
        """Whether it is the first of the forms of a name of which the bucket has none in NFC."""
        if form == nfd(name):
            return True
        forms = self._forms(name)
        return not forms or forms[0].name == form

    def _other(self, name: str) -> StoredObject | None:
        """The object that counts, if the bucket has none whose name is in NFC."""
        name = nfc(name)
        if not has_other_forms(name):
            return None
        live = (self._bucket.stat(one.name) for one in self._forms(name))
        return next((_named(one) for one in live if one is not None), None)

    def _forms(self, name: str) -> Sequence[StoredObject]:
        """The objects whose names are other forms of this one, which is in NFC; first the one that counts."""
        listed = (one for start, after in ranges(name) for one in self._bucket.list(start, after=after))
        return sorted(
            (one for one in listed if one.name != name and nfc(one.name) == name), key=lambda one: precedence(one.name)
        )

    def _spelling(self, name: str, generation: int) -> str:
        """How the bucket writes the name of the object that counts, if that is this generation."""
        live = self.stat(name) if has_other_forms(name) else None
        return live.place if live is not None and live.generation == generation else nfc(name)

    def _replaces(self, name: str, generation: int | None) -> int | None:
        """Which generation of the name in NFC makes way for a new one."""
        if generation is None or nfd(name) == name:
            return generation
        other = self._other(name) if super().stat(name) is None else None
        if other is None:
            return generation
        if generation != other.generation:
            raise GenerationChanged(f"{name}: somebody else has written or deleted it.")
        return 0

    def _delete_each(self, objects: Iterator[StoredObject] | Sequence[StoredObject]) -> None:
        generations: dict[str, int | None] = {one.name: one.generation for one in objects}
        if generations:
            super().delete_many(generations)


def _named(stored: StoredObject) -> StoredObject:
    name = nfc(stored.name)
    return stored if name == stored.name else replace(stored, name=name, spelling=stored.name)
