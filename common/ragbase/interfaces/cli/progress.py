"""The progress of an ingest or a backfill: a bar on a terminal, otherwise a line per document, nothing with JSON."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ragbase.interfaces.cli.screen import counted, visible
from ragbase.interfaces.knowledge.ingestion import Ended

Settled = Callable[[Ended], None]
"""Called with each document's outcome as soon as it is known."""


@contextmanager
def progress(total: int | None, *, as_json: bool, quiet: bool = False, task: str = "ingest") -> Iterator[Settled]:
    """`total` is None if the number of documents is not known. Failures always go to standard error, and so do notes
    unless `quiet` is set."""
    if quiet:
        yield _print_failure
    elif sys.stderr.isatty() and not as_json:
        with _bar(total, task) as settled:
            yield settled
    else:
        yield _print_remarks if as_json else _print_line


def _print_remarks(outcome: Ended) -> None:
    for remark in _remarks(outcome):
        click.echo(remark, err=True)


def _print_failure(outcome: Ended) -> None:
    if outcome.error is not None:
        click.echo(f"failed: {visible(outcome.error)}", err=True)


def _print_line(outcome: Ended) -> None:
    if outcome.error is None and not outcome.unchanged and outcome.chunks is not None:
        click.echo(f"indexed: {visible(outcome.source)} ({counted(outcome.chunks, 'chunk')})")
    _print_remarks(outcome)


def _remarks(outcome: Ended) -> Iterator[str]:
    if outcome.error is not None:
        yield f"failed: {visible(outcome.error)}"
    yield from (f"note: {visible(outcome.source)}: {visible(note)}" for note in outcome.notes)


@contextmanager
def _bar(total: int | None, name: str) -> Iterator[Settled]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining
    from rich.text import Text

    class DocumentRate(ProgressColumn):
        def render(self, task: Task) -> Text:
            speed = task.finished_speed or task.speed
            return Text(f"{speed:.1f} documents/s" if speed else "")

    bar = Progress(
        TextColumn(name),
        BarColumn(),
        MofNCompleteColumn(),
        DocumentRate(),
        Remaining(),
        TextColumn("{task.fields[chunks]:,} chunks, {task.fields[failed]} failed"),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task(name, total=total, chunks=0, failed=0)
    chunks = failed = 0

    def settled(outcome: Ended) -> None:
        nonlocal chunks, failed
        if outcome.error is not None:
            failed += 1
        else:
            chunks += outcome.chunks or 0
        for remark in _remarks(outcome):
            bar.console.print(Text(remark), soft_wrap=True)
        bar.update(task, advance=1, chunks=chunks, failed=failed)

    with bar:
        yield settled
