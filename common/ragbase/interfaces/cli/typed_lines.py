"""What somebody types line by line, or a program writes into a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress

import click

_LONGEST = 64 * 1024
"""Bytes of a line that are read. A longer one is no question: the rest of it is thrown away."""
_PROMPT = "> "


def is_typed_here() -> bool:
    """Whether a person types here and reads the answers."""
    return sys.stdin.isatty() and sys.stdout.isatty()


def typed_lines() -> Iterator[str]:
    """Each line, without blanks around it, until the input ends. Bytes that are not UTF-8 stay half characters.

    Where a person types, a line can be edited, and Ctrl-C drops it. Nothing that was typed is kept in a file."""
    return _asked() if is_typed_here() else _piped()


def _asked() -> Iterator[str]:
    with suppress(ImportError):
        import readline  # noqa: F401 - with it, `input` edits lines; it keeps them in memory alone

    while True:
        try:
            line = input(_PROMPT).strip()
        except EOFError:
            click.echo()
            return
        except KeyboardInterrupt:
            click.echo()
            continue
        if line:
            yield line


def _piped() -> Iterator[str]:
    source = sys.stdin.buffer
    while read := source.readline(_LONGEST):
        rest = read
        while len(rest) == _LONGEST and not rest.endswith(b"\n"):
            rest = source.readline(_LONGEST)
        line = read.decode(errors="surrogateescape").strip()
        if line:
            yield line
