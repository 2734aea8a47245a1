"""Whether what is in an archive is encrypted."""

from __future__ import annotations

import io
import zipfile

from ragbase.formats.office.parts import BROKEN

LOOK = 1024 * 1024
"""Bytes of a list of encrypted files that are looked at."""

ENCRYPTED = (("META-INF/manifest.xml", b"encryption-data"), ("META-INF/encryption.xml", b"EncryptedData"))
"""How an OpenDocument file, and a book, say what in them is encrypted."""


def is_encrypted(data: bytes) -> bool:
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
