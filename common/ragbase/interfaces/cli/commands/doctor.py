"""ragbase doctor"""

from __future__ import annotations

import click

from ragbase.interfaces.cli.checks import check_all
from ragbase.interfaces.cli.screen import print_json, print_table
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options
from ragbase.messages.api.health import Check, Checks


class Diagnosis(Checks):
    """The checks, and which ragbase made them."""

    version: str


@click.command("doctor")
@json_option
@session_options
@pass_session
def command(session: Session, as_json: bool) -> None:
    """Check the installation and show how to fix it.

    The first line names the version of ragbase.

    The exit code is 1 if something needed is missing or wrong.
    """
    from ragbase import __version__  # a checkout asks git

    if not as_json:
        click.echo(f"ragbase {__version__}")  # before the checks: one of them may end the process
    done = Checks.of(tuple(check_all(session.config)))
    checks = done.checks
    if as_json:
        print_json(Diagnosis(version=__version__, ok=done.ok, checks=checks))
    else:
        print_table(("CHECK", "", "FOUND"), [(check.name, _verdict(check), check.found) for check in checks], wrap=True)
        for check in checks:
            if not check.ok:
                click.echo(f"\n{check.name}: {check.remedy}")
    if not done.ok:
        raise click.exceptions.Exit(1)


def _verdict(check: Check) -> str:
    if check.ok:
        return "ok"
    return "FAILED" if check.needed else "optional"
