"""The rows of one version, found by their texts. It takes 20 bytes of memory for each row."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import accumulate
from uuid import UUID

import numpy as np
import numpy.typing as npt

from ragbase.csv_service.loaded_rows import LoadedRows, Version
from ragbase.domain.document import Document, IndexedGeneration, Status
from ragbase.domain.errors import Unavailable
from ragbase.domain.job import ProcessingConfig

GENERATION = 0
"""Of every text: a text never changes."""

Keys = npt.NDArray[np.uint64]


class PartGone(Unavailable):
    """A part was removed, because another version is shown by now."""


class ShownRows:
    """Answers for search which texts it may show, as the documents' records do in the pipeline."""

    def __init__(self, version: Version, loaded: LoadedRows) -> None:
        """Raises PartGone."""
        self.version = version
        self._starts = [0, *accumulate(part.span for part in version.parts)]
        keys = _keys_of(b"".join(_present(loaded.keys(part.id)) for part in version.parts))
        self._order = np.argsort(keys[:, 0], kind="stable").astype(np.uint32)
        self._first_halves, self._second_halves = keys[self._order, 0], keys[self._order, 1]

    def get_many(self, document_ids: Sequence[str]) -> Mapping[str, Document]:
        """Those of these texts that the version has, as search wants to see them."""
        return {id: self._record(id) for id in document_ids if self.has(id)}

    def has(self, text_id: str) -> bool:
        return len(self._places(text_id)) > 0

    def rows_of(self, text_id: str) -> list[int]:
        """The numbers of the rows with this text, growing."""
        return [int(place) + 1 for place in np.sort(self._places(text_id))]

    def place_of(self, row: int) -> tuple[str, int]:
        """The part that has the row of this number, and its place in that part."""
        part = bisect_right(self._starts, row - 1) - 1
        return self.version.parts[part].id, row - 1 - self._starts[part]

    def _places(self, text_id: str) -> npt.NDArray[np.uint32]:
        key = _keys_of(UUID(text_id).bytes)[0]
        first = np.searchsorted(self._first_halves, key[0], "left")
        last = np.searchsorted(self._first_halves, key[0], "right")
        places: npt.NDArray[np.uint32] = self._order[first:last][self._second_halves[first:last] == key[1]]
        return places

    def _record(self, id: str) -> Document:
        version, loaded_at = self.version, datetime.fromisoformat(self.version.loaded_at)
        return Document(
            id=id,
            bucket="",
            name=version.source,
            generation=GENERATION,
            status=Status.COMPLETED,
            size=0,
            md5="",
            content_type="text/csv",
            format="csv",
            lane=None,
            source=version.source,
            config=ProcessingConfig(),
            created_at=loaded_at,
            updated_at=loaded_at,
            active=IndexedGeneration(
                generation=GENERATION,
                chunk_count=1,
                md5="",
                fingerprint=version.made_with,
                text_length=0,
                index_name=version.index.name,
            ),
        )


def _keys_of(keys: bytes) -> Keys:
    return np.frombuffer(keys, dtype=">u8").reshape(-1, 2).astype(np.uint64)


def _present(keys: bytes | None) -> bytes:
    if keys is None:
        raise PartGone("The rows are being replaced.")
    return keys
