"""Which office document a file is, by the names in its container (a ZIP archive or a compound file), which is not
unpacked."""

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


COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
STREAM_ENTRY_LENGTH = 128
STREAM_NAME_LENGTH_AT = 64
"""Where an entry of a compound file's directory has the bytes of its name, its end included ([MS-CFB], 2.6.1)."""

STREAMS = {
    "msg": ("__properties_version1.0",),
    "doc": ("WordDocument",),
    "xls": ("Workbook", "Book"),
    "ppt": ("PowerPoint Document",),
}
"""A stream that every document of a format has."""


def has_stream(data: bytes, name: str) -> bool:
    wanted = name.encode("utf-16-le")
    place = data.find(wanted)
    while place >= 0:
        length = int.from_bytes(data[place + STREAM_NAME_LENGTH_AT : place + STREAM_NAME_LENGTH_AT + 2], "little")
        if place % STREAM_ENTRY_LENGTH == 0 and length == len(wanted) + 2:
            return True
        place = data.find(wanted, place + 1)
    return False


def is_compound(data: bytes) -> bool:
    return data.startswith(COMPOUND)


def is_old(format: str, data: bytes) -> bool:
    """Whether the file is certainly a document of this format."""
    return is_compound(data) and any(has_stream(data, name) for name in STREAMS[format])
