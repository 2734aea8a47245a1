"""Part texts as objects of the bucket that has the given texts, in a folder of their own."""

from __future__ import annotations

from collections.abc import Sequence

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.adapters.google.generation_objects import GenerationObjects
from ragbase.ports import StoredText

FOLDER = "parts"


class CloudStoragePartTexts:
    """Implements the PartTexts port in a bucket that announces nothing."""

    def __init__(self, bucket: CloudStorageBucket) -> None:
        self._objects = GenerationObjects(bucket, FOLDER, ending="json", content_type="application/json")

    def put(self, document_id: str, generation: int, name: str, text: str) -> None:
        self._objects.put(document_id, generation, name, text.encode())

    def read(self, document_id: str, generation: int, name: str) -> str | None:
        text = self._objects.read(document_id, generation, name)
        return text.decode() if text is not None else None

    def delete(self, document_id: str, generation: int) -> None:
        self._objects.delete(document_id, generation)

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        return self._objects.scan(after=after, limit=limit)
