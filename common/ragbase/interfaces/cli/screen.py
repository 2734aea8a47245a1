"""Text for people: tables and times, without control characters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from ragbase.domain.searched_text import without_invisible

if TYPE_CHECKING:
    from ragbase.messages.json_model import JsonModel


_ZWNJ, _ZWJ = "\u200c", "\u200d"
_WIDE = 100_000
"""Columns of a line that is never wrapped."""


def visible(text: str) -> str:
    """`text` on one line. What is not printable (newlines, escape sequences, …) becomes an escape.

    Names and texts come from anywhere. None of them may move a terminal's cursor or change its colours.
    """
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def flowing(text: str) -> str:
    """A passage as one line: spaces and line ends become single spaces. Soft hyphens and their kind go; the joiners of
    Persian and Indic words stay."""
    line = " ".join(without_invisible(text).split())
    return _ZWNJ.join(_ZWJ.join(map(visible, part.split(_ZWJ))) for part in line.split(_ZWNJ))


def when(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M:%S")


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def pages_text(count: int, ocr_pages: int, textless_pages: int) -> str:
    """As in "12, of them 3 read by OCR and 1 without text"."""
    parts = [f"{ocr_pages:,} read by OCR"] if ocr_pages else []
    parts += [f"{textless_pages:,} without text"] if textless_pages else []
    return f"{count:,}" + (f", of them {' and '.join(parts)}" if parts else "")


def print_json(message: JsonModel) -> None:
    click.echo(message.to_json())


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = (), wrap: bool = False
) -> None:
    """Aligned columns; those in `right` are aligned to the right. With `wrap`, cells are folded to fit a terminal."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    if not (wrap and console.is_terminal):
        console.width = _WIDE  # one line per row, for grep and for the eye
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="bold")
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(visible(cell)) for cell in row))
    with console.capture() as capture:
        console.print(table)
    for line in capture.get().splitlines():
        click.echo(line.rstrip())


def print_fields(fields: Iterable[tuple[str, str]]) -> None:
    """One `name  value` per line, with the values in one column."""
    lines = list(fields)
    width = max(len(name) for name, _ in lines)
    for name, value in lines:
        click.echo(f"{name:<{width}}  {visible(value)}")
