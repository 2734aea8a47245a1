"""ragbase backfill"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field

import click

from ragbase.bootstrap import Profile
from ragbase.bootstrap.settling import Settling, is_settled
from ragbase.domain.document import Document, Status
from ragbase.ingestion import Outcome
from ragbase.interfaces.cli.messages import BackfillSummary, FailedFile
from ragbase.interfaces.cli.progress import progress
from ragbase.interfaces.cli.screen import counted, print_json
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options
from ragbase.pipeline.backfill import backfill


@dataclass(slots=True)
class _Count:
    """Objects whose records knew them, those that were routed (or would be), and what became of these."""

    known: int = 0
    routed: int = 0
    outcomes: list[Outcome] = field(default_factory=list)


@click.command("backfill")
@click.argument("prefix", default="")
@click.option(
    "--rate",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    help="How many documents a second at most.",
)
@click.option("--dry-run", is_flag=True, help="Only count.")
@json_option
@session_options
@pass_session
def command(session: Session, prefix: str, rate: float, dry_run: bool, as_json: bool) -> None:
    """Make documents of objects that were in the bucket before.

    Each object whose name begins with PREFIX, or each of the bucket, takes the way of an upload, unless its version is
    known already. After an interruption the same command goes on where it stopped.
    """
    count = _Count()
    with session.profile() as profile, progress(None, as_json=as_json, task="backfill") as settled:
        works_here = profile.runs_lanes and not dry_run

        def tell(record: Document) -> None:
            count.outcomes.append(_outcome(record))
            settled(count.outcomes[-1])

        _run(profile, prefix, count, tell, rate=rate, dry_run=dry_run)
    summary = _summary(count)
    if as_json:
        print_json(summary)
    elif works_here:
        click.echo(
            f"{counted(summary.documents, 'document')}, {counted(summary.chunks, 'chunk')}; "
            f"{summary.known:,} known before, {len(summary.failed):,} failed"
        )
    else:
        what_now = "to route" if dry_run else "handed to the lanes, which go on with them"
        click.echo(f"{counted(summary.routed, 'document')} {what_now}; {summary.known:,} known before")
    if summary.failed:
        raise click.exceptions.Exit(1)


def _run(
    profile: Profile, prefix: str, count: _Count, tell: Callable[[Document], None], *, rate: float, dry_run: bool
) -> None:
    """Route the objects, and tell of each document as soon as it has settled: where functions do the work, only of what
    the router itself refuses."""
    settling = Settling(profile.documents)
    waits = profile.runs_lanes and not dry_run

    def pause(seconds: float) -> None:
        for record in settling.within(seconds):
            tell(record)

    with profile.subscriptions(settling.heard) if waits else nullcontext():
        for visit in backfill(prefix, profile.stores, rate=rate, sleep=pause, dry_run=dry_run):
            count.known += visit.is_known
            count.routed += not visit.is_known
            if visit.record is not None and is_settled(visit.record):
                tell(visit.record)
            elif visit.record is not None and waits:
                settling.expect(visit.record.id)
        for record in settling.rest():
            tell(record)


def _outcome(record: Document) -> Outcome:
    error = None
    if record.status is Status.FAILED and record.failure is not None:
        error = f"{record.source}: {record.failure.code.value}: {record.failure.reason}"
    return Outcome(record.source, record, error)


def _summary(count: _Count) -> BackfillSummary:
    done = [outcome.document.active for outcome in count.outcomes if outcome.error is None and outcome.document]
    return BackfillSummary(
        routed=count.routed,
        known=count.known,
        documents=sum(active is not None for active in done),
        chunks=sum(active.chunk_count for active in done if active is not None),
        failed=tuple(
            FailedFile(filename=outcome.source, error=outcome.error)
            for outcome in count.outcomes
            if outcome.error is not None
        ),
    )
