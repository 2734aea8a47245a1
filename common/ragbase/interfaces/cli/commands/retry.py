"""ragbase retry"""

from __future__ import annotations

import click

from ragbase.domain.document import Status
from ragbase.interfaces.cli.identified import identified
from ragbase.interfaces.cli.screen import counted, print_json, visible
from ragbase.interfaces.cli.session import (
    Session,
    endpoint_options,
    json_option,
    pass_session,
    quiet_option,
    session_options,
)
from ragbase.interfaces.knowledge.problem import problem_of


@click.command("retry")
@click.argument("document", metavar="ID|PATH")
@quiet_option
@json_option
@endpoint_options
@session_options
@pass_session
def command(session: Session, document: str, as_json: bool) -> None:
    """Process a failed document again.

    The document gets a new round of attempts. A document that has not failed is left as it is.
    """
    with session.knowledge() as knowledge:
        before = identified(document, knowledge)
        after = knowledge.retry(before.id)
        problem = problem_of(after, goes_on=knowledge.goes_on)
    if as_json:
        print_json(after)
    elif after.status is Status.COMPLETED and not session.quiet:
        now = "COMPLETED now" if before.fail_reason and not after.fail_reason else "already COMPLETED"
        click.echo(f"{visible(after.filename)}: {now}, {counted(after.chunk_count or 0, 'chunk')}")
    if problem is not None:
        click.echo(f"failed: {visible(problem)}", err=True)
        raise click.exceptions.Exit(1)
