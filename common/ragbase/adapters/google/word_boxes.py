"""Word boxes as objects of the bucket that has the given texts, in a folder of their own."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.adapters.google.generation_objects import GenerationObjects
from ragbase.ports import StoredText

FOLDER = "word-boxes"


class CloudStorageWordBoxes:
    """Implements the WordBoxes port in a bucket that announces nothing."""

    def __init__(self, bucket: CloudStorageBucket) -> None:
        self._objects = GenerationObjects(bucket, FOLDER, ending="bin", content_type="application/octet-stream")

    def put(self, document_id: str, generation: int, reader: str, boxes: bytes) -> None:
        self._objects.put(document_id, generation, _name(reader), boxes)

    def read(self, document_id: str, generation: int, reader: str) -> bytes | None:
        return self._objects.read(document_id, generation, _name(reader))

    def delete(self, document_id: str, generation: int) -> None:
        self._objects.delete(document_id, generation)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        return self._objects.scan(after=after, limit=limit)


def _name(reader: str) -> str:
    """A reader has characters that no name of an object should have."""
    return hashlib.sha256(reader.encode()).hexdigest()[:16]
