"""A search result as a person reads it: where the passage is, how sure ragbase is, and what it says."""

from __future__ import annotations

import shutil
import sys
import textwrap

import click

from ragbase.interfaces.cli.excerpt import excerpt
from ragbase.interfaces.cli.screen import flowing, visible
from ragbase.retrieval.search_one_index import SearchResult, Source

_READABLE = 100
"""Characters of the longest line that is easy to read."""


def result_text(result: SearchResult, query: str, *, language: str, indent: str = "") -> str:
    """Three lines (a terminal gets the last one wrapped), one more for what the document says of itself, and one for
    every other place with the same text."""
    first, *others = result.sources
    about = _about(first)
    lines = [
        f"{result.rank}. {_place(first)}",
        *([f"   {about}"] if about else []),
        f"   score {result.similarity_score:.2f}, {_position(first)}",
        *_wrapped(_shown(result, query, language), len(indent) + 3),
    ]
    lines += [f"   also in {_place(other)}, {_position(other)}" for other in others]
    return textwrap.indent("\n".join(lines), indent)


def _shown(result: SearchResult, query: str, language: str) -> str:
    """The part of the passage that is shown; rows of a table stand after their header row."""
    part = excerpt(result.chunk.text, query, language=language)
    header = flowing(result.chunk.table_header)
    return f"{header} {part}" if header else part


def _wrapped(text: str, margin: int) -> list[str]:
    if not sys.stdout.isatty():
        return [f"   {text}"]
    width = min(shutil.get_terminal_size().columns - margin, _READABLE)
    return [f"   {line}" for line in textwrap.wrap(text, max(width, _READABLE // 4))]


def _place(source: Source) -> str:
    name = click.style(visible(source.document.source), bold=True)
    return " > ".join([name, *map(visible, source.chunk.header_path)])


def _about(source: Source) -> str:
    """Title, date, tags and address, as far as the document has them."""
    said = source.document.metadata
    return " · ".join(visible(text) for text in (said.title, said.date, ", ".join(said.tags), said.url) if text)


def _position(source: Source) -> str:
    chunk = source.chunk
    page = f"page {chunk.page}, " if chunk.page is not None else ""
    row = f"row {chunk.row:,}, " if chunk.row is not None else ""
    return f"{page}{row}characters {chunk.char_start:,}–{chunk.char_end:,}"
