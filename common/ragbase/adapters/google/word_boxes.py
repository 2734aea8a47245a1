"""Word boxes as objects of the bucket that has the given texts, in a folder of their own."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from itertools import groupby

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.domain.errors import GenerationGone
from ragbase.ports import StoredObject, StoredText

FOLDER = "word-boxes"

_NAME = re.compile(rf"{FOLDER}/([0-9a-f-]{{36}})/(\d+)/([0-9a-f-]+)\.bin")


class CloudStorageWordBoxes:
    """Implements the WordBoxes port in a bucket that announces nothing."""

    def __init__(self, bucket: CloudStorageBucket) -> None:
        self._bucket = bucket

    def put(self, document_id: str, generation: int, reader: str, boxes: bytes) -> None:
        self._bucket.put(_name(document_id, generation, reader), boxes, content_type="application/octet-stream")

    def read(self, document_id: str, generation: int, reader: str) -> bytes | None:
        object = _name(document_id, generation, reader)
        while (stored := self._bucket.stat(object)) is not None:
            try:
                return self._bucket.read(object, stored.generation)
            except GenerationGone:  # it was written again at this moment, or removed
                continue
        return None

    def delete(self, document_id: str, generation: int) -> None:
        folder = f"{FOLDER}/{document_id}/{generation}/"
        for one in self._bucket.list(folder):
            self._bucket.delete(one.name)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        # "0" is the character after "/", so that the names after it are those of the documents after this one.
        listed = self._bucket.list(f"{FOLDER}/", after=f"{FOLDER}/{after}0" if after else "")
        found: list[StoredText] = []
        for _, boxes in groupby(filter(None, map(_stored, listed)), key=lambda one: one.document_id):
            latest: dict[int, StoredText] = {}
            for one in boxes:
                known = latest.get(one.generation)
                if known is None or known.written_at < one.written_at:
                    latest[one.generation] = one
            found += (latest[generation] for generation in sorted(latest))
            if len(found) >= limit:
                break
        return found


def _name(document_id: str, generation: int, reader: str) -> str:
    return f"{FOLDER}/{document_id}/{generation}/{hashlib.sha256(reader.encode()).hexdigest()[:16]}.bin"


def _stored(one: StoredObject) -> StoredText | None:
    """None for an object that somebody else has put there."""
    match = _NAME.fullmatch(one.name)
    if match is None:
        return None
    return StoredText(document_id=match[1], generation=int(match[2]), written_at=one.written_at)
