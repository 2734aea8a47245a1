"""Given texts as objects of a bucket of their own. In the bucket of the documents they would be documents, too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING

from ragbase.domain.errors import GenerationGone
from ragbase.ports import StoredObject, StoredText

if TYPE_CHECKING:
    from ragbase.adapters.google.bucket import CloudStorageBucket

_NAME = re.compile(r"([0-9a-f-]{36})/(\d+)\.md")
_AFTER_IDS = "g"
"""Ids begin with a hexadecimal digit. What others keep in the bucket stands in folders after them."""


class CloudStorageGivenTexts:
    """Implements the GivenTexts port in a bucket that announces nothing."""

    def __init__(self, bucket: CloudStorageBucket) -> None:
        self._bucket = bucket

    def put(self, document_id: str, generation: int, text: str) -> None:
        self._bucket.put(_name(document_id, generation), text.encode(), content_type="text/markdown")

    def read(self, document_id: str, generation: int) -> str:
        name = _name(document_id, generation)
        stored = self._bucket.stat(name)
        if stored is None:
            raise GenerationGone(f"The given text {name} is not there.")
        return self._bucket.read(name, stored.generation).decode()

    def delete(self, document_id: str, generation: int) -> None:
        self._bucket.delete(_name(document_id, generation))

    def scan(self, *, after: str = "", limit: int) -> Sequence[StoredText]:
        # "0" is the character after "/", so that the names after it are those of the documents after this one.
        found: list[StoredText] = []
        every = self._bucket.list(after=f"{after}0" if after else "")
        listed = takewhile(lambda one: one.name < _AFTER_IDS, every)
        for _, texts in groupby(filter(None, map(_stored, listed)), key=lambda text: text.document_id):
            found += texts
            if len(found) >= limit:
                break
        return found


def _name(document_id: str, generation: int) -> str:
    return f"{document_id}/{-generation}.md"


def _stored(one: StoredObject) -> StoredText | None:
    """None for an object that somebody else has put there."""
    match = _NAME.fullmatch(one.name)
    if match is None:
        return None
    return StoredText(document_id=match[1], generation=-int(match[2]), written_at=one.written_at)
