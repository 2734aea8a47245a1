"""Which folders have documents: a prefix that is misspelt reaches none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragbase.domain.labels import is_in
from ragbase.domain.name_forms import nfc, nfd
from ragbase.pipeline.named_records import records_of

if TYPE_CHECKING:
    from ragbase.ports import DocumentStore

MOST = 10
"""Folders that are named."""


def has_documents(folder: str, documents: DocumentStore, bucket: str) -> bool:
    """Whether a document of the bucket of this name, also a deleted one, is or was in this folder, or has this name."""
    for form in dict.fromkeys((nfc(folder), nfd(folder))):  # an older version kept names as they came
        below = documents.scan(bucket, after=f"{form}/", limit=1)
        if below and is_in(below[0].name, form):
            return True
    return bool(records_of([folder], documents, bucket))


def top_folders(documents: DocumentStore, bucket: str) -> Sequence[str]:
    """The first of them, by name."""
    found: list[str] = []
    after = ""
    while len(found) < MOST and (records := documents.scan(bucket, after=after, limit=1)):
        folder, slash, _ = records[0].name.partition("/")
        if slash:
            found.append(f"{folder}/")
        after = f"{folder}/{chr(0x10FFFF)}" if slash else records[0].name
    return found
