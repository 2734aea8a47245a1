"""Texts of lines, which are no Markdown: source code, configuration, logs. The text stays as it is, so that a citation
counts the characters of the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ragbase.domain.extraction import Extraction, Section
from ragbase.formats.text import decode_within

if TYPE_CHECKING:
    from ragbase.formats.extraction_limits import ExtractionLimits

LINE = re.compile(r"(?P<indent>[ \t]*+)(?P<text>[^\r\n]*+)(?:\r\n|\r|\n|\Z)")
LOOKS_LIKE_OTHERS = ("md", "csv", "tsv", "rst", "adoc", "man")
"""Lines between two rules, lines with as many commas, and comments in another markup are nothing unusual in a text of
lines."""


def no_sections(lines: Iterable[re.Match[str]]) -> Iterator[Section]:
    """For texts whose lines have no order above them."""
    return iter(())


def read_lines(
    data: bytes, limits: ExtractionLimits, sections_of: Callable[[Iterable[re.Match[str]]], Iterator[Section]]
) -> Extraction:
    """The text as it is, and its sections. Raises PermanentError, as `decode_within`."""
    decoded = decode_within(data, limits)
    sections = tuple(sections_of(lines_of(decoded.text)))
    return Extraction(decoded.text, notes=decoded.notes, sections=sections)


def lines_of(text: str) -> Iterator[re.Match[str]]:
    """Each line, with the group `indent` and, without its line end, `text`."""
    return (line for line in LINE.finditer(text) if line.end() > line.start())
