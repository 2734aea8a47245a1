"""Cut the rows of a file into parts, so that a change of a few rows changes a few parts.

Where a part ends is decided by the texts of the rows alone, not by their numbers (content-defined chunking, as backup
programs do it). So a row that is added at the beginning changes one part, and all others stay what they are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from ragbase.domain.identity import document_id, text_hash

NO_ROW = bytes(16)
"""Stands for a row number that has no row: the row was skipped."""

_FEWEST, _MOST = 128, 2_048
"""Row numbers of a part, but for the last one."""
_MARK = 512
"""One row in so many ends a part."""
_MOST_CHARACTERS = 200_000
"""Of the fields of a part's rows: Firestore keeps at most 1 MiB in a document, and a character has up to 4 bytes."""
_TEXTS = "csv"
"""Takes the place of the bucket in the ids of texts."""

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RowText:
    """A row as it is kept: its number, its text, and its metadata without what all rows share."""

    number: int
    content: str
    fields: Fields


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows in a row. `id` names all that they are but their numbers; `span` counts the numbers they take."""

    id: str
    span: int


@dataclass(frozen=True, slots=True)
class CutPart:
    """A part with its rows. `keys` has 16 bytes for each row number, `contents` each text once, by its id, and `fields`
    the metadata of each row number as JSON."""

    part: Part
    keys: bytes
    contents: Mapping[str, str]
    fields: str
    rows: int


def text_id(content: str) -> str:
    """The id of a text. Rows with the same text share it, in whatever version of the file."""
    return document_id(_TEXTS, text_hash(content))


def text_ids(keys: bytes) -> list[str]:
    """The ids of the texts in a part's keys, each once."""
    found = {keys[start : start + len(NO_ROW)] for start in range(0, len(keys), len(NO_ROW))} - {NO_ROW}
    return [str(UUID(bytes=key)) for key in sorted(found)]


def cut_parts(rows: Iterable[RowText], index: str) -> Iterator[CutPart]:
    """The rows in parts, for the index of this name. Numbers have to grow; where some are left out, no row is there."""
    cutting = _Cutting(index)
    for row in rows:
        cutting.add(row)
        if cutting.is_full:
            yield cutting.cut()
    if cutting.rows:
        yield cutting.cut()


class _Cutting:
    """The part that is being filled."""

    def __init__(self, index: str) -> None:
        self._index = index
        self._next = 1
        self._clear()

    def _clear(self) -> None:
        self._keys: list[bytes] = []
        self._contents: dict[str, str] = {}
        self._fields: list[str] = []
        self._characters = 0
        self.rows = 0

    def add(self, row: RowText) -> None:
        skipped = row.number - self._next
        self._keys += [NO_ROW] * skipped
        self._fields += ["null"] * skipped
        id = text_id(row.content)
        fields = json.dumps(row.fields, ensure_ascii=False, default=str)
        self._keys.append(bytes.fromhex(id.replace("-", "")))
        self._contents[id] = row.content
        self._fields.append(fields)
        self._characters += len(fields)
        self._next = row.number + 1
        self.rows += 1

    @property
    def is_full(self) -> bool:
        count = len(self._keys)
        if count >= _MOST or self._characters >= _MOST_CHARACTERS:
            return True
        return count >= _FEWEST and int.from_bytes(self._keys[-1][:2]) % _MARK == 0

    def cut(self) -> CutPart:
        keys, fields = b"".join(self._keys), f"[{','.join(self._fields)}]"
        digest = hashlib.blake2b(f"{self._index}\n{fields}\n".encode("utf-8", "surrogatepass") + keys, digest_size=16)
        cut = CutPart(Part(digest.hexdigest(), len(self._keys)), keys, self._contents, fields, self.rows)
        self._clear()
        return cut
