"""The JSON of a document's record, the same in every document store."""

from __future__ import annotations

from typing import Any

from pydantic import ConfigDict, RootModel

from ragbase.domain.document import Document

_STORED_NAMES = {"rebuilt": "beside", "index_name": "index"}
"""Fields that had another name in the first records. They keep it there, so that every version reads every record."""


class _Record(RootModel[Any]):
    root: Document
    model_config = ConfigDict(alias_generator=lambda name: _STORED_NAMES.get(name, name))


def read_record(text: str) -> Document:
    return _Record.model_validate_json(text).root


def record_json(record: Document) -> str:
    return _Record(record).model_dump_json(by_alias=True)
