"""Tell whether the content of an archive is encrypted."""

from __future__ import annotations

import io
import zipfile

from ragbase.formats.office.containers import COMPOUND
from ragbase.formats.office.parts import BROKEN

LOOK = 1024 * 1024
"""Bytes of a list of encrypted files that are looked at."""

ENCRYPTED = (("META-INF/manifest.xml", b"encryption-data"), ("META-INF/encryption.xml", b"EncryptedData"))
"""How an OpenDocument file, and a book, say what in them is encrypted."""


WORD_BLOCK = b"\xec\xa5"
FLAGS_AT, IS_ENCRYPTED = 10, 0x0100
"""Where the first block of an old Word document has its flags, and the one for a password ([MS-DOC], section 2.5.2)."""
ENCRYPTED_SLIDES = b"\xdf\xc4\xd1\xf3"
"""What the stream "Current User" of an old presentation with a password has ([MS-PPT], section 2.3.2)."""
SECTOR = 512


def is_encrypted(data: bytes) -> bool:
    if data.startswith(COMPOUND):
        blocks = range(SECTOR, len(data), SECTOR)
        flags = (data[at + FLAGS_AT : at + FLAGS_AT + 2] for at in blocks if data.startswith(WORD_BLOCK, at))
        return ENCRYPTED_SLIDES in data or any(int.from_bytes(flag, "little") & IS_ENCRYPTED for flag in flags)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if any(entry.flag_bits & 1 for entry in archive.infolist()):
                return True
            for name, word in ENCRYPTED:
                if name in archive.namelist():
                    with archive.open(name) as said:
                        return word in said.read(LOOK)
    except BROKEN:
        return False
    return False
