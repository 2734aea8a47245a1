"""Which document an old office file is, by the names of its streams ([MS-CFB]), without reading any of them."""

from __future__ import annotations

COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ENTRY_LENGTH = 128
NAME_LENGTH_AT = 64
"""Where an entry of the directory has the bytes of its name, its end included (section 2.6.1)."""

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
        length = int.from_bytes(data[place + NAME_LENGTH_AT : place + NAME_LENGTH_AT + 2], "little")
        if place % ENTRY_LENGTH == 0 and length == len(wanted) + 2:
            return True
        place = data.find(wanted, place + 1)
    return False


def is_compound(data: bytes) -> bool:
    return data.startswith(COMPOUND)


def is_old(format: str, data: bytes) -> bool:
    """Whether the file is certainly a document of this format."""
    return is_compound(data) and any(has_stream(data, name) for name in STREAMS[format])
