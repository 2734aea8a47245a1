"""Real PDF files, written by hand: just enough of the format (ISO 32000-1) for a reader to accept them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

Line = tuple[int, str]
"""Font size in points, and what is written in it."""

TITLE_SIZE = 16
"""Points from which on lines are bold, as titles are."""


def pdf(*pages: Sequence[Line]) -> bytes:
    """A PDF with a text layer: each page's lines from its top to its bottom."""
    return pdf_of_contents(*map(_content, pages))


def pdf_of_contents(*contents: bytes) -> bytes:
    """A PDF whose pages are these content streams (compressed here, as every PDF writer does)."""
    kids = " ".join(f"{5 + 2 * index} 0 R" for index in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ]
    for content in contents:
        stream = zlib.compress(content)
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            b"/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents %d 0 R >>" % (len(objects) + 2),
            b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
        ]
    return pdf_file(objects)


def _content(lines: Sequence[Line]) -> bytes:
    top = 720
    commands = []
    for size, text in lines:
        font = "F2" if size >= TITLE_SIZE else "F1"
        commands.append(f"BT /{font} {size} Tf 72 {top} Td ({text}) Tj ET")
        top -= int(1.4 * size)
    return "\n".join(commands).encode("latin-1")


def pdf_file(objects: Sequence[bytes]) -> bytes:
    body = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    entries = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return body + (
        b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, entries, len(objects) + 1, len(body))
    )


def pdf_with_font(glyphs: Sequence[tuple[str, int]], size: float) -> bytes:
    """A page with these glyphs from left to right: the letters of each (hexadecimal UTF-16, as a ToUnicode map has
    them) and its width in tenths of the font size."""
    widths = " ".join(str(100 * width) for _, width in glyphs)
    last = len(glyphs) - 1
    lines = "\n".join(f"<{code:02X}> <{letters}>" for code, (letters, _) in enumerate(glyphs))
    to_unicode = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n1 begincodespacerange <00> <FF> "
        f"endcodespacerange\n{len(glyphs)} beginbfchar\n{lines}\nendbfchar\nendcmap end end"
    ).encode()
    codes = "".join(f"{code:02X}" for code in range(len(glyphs)))
    content = f"BT /F1 {size} Tf 300 700 Td <{codes}> Tj ET".encode()
    box = b"0 0 m 500 0 l 500 500 l f"
    names = " ".join(f"{code} /g" for code in range(len(glyphs)))
    return pdf_file(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            b"/Resources << /Font << /F1 4 0 R >> >> /Contents 6 0 R >>",
            f"<< /Type /Font /Subtype /Type3 /FontBBox [0 0 1000 1000] /FontMatrix [.001 0 0 .001 0 0] /CharProcs "
            f"<< /g 7 0 R >> /Encoding << /Type /Encoding /Differences [{names}] >> /FirstChar 0 /LastChar {last} "
            f"/Widths [{widths}] /ToUnicode 5 0 R /Resources << >> >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(to_unicode), to_unicode),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Length %d >>\nstream\n600 0 d0 %s\nendstream" % (len(box) + 9, box),
        ]
    )
