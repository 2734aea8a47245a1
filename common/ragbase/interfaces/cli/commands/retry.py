"""ragbase retry"""

from __future__ import annotations

import click

from ragbase.bootstrap.profile import Profile
from ragbase.domain.document import Document, Status
from ragbase.engine.lanes import lanes
from ragbase.engine.wait import DocumentWaiter, problem_of
from ragbase.interfaces.cli.remote import PROCESSING_SECONDS, not_found, remote_document, remote_problem
from ragbase.interfaces.cli.screen import counted, print_json, visible
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options
from ragbase.upkeep.retry import retry


@click.command("retry")
@click.argument("document", metavar="ID|PATH")
@json_option
@endpoint_options
@session_options
@pass_session
def command(session: Session, document: str, as_json: bool) -> None:
    """Process a failed document again.

    The document gets a new round of attempts. A document that has not failed is left as it is.
    """
    if session.remote:
        _retry_remote(session, document, as_json=as_json)
        return
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


def _retry_remote(session: Session, document: str, *, as_json: bool) -> None:
    with session.client() as client:
        found = remote_document(document, client)
        client.retry(found.id)
        state = client.wait(found.id, PROCESSING_SECONDS)
    if as_json:
        print_json(state)
    elif state.status is Status.COMPLETED:
        now = "COMPLETED now" if found.fail_reason and not state.fail_reason else "already COMPLETED"
        click.echo(f"{visible(state.filename)}: {now}, {counted(state.chunk_count or 0, 'chunk')}")
    problem = remote_problem(state)
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
