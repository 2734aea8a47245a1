"""ragbase backfill"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, field

import click

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document
from ragbase.engine.ingest import Outcome
from ragbase.engine.lanes import lanes
from ragbase.engine.standstill import Standstill
from ragbase.engine.wait import DocumentWaiter, is_settled, problem_of
from ragbase.interfaces.cli.left_out import LeftOutReport
from ragbase.interfaces.cli.messages import BackfillSummary, FailedFile
from ragbase.interfaces.cli.progress import progress
from ragbase.interfaces.cli.screen import counted, print_json, visible
from ragbase.interfaces.cli.session import (
    Number,
    Session,
    json_option,
    pass_session,
    quiet_option,
    session_options,
    typed_name,
)
from ragbase.upkeep.backfill import backfill


@dataclass(slots=True)
class _Count:
    """Objects that the records knew already, objects that were routed (or would be), the outcomes of the latter, and
    objects that become no documents."""

    known: int = 0
    routed: int = 0
    outcomes: list[Outcome] = field(default_factory=list)
    left_out: LeftOutReport = field(default_factory=lambda: LeftOutReport(verbose=False))


@click.command("backfill")
@click.argument("prefix", callback=typed_name, default="")
@click.option(
    "--rate",
    type=Number(min=0.001),
    default=10.0,
    show_default=True,
    help="Process at most this many documents per second.",
)
@click.option("--dry-run", is_flag=True, help="Only count the objects.")
@quiet_option
@json_option
@session_options
@pass_session
def command(session: Session, prefix: str, rate: float, dry_run: bool, as_json: bool) -> None:
    """Process objects that were in the bucket before ragbase.

    Each object in the bucket is processed like an upload, unless its generation is known already. With PREFIX, only
    objects whose names begin with it. After an interruption, the same command goes on where it stopped. In the profile
    embedded, it first looks at the bucket's folder, as `serve` does.
    """
    count = _Count()
    with session.profile() as profile:
        works_here = profile.runs_lanes and not dry_run
        if works_here:
            profile.prepare()  # its bar ends before ours begins
        with progress(None, as_json=as_json, quiet=session.quiet, task="backfill") as settled:

            def report(record: Document) -> None:
                count.outcomes.append(_outcome(record))
                settled(count.outcomes[-1])

            _run(profile, prefix, count, report, rate=rate, dry_run=dry_run)
    if prefix and not (count.known or count.routed or count.outcomes or count.left_out.count):
        raise click.ClickException(f"{visible(prefix)}: no name in the bucket begins so. Correct the prefix.")
    summary = _summary(count)
    if as_json:
        print_json(summary)
    elif not session.quiet:
        _print(summary, count, works_here=works_here, dry_run=dry_run)
    if summary.failed:
        raise click.exceptions.Exit(1)


def _print(summary: BackfillSummary, count: _Count, *, works_here: bool, dry_run: bool) -> None:
    count.left_out.print()
    if works_here:
        click.echo(
            f"{counted(summary.documents, 'document')}, {counted(summary.chunks, 'chunk')}; "
            f"{summary.known:,} already known, {len(summary.failed):,} failed"
        )
    else:
        what_now = "to process" if dry_run else "sent to the lanes, which now process them"
        click.echo(f"{counted(summary.routed, 'document')} {what_now}; {summary.known:,} already known")


def _run(
    profile: Profile, prefix: str, count: _Count, report: Callable[[Document], None], *, rate: float, dry_run: bool
) -> None:
    """Route the objects, and report each document as soon as it has settled. If functions do the work, only the
    documents that the router refuses are reported."""
    profile.look_at_bucket()
    waiter = DocumentWaiter(profile.documents, Standstill(profile))
    waits = profile.runs_lanes and not dry_run

    def pause(seconds: float) -> None:
        for record in waiter.within(seconds):
            report(record)

    # The events of that look are left to a later process: with them, the router would not keep to the rate.
    with lanes(profile, waiter.settled, routes=False) if waits else nullcontext():
        for visit in backfill(prefix, profile, rate=rate, sleep=pause, dry_run=dry_run):
            if visit.left_out is not None:
                count.left_out.add(visit.stored.name, visit.left_out)
                continue
            count.known += visit.is_known
            count.routed += not visit.is_known and visit.error is None
            if visit.error is not None:
                count.outcomes.append(Outcome(visit.stored.name, None, f"{visit.stored.name}: {visit.error}"))
            if visit.record is not None and is_settled(visit.record):
                report(visit.record)
            elif visit.record is not None and waits:
                waiter.expect(visit.record.id)
        for record in waiter.rest():
            report(record)


def _outcome(record: Document) -> Outcome:
    return Outcome(record.source, record, problem_of(record))


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
        left_out=count.left_out.messages(),
    )
