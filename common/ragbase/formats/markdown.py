"""Markdown, which is what every other format becomes: its text is taken as it is."""

from __future__ import annotations

from ragbase.domain.lane import Lane
from ragbase.formats.format import FIRST_VERSION, Format
from ragbase.formats.text import check_text_file, read_text_file

FORMAT = Format(
    name="md",
    extensions=(".md", ".markdown"),
    content_types=("text/markdown",),
    lane=Lane.FAST,
    version=FIRST_VERSION,
    check=check_text_file,
    read=read_text_file,
)
