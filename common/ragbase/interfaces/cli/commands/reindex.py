"""ragbase reindex"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from ragbase.bootstrap import Profile
from ragbase.interfaces.cli.messages import ReindexEstimate, ReindexSummary
from ragbase.interfaces.cli.screen import counted, print_fields, print_json
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options
from ragbase.pipeline.reindex import reindex
from ragbase.pipeline.reindex_cost import ReindexCost, reindex_cost
from ragbase.pipeline.reindexing import Progress, Reindexed

_STEP = 100
"""Documents after which a line tells how far it is, where there is no terminal."""


@click.command("reindex")
@click.option("--dry-run", is_flag=True, help="Only say what it would cost.")
@click.option("--discard", is_flag=True, help="Drop what a reindex with other settings has left half built.")
@json_option
@session_options
@pass_session
def command(session: Session, dry_run: bool, discard: bool, as_json: bool) -> None:
    """Make all documents anew, as the settings say now.

    They may name another model, other chunks or another language. A new index is built beside the live one, from the
    bucket's files, and takes its place at once; searching and ingesting go on all the time. Of texts that the same
    model has embedded before, the vectors are kept. After an interruption the same command goes on where it stopped.
    """
    with session.profile() as profile:
        if dry_run:
            with profile.reindexing() as work:
                _print_cost(reindex_cost(work), profile, as_json=as_json)
            return
        done = _run(profile, discard=discard, as_json=as_json)
    if as_json:
        print_json(_summary(done))
    else:
        for line in _lines(done):
            click.echo(line)
    if done.refused:
        raise click.exceptions.Exit(1)


def _run(profile: Profile, *, discard: bool, as_json: bool) -> Reindexed:
    """The lanes work meanwhile, if it is this process that runs them: a reindex waits for what they have in work."""
    with profile.subscriptions(lambda _: None), profile.reindexing() as work, _progress(as_json=as_json) as told:
        return reindex(work, told=told, discard=discard)


def _summary(done: Reindexed) -> ReindexSummary:
    return ReindexSummary(
        made=done.made,
        index=done.index.name if done.index else None,
        model=done.index.model if done.index else None,
        documents=done.documents,
        chunks=done.chunks,
        embedded_texts=done.usage.embedded_texts,
        billed_tokens=done.usage.billed_tokens,
        refused=done.refused,
        dropped=done.dropped,
    )


def _lines(done: Reindexed) -> Iterator[str]:
    if done.index is None:
        yield "Nothing was indexed yet, so there is nothing to make anew."
    elif not done.made:
        yield f"Everything is as the settings say, in the index {done.index.name}: nothing to do."
    else:
        yield (
            f"{counted(done.documents, 'document')}, {counted(done.chunks, 'chunk')} in the new index "
            f"{done.index.name}; {counted(done.usage.embedded_texts, 'text')} embedded, "
            f"{counted(done.usage.billed_tokens, 'token')} billed, {done.refused:,} refused"
        )
    for name in done.dropped:
        yield f"dropped: the index {name}"
    for name in done.kept:
        yield f"kept: the index {name}, which another reindex builds"


def _print_cost(cost: ReindexCost, profile: Profile, *, as_json: bool) -> None:
    if as_json:
        print_json(
            ReindexEstimate(
                index=cost.index.name if cost.index else None,
                documents=cost.documents,
                chunks=cost.chunks,
                texts=cost.texts,
                kept=cost.kept,
                characters=cost.characters,
                tokens=cost.tokens,
                refused=cost.refused,
                waiting=cost.waiting,
            )
        )
    elif cost.index is None:
        click.echo("There is nothing to make anew.")
    else:
        print_fields(
            [
                ("new index", f"{cost.index.name}, {cost.index.dimension} dimensions, {cost.index.language}"),
                ("model", profile.embedder.model),
                ("documents", f"{cost.documents:,}, {cost.refused:,} refused, {cost.waiting:,} in work"),
                ("chunks", f"{cost.chunks:,}"),
                ("to embed", f"{cost.texts:,} texts, {cost.characters:,} characters, about {cost.tokens:,} tokens"),
                ("kept", f"{cost.kept:,} texts that were embedded before"),
            ]
        )


@contextmanager
def _progress(*, as_json: bool) -> Iterator[Callable[[Progress], None]]:
    """A bar on a terminal, a line a hundred documents elsewhere, nothing beside JSON."""
    if as_json:
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar() as told:
            yield told
    else:
        last: tuple[str, int] | None = None

        def line(progress: Progress) -> None:
            nonlocal last
            step = (progress.phase.value, progress.done // _STEP)
            if step != last and progress.done % _STEP == 0 and progress.done:
                click.echo(f"{progress.phase.value}: {progress.done:,} of {counted(progress.total, 'document')}")
                last = step

        yield line


@contextmanager
def _bar() -> Iterator[Callable[[Progress], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    bar = Bar(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[waiting]} in work"),
        console=Console(stderr=True),
        transient=True,
    )
    task = bar.add_task("reindex", total=None, waiting=0)
    with bar:
        yield lambda progress: bar.update(
            task,
            description=progress.phase.value,
            completed=progress.done,
            total=progress.total,
            waiting=progress.waiting,
        )
