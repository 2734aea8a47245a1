"""ragbase sources"""

from __future__ import annotations

from dataclasses import replace

import click

from ragbase.bootstrap.profile import Profile
from ragbase.bootstrap.sources import scheduled_source, scheduled_sources
from ragbase.domain.errors import Busy
from ragbase.engine.run_source import run_source
from ragbase.interfaces.cli.left_out import LeftOutReport, tell_missing_libraries
from ragbase.interfaces.cli.messages import FailedFile
from ragbase.interfaces.cli.progress import progress
from ragbase.interfaces.cli.screen import print_json, print_table, visible, when
from ragbase.interfaces.cli.session import (
    Session,
    json_option,
    pass_session,
    quiet_option,
    session_options,
    utf8,
    verbose_option,
)
from ragbase.interfaces.wire.sources import source_list
from ragbase.messages.api.sources import SourceList, SourceSummary
from ragbase.messages.source_runs import RunPhase
from ragbase.sources.source_leases import SourceLeases
from ragbase.sources.sources_file import ScheduledSource

COLUMNS = ("NAME", "ADDRESS", "STATE", "STARTED", "ENDED", "COMPARED", "UPLOADED", "DELETED", "FAILED", "NEXT", "ERROR")
_NUMBERS = ("COMPARED", "UPLOADED", "DELETED", "FAILED")


class SourceRuns(SourceList):
    """The sources that ran, and the files that failed: in the source, or in the pipeline."""

    failed: tuple[FailedFile, ...]


@click.group("sources")
@session_options
def command() -> None:
    """Show or run the sources that are synced by schedule.

    The file sources.toml describes them: in the data folder, or in the deployment's bucket for it.
    """


@command.command("list")
@json_option
@session_options
@pass_session
def list_(session: Session, *, as_json: bool) -> None:
    """List the sources, with their last run and its error."""
    with session.profile() as profile:
        sources = source_list(scheduled_sources(profile), profile)
        file = profile.sources_file()[0]
    if as_json:
        print_json(sources)
    elif sources.sources:
        print_table(COLUMNS, map(_row, sources.sources), right=_NUMBERS)
    else:
        click.echo(f"No sources. Describe them in {file}.")


@command.command("run")
@click.argument("name", required=False, callback=utf8)
@click.option("--force", is_flag=True, help="Delete even if more than 20 % of the documents are gone.")
@verbose_option
@quiet_option
@json_option
@session_options
@pass_session
def run(session: Session, *, name: str | None, force: bool, verbose: bool, as_json: bool) -> None:
    """Sync the source NAME now; without NAME, all that are due.

    A run that was interrupted goes on where it stopped. A document that is FAILED is named each time.
    """
    if force and name is None:
        raise click.UsageError("--force needs the NAME of the source.")
    with session.profile() as profile:
        if name is not None:
            named = scheduled_source(name, profile)
            sources = [replace(named, force=named.force or force)]
        else:
            sources = list(SourceLeases(profile.checkpoints, profile.clock).due(scheduled_sources(profile)))
        if profile.runs_lanes and sources:
            if not session.quiet:
                tell_missing_libraries(profile.extractor.allowed)
            profile.prepare()  # its bar ends before ours begins
        left_out = LeftOutReport(verbose=verbose)
        failed = [
            one
            for source in sources
            for one in _run(source, profile, left_out, now=name is not None, as_json=as_json, quiet=session.quiet)
        ]
        summaries = source_list(sources, profile).sources
    if as_json:
        print_json(SourceRuns(sources=summaries, failed=tuple(failed)))
    elif session.quiet:
        for one in summaries:
            _print_error(one)
    elif not sources:
        click.echo("No source is due.")
    else:
        left_out.print()
        for one in summaries:
            _print_run(one)
    if failed or any(one.state is not RunPhase.DONE for one in summaries):
        raise click.exceptions.Exit(1)


def _run(
    source: ScheduledSource, profile: Profile, left_out: LeftOutReport, *, now: bool, as_json: bool, quiet: bool
) -> list[FailedFile]:
    """The files that failed. Those that are left out are reported. Raises Busy if another process runs the source."""
    lease = SourceLeases(profile.checkpoints, profile.clock).take(source, now=now)
    if lease is None and now:
        raise Busy(f"Another process runs the source {source.name}. If that was killed, try again in two minutes.")
    failed = []
    if lease is not None:
        with progress(None, as_json=as_json, quiet=quiet, task=source.name) as settled:
            for synced in run_source(lease, profile):
                settled(synced)
                if synced.step.left_out is not None:
                    left_out.add(synced.source, synced.step.left_out)
                if synced.error is not None:
                    failed.append(FailedFile(filename=synced.source, error=synced.error))
    return failed


def _print_run(one: SourceSummary) -> None:
    counts = one.counts
    click.echo(
        f"{one.name}: {one.state.value}: {counts.added:,} added, {counts.changed:,} changed, {counts.deleted:,} "
        f"deleted, {counts.unchanged:,} unchanged, {counts.vanished:,} vanished, {counts.left_out:,} left out, "
        f"{counts.failed:,} failed"
    )
    _print_error(one)


def _print_error(one: SourceSummary) -> None:
    if one.state is not RunPhase.DONE and one.error is not None:
        click.echo(f"failed: {visible(one.error)}", err=True)


def _row(one: SourceSummary) -> tuple[str, ...]:
    counts = one.counts
    return (
        one.name,
        one.address,
        one.state.value,
        when(one.started_at) if one.started_at else "–",
        when(one.ended_at) if one.ended_at else "–",
        f"{counts.compared:,}",
        f"{counts.added + counts.changed:,}",
        f"{counts.deleted:,}",
        f"{counts.failed:,}",
        when(one.next_run_at),
        one.error or "–",
    )
