"""ragbase retry"""

from __future__ import annotations

import click

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document, Status
from ragbase.engine.lanes import lanes
from ragbase.engine.wait import DocumentWaiter, problem_of
from ragbase.interfaces.cli.commands.status import not_found
from ragbase.interfaces.cli.screen import counted, print_json, visible
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options
from ragbase.upkeep.retry import retry


@click.command("retry")
@click.argument("document", metavar="ID|PATH")
@json_option
@session_options
@pass_session
def command(session: Session, document: str, as_json: bool) -> None:
    """Process a failed document again.

    The document gets a new round of attempts. A document that has not failed is left as it is.
    """
    with session.engine() as engine:
        found = engine.find(document)
        if found is None:
            raise not_found(document)
        record = _retry(engine.profile, found.id)
    if as_json:
        from ragbase.interfaces.wire.documents import document_status

        print_json(document_status(record))
    elif record.active is not None and record.status is Status.COMPLETED:
        now = "COMPLETED now" if found.has_failed and not record.has_failed else "already COMPLETED"
        click.echo(f"{visible(record.source)}: {now}, {counted(record.active.chunk_count, 'chunk')}")
    problem = problem_of(record)
    if problem is not None:
        click.echo(f"failed: {visible(problem)}", err=True)
        raise click.exceptions.Exit(1)


def _retry(profile: Profile, document_id: str) -> Document:
    """Ask for another round, work on it, and return the record once it is settled."""
    waiter = DocumentWaiter(profile.documents)
    with lanes(profile, waiter.settled):
        record = retry(document_id, profile)
        if record.needs_work:
            waiter.expect(document_id)
            (record,) = waiter.rest()
    return record
