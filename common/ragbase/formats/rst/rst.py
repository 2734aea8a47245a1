"""reStructuredText, as docutils and Sphinx have it.

Its own reader, because docutils stops at what it does not know (roles and directives of Sphinx and of other packages),
and leaves out what they hold. Here, a mark that is not known stays text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ragbase.domain.metadata import NO_METADATA, DocumentMetadata
from ragbase.formats.decode import beginning
from ragbase.formats.lines import LOOKS_LIKE_OTHERS
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file, decode_within

if TYPE_CHECKING:
    from ragbase.domain.extraction import Extraction
    from ragbase.formats.extraction_limits import ExtractionLimits

TAB = 8
"""Columns from one tab stop to the next (docutils, "Whitespace")."""
FIELD = re.compile(r":(?P<name>date|tags|keywords):\s+(?P<value>\S.*)", re.IGNORECASE)
DOCINFO = 40
"""Lines in which the fields of a document stand."""
LOOK = 16 * 1024
"""Bytes at the beginning that may prove the format."""

UNDERLINES = tuple(f"\n{sign * 4}".encode() for sign in "=~^\"'`*+.#-")
"""What a line below a title begins with."""


def read_rst_file(data: bytes, limits: ExtractionLimits) -> Extraction:
    """Raises PermanentError, as `decode_within` and MarkdownText."""
    from ragbase.formats.markdown_text import MarkdownText
    from ragbase.formats.rst.blocks import RstBlocks
    from ragbase.formats.rst.directives import write_directive
    from ragbase.formats.rst.inline import find_names

    decoded = decode_within(data, limits)
    lines = [line.expandtabs(TAB).rstrip() for line in decoded.text.splitlines()]
    notes = decoded.notes
    del decoded
    out = MarkdownText(limits.max_text_characters)
    names = find_names(lines)
    RstBlocks(out, names, write_directive).write(lines)
    for name, text in names.texts.items():
        if name not in names.used:
            out.leave_out("substitutions that it does not use", text)
    return out.extraction(metadata=_metadata(lines), notes=notes)


def _metadata(lines: Sequence[str]) -> DocumentMetadata:
    fields = {found["name"].lower(): found["value"] for line in islice(lines, DOCINFO) if (found := FIELD.match(line))}
    if not fields:
        return NO_METADATA
    tags = ",".join(fields.get(name, "") for name in ("tags", "keywords"))
    return DocumentMetadata.of(tags=tags.split(","), date=fields.get("date"))


def is_rst(data: bytes) -> bool:
    """Whether it has a directive, a target or a role, an underlined title and another mark, and nothing of Markdown."""
    head = data[:LOOK]
    if (b".. " not in head and b":`" not in head) or not any(line in head for line in UNDERLINES):
        return False
    from ragbase.formats.rst.signs import has_signs

    return has_signs(beginning(data, LOOK).replace("\r\n", "\n"))


READER = Reader(
    version="rst-v1",
    check=check_text_file,
    read=read_rst_file,
    proves=is_rst,
    looks_like=LOOKS_LIKE_OTHERS,
)
