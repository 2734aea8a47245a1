"""A snapshot in one file, which searches map into memory, so that all processes share its pages.

The file is a line of JSON (how long the arrays are), then the arrays, those with the largest numbers first: so each
begins where its numbers can be read. Its name is the CRC-32 and the size of what it holds. A file that was cut, or
changed in any byte, does not fit its name. To know that, all of it is read: 0.05 s for the 300 MB of 140,000 chunks.
"""

from __future__ import annotations

import json
import mmap
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ragbase.adapters.embedded.private_files import open_file
from ragbase.adapters.embedded.snapshot import Snapshot
from ragbase.adapters.embedded.term_postings import TermPostings
from ragbase.adapters.embedded.vectors import Vectors

_FORMAT = 1
_HEADER = 4096
"""Bytes of the first line. It ends in spaces."""


def write_snapshot(file: Path, snapshot: Snapshot) -> str:
    """Write the file, and return the name that fits it. Raises OSError."""
    crc = size = 0
    with open(file, "wb", opener=open_file) as writer:
        for piece in _pieces(snapshot):
            writer.write(piece)
            crc = zlib.crc32(piece, crc)
            size += len(piece)
    return _name(crc, size)


def read_snapshot(file: Path, dimension: int) -> Snapshot | None:
    """The snapshot in this file. None if it is not there, cannot be read, or does not fit its name."""
    try:
        with file.open("rb") as reader:
            data = mmap.mmap(reader.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):  # ValueError: it is empty
        return None
    if file.name != _name(zlib.crc32(data), len(data)):
        return None
    header = json.loads(data[:_HEADER])
    if (header["format"], header["dimension"]) != (_FORMAT, dimension):
        return None
    arrays, chunks = _Arrays(data), header["chunks"]
    return Snapshot(
        removal=header["removal"],
        row_ids=arrays.next(np.int64, chunks),
        postings=TermPostings(tuple(arrays.next(np.uint64, length) for length in header["postings"])),
        vectors=Vectors.of(arrays.next(np.float32, chunks * dimension).reshape(chunks, dimension)),
        lengths=arrays.next(np.float32, chunks),
        live=arrays.next(np.bool_, chunks),
    )


def _pieces(snapshot: Snapshot) -> Iterator[bytes | memoryview]:
    header = {
        "format": _FORMAT,
        "dimension": snapshot.vectors.kept.shape[1],
        "removal": snapshot.removal,
        "chunks": len(snapshot.row_ids),
        "postings": [len(postings) for postings in snapshot.postings.lists],
    }
    yield json.dumps(header).encode().ljust(_HEADER)
    arrays = (
        snapshot.row_ids,
        *snapshot.postings.lists,
        *snapshot.vectors.parts,
        snapshot.lengths,
        snapshot.live,
    )
    for array in arrays:
        yield np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def _name(crc: int, size: int) -> str:
    return f"{crc:08x}-{size}"


class _Arrays:
    """The arrays in a file, in their order."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._offset = _HEADER

    def next(self, kind: type[np.generic], length: int) -> npt.NDArray[Any]:
        array = np.frombuffer(self._data, dtype=kind, count=length, offset=self._offset)
        self._offset += array.nbytes
        return array
