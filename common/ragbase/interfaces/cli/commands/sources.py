"""ragbase sources"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from datetime import datetime

import click

from ragbase.bootstrap.sources import scheduled_sources
from ragbase.engine.run_sources import run_sources
from ragbase.engine.sync import sync_source
from ragbase.interfaces.cli.screen import print_json, print_table, visible, when
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options, utf8
from ragbase.interfaces.wire.sources import RoundStatus, SourceList, SourceSummary, source_summary
from ragbase.sources.described import DescribedSource
from ragbase.sources.rounds import Rounds
from ragbase.sources.sync import SourceChange

COLUMNS = ("NAME", "STATUS", "LAST ROUND", "NEXT", "ADDED", "CHANGED", "DELETED", "UNCHANGED", "FAILED", "ADDRESS")
COUNTS = ("ADDED", "CHANGED", "DELETED", "UNCHANGED", "FAILED")


@click.group("sources")
@session_options
def command() -> None:
    """Show or run the sources that are synced on a schedule.

    The file sources.toml describes them (docs/sources.md). On Google Cloud, the function `sources` runs them.
    """


@command.command("list")
@json_option
@session_options
@pass_session
def list_(session: Session, as_json: bool) -> None:
    """List the sources with their last rounds and errors."""
    with session.profile() as profile:
        rounds, now = Rounds(profile.checkpoints), profile.clock.now()
        found = [source_summary(one, rounds.state(one.name), now) for one in scheduled_sources(profile)]
    _print(found, now, as_json=as_json)


@command.command("run")
@click.argument("names", metavar="[NAME]...", nargs=-1, callback=lambda c, p, names: [utf8(c, p, n) for n in names])
@click.option("--force", is_flag=True, help="Delete even if more than 20 % of the documents are gone.")
@json_option
@session_options
@pass_session
def run(session: Session, *, names: Sequence[str], force: bool, as_json: bool) -> None:
    """Sync the sources that are due, or those that you name.

    A source that another process is syncing is left to it. After an interruption, the same command goes on.
    """
    with session.profile() as profile:
        sources = scheduled_sources(profile)
        unknown = sorted(set(names) - {source.name for source in sources})
        if unknown:
            known = ", ".join(source.name for source in sources) or "none"
            raise click.UsageError(f"There is no source {visible(unknown[0])!r}. The sources are: {known}.")
        if profile.runs_lanes and sources:
            profile.prepare()

        def syncing(source: DescribedSource) -> Generator[tuple[SourceChange, str | None], None, None]:
            steps = sync_source(source.address, profile, root=source.root, delete=source.delete, force=force)
            with closing(steps):
                for synced in steps:
                    yield synced.step.change, synced.error

        runs = run_sources(sources, profile, syncing=syncing, asked=names)
        found = [source_summary(one.source, one.state, profile.clock.now()) for one in runs]
        now = profile.clock.now()
    if found or as_json:
        _print(found, now, as_json=as_json)
    else:
        click.echo("no source is due")
    if any(one.status is RoundStatus.FAILED or one.failed for one in found):
        raise click.exceptions.Exit(1)


def _print(sources: Sequence[SourceSummary], now: datetime, *, as_json: bool) -> None:
    if as_json:
        print_json(SourceList(sources=tuple(sources)))
        return
    if not sources:
        click.echo("no sources")
        return
    print_table(COLUMNS, (_row(one, now) for one in sources), right=COUNTS)
    for one in sources:
        for problem in (*filter(None, [one.error]), *one.failures):
            click.echo(f"failed: {one.name}: {visible(problem)}", err=True)


def _row(one: SourceSummary, now: datetime) -> tuple[str, ...]:
    return (
        one.name,
        one.status.value,
        when(one.begun_at) if one.begun_at is not None else "never",
        "now" if one.next_at is None or one.next_at <= now else when(one.next_at),
        *(f"{count:,}" for count in (one.added, one.changed, one.deleted, one.unchanged, one.failed)),
        one.address,
    )
