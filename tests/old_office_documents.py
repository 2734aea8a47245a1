"""Documents of old office programs, written by hand: compound files ([MS-CFB]) with the least that a reader accepts."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from tests.office_documents import ROPE, ROWS, WIND

SECTOR, SMALL_SECTOR, SMALL = 512, 64, 4096
END, FREE, TABLE = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
STORAGE, STREAM, ROOT = 1, 2, 5


def compound(streams: Mapping[str, bytes]) -> bytes:
    """A compound file with these streams. Small ones are in the small stream, as everywhere."""
    sectors: list[bytes] = []
    fat: list[int] = []

    def place(data: bytes) -> int:
        pieces = [data[at : at + SECTOR].ljust(SECTOR, b"\0") for at in range(0, len(data), SECTOR)]
        if not pieces:
            return END
        first = len(sectors)
        sectors.extend(pieces)
        fat.extend([*range(first + 1, first + len(pieces)), END])
        return first

    small = b""
    small_fat: list[int] = []
    entries = []
    names = sorted(streams, key=lambda name: (len(name), name.upper()))
    for number, name in enumerate(names):
        data = streams[name]
        if len(data) >= SMALL:
            start = place(data)
        else:
            start = len(small) // SMALL_SECTOR
            count = -(-len(data) // SMALL_SECTOR)
            small += data.ljust(count * SMALL_SECTOR, b"\0")
            small_fat += [*range(start + 1, start + count), END] if count else []
        after = number + 2 if number + 1 < len(names) else FREE
        entries.append(_entry(name, STREAM, start, len(data), after=after))
    root = _entry("Root Entry", ROOT, place(small), len(small), child=1)
    directory = place(b"".join([root, *entries]).ljust(SECTOR, b"\0"))
    small_table = place(b"".join(struct.pack("<I", one) for one in small_fat).ljust(SECTOR, b"\xff"))
    table = len(sectors)
    fat.append(TABLE)
    tables = -(-len(fat) // 128)
    assert tables == 1
    sectors.append(b"".join(struct.pack("<I", one) for one in [*fat, *[FREE] * (128 - len(fat))]))
    header = struct.pack(
        "<8s16sHHHHH6sIIIIIIIIII",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"", 0, 1, directory, 0, SMALL, small_table, 1,
        END, 0, table,
    )  # fmt: skip
    return b"".join([header.ljust(SECTOR, b"\xff"), *sectors])


def _entry(name: str, kind: int, start: int, size: int, *, after: int = FREE, child: int = FREE) -> bytes:
    """An entry of the directory, whose tree is a list here."""
    text = name.encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ", text, len(text) + 2, kind, 1, FREE, after, child, b"", 0, 0, 0, start, size
    )


def doc() -> bytes:
    """A Word document of two paragraphs, in one piece of text."""
    text = f"{WIND}\r{ROPE}\r".encode("cp1252")
    start = 1024
    pieces = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, (start * 2) | 0x40000000, 0)
    clx = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    block = bytearray(start)
    struct.pack_into("<HHHHHH", block, 0, 0xA5EC, 0xC1, 0, 0x409, 0, 0x0200)
    struct.pack_into("<H", block, 32, 14)
    struct.pack_into("<H", block, 62, 22)
    struct.pack_into("<I", block, 64 + 12, len(text))
    struct.pack_into("<H", block, 152, 93)
    struct.pack_into("<II", block, 0x1A2, 0, len(clx))
    return compound({"WordDocument": bytes(block) + text.ljust(SMALL, b"\0"), "1Table": clx.ljust(SMALL, b"\0")})


def xls() -> bytes:
    """A workbook with one sheet of texts and a number."""

    def record(kind: int, data: bytes) -> bytes:
        return struct.pack("<HH", kind, len(data)) + data

    def begin(kind: int) -> bytes:
        return record(0x809, struct.pack("<HHHHII", 0x600, kind, 0, 0, 0, 0))

    def label(row: int, column: int, text: str) -> bytes:
        return record(0x204, struct.pack("<HHHHB", row, column, 0, len(text), 0) + text.encode("latin-1"))

    end = record(0x0A, b"")
    cells = b"".join(
        label(row, column, text) for row, texts in enumerate((*ROWS, (WIND, ROPE))) for column, text in enumerate(texts)
    )
    sheet = begin(0x10) + cells + record(0x203, struct.pack("<HHHd", 3, 1, 0, 4.5)) + end
    name = b"Fees"
    length = len(begin(5)) + 4 + 8 + len(name) + len(end)
    listed = record(0x85, struct.pack("<IBBBB", length, 0, 0, len(name), 0) + name)
    return compound({"Workbook": begin(5) + listed + end + sheet})


def ppt() -> bytes:
    """A presentation with one slide."""

    def atom(kind: int, data: bytes, version: int = 0) -> bytes:
        return struct.pack("<HHI", version, kind, len(data)) + data

    boxes = b"".join(
        atom(0xF00D, atom(0x0F9F, struct.pack("<I", kind)) + atom(0x0FA0, text.encode("utf-16-le")), 0x0F)
        for kind, text in ((0, "Sailing"), (1, WIND))
    )
    slide = atom(0x03EE, atom(0x03EF, bytes(24), 2) + atom(0x040C, boxes, 0x0F), 0x0F)
    return compound({"PowerPoint Document": atom(0x03E8, b"", 0x0F) + slide, "Current User": bytes(64)})


def msg() -> bytes:
    """A mail as Outlook keeps it."""

    def text(tag: str, said: str) -> tuple[str, bytes]:
        return f"__substg1.0_{tag}001F", said.encode("utf-16-le")

    return compound(
        dict(
            (
                text("0037", "The Möwe needs paint"),
                text("0C1A", "Ann"),
                text("0C1F", "ann@example.com"),
                text("0E04", "bob@example.com"),
                text("1000", f"{WIND}\r\n\r\n{ROPE}\r\n"),
                text("001A", "IPM.Note"),
                ("__properties_version1.0", bytes(32)),
            )
        )
    )


OLD_DOCUMENTS = {"doc": doc(), "xls": xls(), "ppt": ppt(), "msg": msg()}
"""One of each format."""
