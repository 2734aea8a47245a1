"""The JSON of a document's record, the same in every document store."""

from __future__ import annotations

from typing import NewType

from pydantic import ConfigDict, TypeAdapter

from ragbase.domain.document import Document

_STORED_NAMES = {"rebuilt": "beside", "index_name": "index"}
"""Fields that had another name in the first records. They keep it there, so that every version reads every record."""
_Record = NewType("_Record", Document)
"""A TypeAdapter takes no config for a dataclass itself, and so no other names for its fields. For a NewType it does."""
_RECORD = TypeAdapter(_Record, config=ConfigDict(alias_generator=lambda name: _STORED_NAMES.get(name, name)))


def read_record(text: str) -> Document:
    return _RECORD.validate_json(text)


def record_json(record: Document) -> str:
    """Of a tombstone, which stays for ever, without the fields that have their defaults: half of it."""
    return _RECORD.dump_json(_Record(record), by_alias=True, exclude_defaults=record.tombstone).decode()
