"""Which document a ZIP archive is, by the names in its directory, without unpacking anything."""

from __future__ import annotations

import struct

ZIP = b"PK\x03\x04"
ENTRY = b"PK\x01\x02"
ENTRY_LENGTH = 46
NAME_LENGTH_AT = 28
"""Where the fields of an entry of the directory are (PKWARE's APPNOTE, section 4.3.12)."""

MIMETYPE_AT = 30
"""Where the name of an archive's first file begins, which has no extra field in OpenDocument files and books."""


def has_entry(data: bytes, name: str) -> bool:
    """Whether the directory of the archive names this file."""
    wanted = name.encode()
    place = data.rfind(wanted)
    while place >= 0:
        entry = place - ENTRY_LENGTH
        if entry >= 0 and data.startswith(ENTRY, entry):
            (length,) = struct.unpack_from("<H", data, entry + NAME_LENGTH_AT)
            if length == len(wanted):
                return True
        place = data.rfind(wanted, 0, place + len(wanted) - 1)
    return False


def is_zip(data: bytes) -> bool:
    return data.startswith(ZIP)


def says_mimetype(data: bytes, content_type: str) -> bool:
    """Whether its first file is called `mimetype` and holds this content type, not compressed."""
    return is_zip(data) and data.startswith(b"mimetype" + content_type.encode(), MIMETYPE_AT)
