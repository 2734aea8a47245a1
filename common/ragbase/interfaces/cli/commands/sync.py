"""ragbase sync"""

from __future__ import annotations

import sys
from collections import Counter

import click

from ragbase.domain.errors import TooManyVanished
from ragbase.engine.sync import Synced, sync_source
from ragbase.interfaces.cli.left_out import LeftOutReport, tell_missing_libraries
from ragbase.interfaces.cli.messages import FailedFile, SyncSummary
from ragbase.interfaces.cli.progress import progress
from ragbase.interfaces.cli.screen import print_json, visible
from ragbase.interfaces.cli.session import (
    Session,
    follow_links_option,
    json_option,
    pass_session,
    quiet_option,
    session_options,
    typed_name,
    utf8,
    verbose_option,
)
from ragbase.sources.sync_step import SourceChange

_EVERY = 10_000
"""Names between two lines about how far a sync is."""


@click.command("sync")
@click.argument("source", callback=utf8)
@click.option("--delete", is_flag=True, help="Delete the documents that are gone from the source.")
@click.option("--dry-run", is_flag=True, help="Only say what would be done.")
@click.option(
    "--prefix",
    metavar="FOLDER",
    callback=typed_name,
    help="The folder of the bucket for the documents. [default: the path of the source]",
)
@click.option("--force", is_flag=True, help="Delete even if more than 20 % of the documents are gone.")
@follow_links_option
@verbose_option
@quiet_option
@json_option
@session_options
@pass_session
def command(
    session: Session,
    *,
    source: str,
    delete: bool,
    dry_run: bool,
    prefix: str | None,
    force: bool,
    follow_links: bool,
    verbose: bool,
    as_json: bool,
) -> None:
    """Bring the bucket in step with a folder, bucket or website.

    SOURCE is a folder, s3://BUCKET/FOLDER, gs://BUCKET/FOLDER or https://SITE/FOLDER. What has not changed since the
    last sync is not even read. With --delete, what is gone from SOURCE is deleted, but never what others uploaded.
    After an interruption, the same command goes on where it stopped. A document that is FAILED is named each time, and
    what SOURCE has and ragbase does not read is counted by its kind.
    """
    root = None if prefix is None else f"{prefix.strip('/')}/".lstrip("/")
    report = _Report(lines=dry_run and not as_json, quiet=session.quiet, verbose=verbose)
    with session.profile(follow_links=follow_links or None) as profile:
        if profile.runs_lanes and not dry_run:
            if not session.quiet:
                tell_missing_libraries(profile.extractor.allowed)
            profile.prepare()  # its bar ends before ours begins
        with progress(None, as_json=as_json or dry_run, quiet=session.quiet, task="sync") as settled:
            try:
                for synced in sync_source(source, profile, root=root, delete=delete, force=force, dry_run=dry_run):
                    settled(synced)
                    report.add(synced)
            except TooManyVanished as error:
                click.echo(f"failed: {visible(str(error))}", err=True)
                report.failed.append(FailedFile(filename=source, error=str(error)))
    summary = report.summary()
    if as_json:
        print_json(summary)
    elif not session.quiet:
        report.left_out.print()
        click.echo(
            f"{summary.added:,} added, {summary.changed:,} changed, {summary.deleted:,} deleted, "
            f"{summary.unchanged:,} unchanged, {summary.vanished:,} vanished, {report.left_out.count:,} left out, "
            f"{len(summary.failed):,} failed"
        )
        if summary.vanished and not delete:
            click.echo("To delete what has vanished, add --delete.", err=True)
    if summary.failed:
        raise click.exceptions.Exit(1)


class _Report:
    def __init__(self, *, lines: bool, quiet: bool, verbose: bool) -> None:
        """With `lines`, what is or would be done is printed, a line for each document."""
        self.failed: list[FailedFile] = []
        self.left_out = LeftOutReport(verbose=verbose)
        self._counts = Counter[SourceChange]()
        self._seen = 0
        self._lines = lines
        self._quiet = quiet

    def add(self, synced: Synced) -> None:
        change = synced.step.change
        self._seen += 1
        if self._seen % _EVERY == 0 and not (self._quiet or sys.stderr.isatty()):
            click.echo(f"{self._seen:,} names compared", err=True)
        if synced.error is not None:
            self.failed.append(FailedFile(filename=synced.source, error=synced.error))
            return
        if synced.step.left_out is not None:
            self.left_out.add(synced.source, synced.step.left_out)
        self._counts[change] += 1
        if self._lines and change not in (SourceChange.UNCHANGED, SourceChange.LEFT_OUT):
            click.echo(f"{change}: {visible(synced.source)}")

    def summary(self) -> SyncSummary:
        counts = self._counts
        return SyncSummary(
            added=counts[SourceChange.ADDED],
            changed=counts[SourceChange.CHANGED],
            deleted=counts[SourceChange.DELETED],
            unchanged=counts[SourceChange.UNCHANGED],
            vanished=counts[SourceChange.VANISHED],
            failed=tuple(self.failed),
            left_out=self.left_out.messages(),
        )
