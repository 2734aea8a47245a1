"""ragbase list"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from ragbase.domain.document import Document, Status
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_OFFSET, MAX_PAGE_SIZE
from ragbase.interfaces.cli.screen import counted, print_json, print_table, visible, when
from ragbase.interfaces.cli.session import (
    Session,
    endpoint_options,
    json_option,
    pass_session,
    records_option,
    session_options,
    typed_name,
)
from ragbase.interfaces.cli.tenancy import check_tenant

if TYPE_CHECKING:
    from ragbase.messages.api.documents import DocumentSummary

COLUMNS = ("ID", "DOCUMENT", "STATUS", "CHUNKS", "CREATED")
RECORD_COLUMNS = ("ID", "DOCUMENT", "STATUS", "LANE", "CHUNKS", "RETRIES", "EMBEDDED", "TOKENS", "UPDATED")
"""What only the records have."""
NUMBERS = ("CHUNKS", "RETRIES", "EMBEDDED", "TOKENS")


def _cursor(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    from ragbase.interfaces.wire.cursor import CURSOR

    if text is not None and not re.fullmatch(CURSOR, text):
        raise click.BadParameter("it is no cursor. Take a nextCursor of `ragbase list --json`.")
    return text


@click.command("list")
@click.option(
    "--limit",
    type=click.IntRange(1, MAX_PAGE_SIZE),
    default=DEFAULT_PAGE_SIZE,
    show_default=True,
    help="How many to show.",
)
@click.option("--offset", type=click.IntRange(0, MAX_OFFSET), default=0, show_default=True, help="How many to skip.")
@click.option("--cursor", callback=_cursor, help="Show the page that begins here: a nextCursor of --json.")
@click.option(
    "--status",
    type=click.Choice([status.value for status in Status], case_sensitive=False),
    help="Only those with this status.",
)
@click.option("--tenant", callback=typed_name, help="Only those of this tenant: the first folder of their names.")
@records_option
@json_option
@endpoint_options
@session_options
@pass_session
def command(
    session: Session,
    limit: int,
    offset: int,
    *,
    cursor: str | None,
    status: str | None,
    tenant: str | None,
    verbose: bool,
    as_json: bool,
) -> None:
    """List the documents.

    The newest come first. Below them stands why a document has failed. --json gives the cursor of the next page. A
    page after a cursor is found at once; a high --offset takes long. With --verbose, EMBEDDED and TOKENS show what a
    document has cost over all its generations: texts sent to the embedder, and tokens billed for them."""
    wanted = Status(status) if status else None
    if verbose and not as_json:
        from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
        from ragbase.interfaces.wire.listing import list_documents

        with session.records() as profile:
            check_tenant(tenant, profile)
            listing = list_documents(
                profile.documents, status=wanted, tenant=tenant, limit=limit, offset=offset, cursor=cursor
            )
            older = ProfileKnowledge(profile, tenant).older()
        page = listing.response()
        columns: Sequence[str] = RECORD_COLUMNS
        rows: Iterable[Sequence[str]] = map(_record_row, listing.documents)
    else:
        with session.knowledge(tenant=tenant) as knowledge:
            page = knowledge.list(status=wanted, limit=limit, offset=offset, cursor=cursor)
            older = None if as_json else knowledge.older()
        columns, rows = COLUMNS, map(_row, page.documents)
    if as_json:
        print_json(page)
        return
    if page.documents:
        print_table(columns, rows, right=NUMBERS)
        _print_failures(page.documents)
    place = offset if cursor is None else None
    _say_how_many(len(page.documents), page.total, place, some=bool(status) or tenant is not None)
    if older is not None:
        click.echo(older, err=True)


def _print_failures(documents: Sequence[DocumentSummary]) -> None:
    """Why documents have failed, and what to do about it."""
    failed = [document for document in documents if document.remedy is not None]
    if failed:
        click.echo("")
    for document in failed:
        click.echo(visible(f"failed: {document.filename}: {document.fail_reason}"))
        click.echo(visible(f"  {document.remedy}"))


def _say_how_many(shown: int, total: int, offset: int | None, *, some: bool) -> None:
    """`some` says that only some of all documents were asked for. The `offset` after a cursor is unknown."""
    if offset is None:
        click.echo(f"\n{shown:,} of {counted(total, 'document')}")
    elif shown:
        part = f"{offset + 1}–{offset + shown} of " if shown < total else ""
        click.echo(f"\n{part}{counted(total, 'document')}")
    elif total:
        are = "is" if total == 1 else "are"
        click.echo(f"There {are} only {counted(total, 'document')}: use a smaller --offset.")
    else:
        click.echo("No documents." if some else "No documents yet. Add some with: ragbase ingest PATH")


def _row(document: DocumentSummary) -> tuple[str, ...]:
    chunks = f"{document.chunk_count:,}" if document.chunk_count is not None else "–"
    return (document.id, document.filename, document.status.value, chunks, when(document.created_at))


def _record_row(document: Document) -> tuple[str, ...]:
    return (
        document.id,
        document.source,
        document.status.value,
        document.lane.value if document.lane else "–",
        f"{document.active.chunk_count:,}" if document.active else "–",
        str(document.retry_count),
        f"{document.usage.embedded_texts:,}",
        f"{document.usage.billed_tokens:,}",
        when(document.updated_at),
    )
