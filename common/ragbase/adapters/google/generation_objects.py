"""Objects by document, generation and name, in a folder of a bucket that announces nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.domain.errors import GenerationGone
from ragbase.ports import StoredObject, StoredText


class GenerationObjects:
    """Those of one folder. Their names have only hexadecimal digits and hyphens."""

    def __init__(self, bucket: CloudStorageBucket, folder: str, *, ending: str, content_type: str) -> None:
        self._bucket = bucket
        self._folder = folder
        self._ending = ending
        self._content_type = content_type
        self._objects = re.compile(rf"{folder}/([0-9a-f-]{{36}})/(\d+)/[0-9a-f-]+\.{ending}")

    def put(self, document_id: str, generation: int, name: str, data: bytes) -> None:
        self._bucket.put(self._object(document_id, generation, name), data, content_type=self._content_type)

    def read(self, document_id: str, generation: int, name: str) -> bytes | None:
        object = self._object(document_id, generation, name)
        while (stored := self._bucket.stat(object)) is not None:
            try:
                return self._bucket.read(object, stored.generation)
            except GenerationGone:  # it was written again at this moment, or removed
                continue
        return None

    def delete(self, document_id: str, generation: int) -> None:
        for one in self._bucket.list(f"{self._folder}/{document_id}/{generation}/"):
            self._bucket.delete(one.name)

    def scan(self, *, after: str, limit: int) -> Sequence[StoredText]:
        """As the ports PartTexts and WordBoxes have it."""
        # "0" is the character after "/", so that the names after it are those of the documents after this one.
        listed = self._bucket.list(f"{self._folder}/", after=f"{self._folder}/{after}0" if after else "")
        found: list[StoredText] = []
        for _, stored in groupby(filter(None, map(self._stored, listed)), key=lambda one: one.document_id):
            latest: dict[int, StoredText] = {}
            for one in stored:
                known = latest.get(one.generation)
                if known is None or known.written_at < one.written_at:
                    latest[one.generation] = one
            found += (latest[generation] for generation in sorted(latest))
            if len(found) >= limit:
                break
        return found

    def _object(self, document_id: str, generation: int, name: str) -> str:
        return f"{self._folder}/{document_id}/{generation}/{name}.{self._ending}"

    def _stored(self, one: StoredObject) -> StoredText | None:
        """None for an object that somebody else has put there."""
        match = self._objects.fullmatch(one.name)
        if match is None:
            return None
        return StoredText(document_id=match[1], generation=int(match[2]), written_at=one.written_at)
