"""Part texts as objects of the bucket that has the given texts, in a folder of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby

from ragbase.adapters.google.bucket import CloudStorageBucket
from ragbase.domain.errors import GenerationGone
from ragbase.ports import StoredObject, StoredText

FOLDER = "parts"

_NAME = re.compile(rf"{FOLDER}/([0-9a-f-]{{36}})/(\d+)/([0-9a-f-]+)\.json")


class CloudStoragePartTexts:
    """Implements the PartTexts port in a bucket that announces nothing."""

    def __init__(self, bucket: CloudStorageBucket) -> None:
        self._bucket = bucket

    def put(self, document_id: str, generation: int, name: str, text: str) -> None:
        self._bucket.put(_name(document_id, generation, name), text.encode(), content_type="application/json")

    def read(self, document_id: str, generation: int, name: str) -> str | None:
        object = _name(document_id, generation, name)
        while (stored := self._bucket.stat(object)) is not None:
            try:
                return self._bucket.read(object, stored.generation).decode()
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
        for _, texts in groupby(filter(None, map(_stored, listed)), key=lambda text: text.document_id):
            latest: dict[int, StoredText] = {}
            for text in texts:
                known = latest.get(text.generation)
                if known is None or known.written_at < text.written_at:
                    latest[text.generation] = text
            found += (latest[generation] for generation in sorted(latest))
            if len(found) >= limit:
                break
        return found


def _name(document_id: str, generation: int, name: str) -> str:
    return f"{FOLDER}/{document_id}/{generation}/{name}.json"


def _stored(one: StoredObject) -> StoredText | None:
    """None for an object that somebody else has put there."""
    match = _NAME.fullmatch(one.name)
    if match is None:
        return None
    return StoredText(document_id=match[1], generation=int(match[2]), written_at=one.written_at)
