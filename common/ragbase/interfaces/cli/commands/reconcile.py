"""ragbase reconcile"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import click

from ragbase.bootstrap import Profile
from ragbase.bootstrap.settling import Settling
from ragbase.domain.document import Status
from ragbase.interfaces.cli.screen import counted, print_fields, print_json, visible
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options
from ragbase.pipeline.compare import GRACE, Kind
from ragbase.pipeline.reconcile import reconcile
from ragbase.pipeline.report import Report

_UNITS = dict.fromkeys(Kind, "document") | {Kind.ORPHANED: "chunk"}


@click.command("reconcile")
@click.option("--repair", is_flag=True, help="Repair what differs, by the pipeline's ordinary steps.")
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=GRACE.total_seconds(),
    show_default=True,
    help="Seconds for which a document that has just changed counts as in motion. 0 where nothing else is at work.",
)
@click.option(
    "--examples", type=click.IntRange(min=0), default=5, show_default=True, help="How many to show of a kind."
)
@json_option
@session_options
@pass_session
def command(session: Session, repair: bool, grace: float, examples: int, as_json: bool) -> None:
    """Compare bucket, records and index, and repair.

    Nothing is changed without --repair. MISSING is in the bucket, and search shows nothing or not all of it; of a STALE
    document the bucket has another version, or none any more; ORPHANED chunks belong to no record; at a STUCK document
    nobody is at work. It may run beside everything else. The exit code is 1 where a difference is left.
    """
    with session.profile() as profile:
        report = Report(examples)
        failed = 0
        for failure in _compare(profile, report, repair=repair, grace=timedelta(seconds=grace)):
            click.echo(f"failed: {visible(failure)}", err=True)
            failed += 1
        elsewhere = not profile.runs_lanes
    if as_json:
        from ragbase.interfaces.http.reconciliation import reconciliation

        print_json(reconciliation(report))
    else:
        _print(report, elsewhere=elsewhere, repair=repair)
    if report.left or failed:
        raise click.exceptions.Exit(1)


def _compare(profile: Profile, report: Report, *, repair: bool, grace: timedelta) -> Iterator[str]:
    """Fill the report. Where the lanes run in this process it waits until all repairs are through, and yields each that
    ended as a failed document."""
    if not (repair and profile.runs_lanes):
        for progress in reconcile(profile.stores, repairs=repair, grace=grace):
            report.add(progress)
        return
    settling = Settling(profile.documents)
    with profile.subscriptions(settling.heard):
        for progress in reconcile(profile.stores, repairs=True, grace=grace):
            report.add(progress)
            for finding in progress.findings:
                if finding.repaired and finding.name is not None:
                    settling.expect(finding.document_id)
        for record in settling.rest():
            if record.status is Status.FAILED and record.failure is not None:
                yield f"{record.source}: {record.failure.code.value}: {record.failure.reason}"


def _print(report: Report, *, elsewhere: bool, repair: bool) -> None:
    print_fields(
        [
            ("in step", counted(report.in_step, "document")),
            ("in motion", counted(report.moving, "document")),
            *((kind.value, counted(report.found[kind], _UNITS[kind])) for kind in Kind),
        ]
    )
    for kind, findings in report.examples.items():
        for finding in findings:
            click.echo(f"{kind.value}: {visible(finding.name or finding.document_id)}: {finding.difference.found}")
        if findings and report.found[kind] > sum(finding.difference.count for finding in findings):
            click.echo(f"{kind.value}: … and more")
    if report.left:
        unlike = "what is left takes somebody who has the files" if repair else "repair them with: reconcile --repair"
        click.echo(f"{report.left.total():,} left; {unlike}")
    elif report.found:
        click.echo("All are handed to the lanes, which go on with them." if elsewhere else "All are repaired.")
