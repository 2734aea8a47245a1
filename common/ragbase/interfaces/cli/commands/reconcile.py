"""ragbase reconcile"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import click

from ragbase.bootstrap.profile import Profile
from ragbase.engine.lanes import lanes
from ragbase.engine.standstill import Standstill
from ragbase.engine.wait import DocumentWaiter, problem_of
from ragbase.interfaces.cli.left_out import print_left_out
from ragbase.interfaces.cli.screen import counted, print_fields, print_json, visible
from ragbase.interfaces.cli.session import Number, Session, json_option, pass_session, session_options
from ragbase.interfaces.wire.reconciliation import reconciliation
from ragbase.upkeep.reconcile.compare import GRACE, DifferenceKind
from ragbase.upkeep.reconcile.last_report import keep_report
from ragbase.upkeep.reconcile.reconcile import reconcile
from ragbase.upkeep.reconcile.report import Report

_UNITS = dict.fromkeys(DifferenceKind, "document") | dict.fromkeys(
    (DifferenceKind.ORPHANED, DifferenceKind.UNLABELLED), "chunk"
)
_UNITS[DifferenceKind.SHADOWED] = "object"

_LONGEST_GRACE = 31_536_000
"""Seconds: a year."""


@click.command("reconcile")
@click.option("--repair", is_flag=True, help="Repair the differences, by ordinary steps of the pipeline.")
@click.option(
    "--grace",
    type=Number(0, _LONGEST_GRACE),
    help="Seconds for which a changed document counts as in motion, not as a difference. "
    f"[default: {GRACE.total_seconds():g}, or 0 if no other process works in the data folder]",
)
@click.option(
    "--examples", type=click.IntRange(min=0), default=5, show_default=True, help="How many of each kind to show."
)
@json_option
@session_options
@pass_session
def command(session: Session, repair: bool, grace: float | None, examples: int, as_json: bool) -> None:
    """Find and repair differences between bucket, records and index.

    Without --repair, nothing is repaired. It can run while everything else goes on. In the profile embedded, it first
    looks at the bucket's folder, as `serve` does. The kinds of difference are:

    \b
      missing     search shows nothing of an object in the bucket, or not all
      stale       the bucket has another generation than the record, or none
      orphaned    chunks that no record needs
      stuck       a document needs work, but no worker is working on it
      unlabelled  chunks without the labels that a search with a filter uses
      shadowed    objects whose name is another form of one that counts

    The exit code is 1 if a difference is left that --repair repairs.
    """
    with session.profile() as profile:
        report = Report(examples)
        failed = 0
        profile.look_at_bucket()
        moving = GRACE if grace is None else timedelta(seconds=grace)
        if grace is None and profile.works_alone:
            moving = timedelta(0)
        for failure in _compare(profile, report, repair=repair, grace=moving):
            click.echo(f"failed: {visible(failure)}", err=True)
            failed += 1
        elsewhere = not profile.runs_lanes
        body = reconciliation(report)
        if profile.audit_log.can_append:  # else the data folder can only be read
            keep_report(body, profile.checkpoints, now=profile.clock.now())
    if as_json:
        print_json(body)
    else:
        _print(report, elsewhere=elsewhere)
    if report.left or failed:
        raise click.exceptions.Exit(1)


def _compare(profile: Profile, report: Report, *, repair: bool, grace: timedelta) -> Iterator[str]:
    """Fill the report. If the lanes run in this process, wait until all repairs have settled, and yield each that
    failed."""
    waiter = DocumentWaiter(profile.documents, Standstill(profile))
    for progress in reconcile(profile, profile.open_index(), repairs=repair, grace=grace):
        report.add(progress)
        for finding in progress.findings:
            if finding.repaired and finding.name is not None:
                waiter.expect(finding.document_id)
    yield from _errors(report)
    if not (repair and profile.runs_lanes):
        return
    # Only now: what the lanes of this process work on is not to be taken for a difference.
    with lanes(profile, waiter.settled):
        for record in waiter.rest():
            problem = problem_of(record)
            if problem is not None:
                yield problem


def _errors(report: Report) -> Iterator[str]:
    for error in report.errors:
        yield f"{error.name}: {error.reason}"


def _print(report: Report, *, elsewhere: bool) -> None:
    print_fields(
        [
            ("in step", counted(report.in_step, "document")),
            ("in motion", counted(report.moving, "document")),
            *((kind.value, counted(report.found[kind], _UNITS[kind])) for kind in DifferenceKind),
        ]
    )
    print_left_out(report.left_out.all())
    for kind, findings in report.examples.items():
        for finding in findings:
            click.echo(f"{kind.value}: {visible(finding.name or finding.document_id)}: {finding.difference.found}")
        if findings and report.found[kind] > sum(finding.difference.count for finding in findings):
            click.echo(f"{kind.value}: … and more")
    if report.found[DifferenceKind.SHADOWED]:
        click.echo("No document shows a shadowed object. Rename or delete it in the bucket.")
    if report.left:
        click.echo(f"{report.left.total():,} left; repair them with: ragbase reconcile --repair")
    elif any(kind is not DifferenceKind.SHADOWED for kind in report.found):
        click.echo("All repairs were sent to the lanes, which now do them." if elsewhere else "All are repaired.")
