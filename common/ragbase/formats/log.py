"""A log: lines in the order in which they were written."""

from __future__ import annotations

from functools import partial

from ragbase.formats.lines import LOOKS_LIKE_OTHERS, no_sections, read_lines
from ragbase.formats.reader import Reader
from ragbase.formats.text import check_text_file

READER = Reader(
    version="log-v1",
    check=check_text_file,
    read=partial(read_lines, sections_of=no_sections),
    looks_like=LOOKS_LIKE_OTHERS,
)
