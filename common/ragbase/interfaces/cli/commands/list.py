"""ragbase list"""

from __future__ import annotations

import click

from ragbase.domain.document import Document, Status
from ragbase.domain.limits import MAX_OFFSET
from ragbase.interfaces.cli.screen import counted, print_json, print_table, state, when
from ragbase.interfaces.cli.session import Session, json_option, pass_session, session_options

COLUMNS = ("ID", "DOCUMENT", "STATUS", "LANE", "CHUNKS", "RETRIES", "EMBEDDED", "TOKENS", "UPDATED")


@click.command("list")
@click.option("--limit", type=click.IntRange(1, 100), default=20, show_default=True, help="How many to show.")
@click.option("--offset", type=click.IntRange(0, MAX_OFFSET), default=0, show_default=True, help="How many to skip.")
@click.option(
    "--status",
    type=click.Choice([status.value for status in Status], case_sensitive=False),
    help="Only those with this status.",
)
@json_option
@session_options
@pass_session
def command(session: Session, limit: int, offset: int, status: str | None, as_json: bool) -> None:
    """List the documents.

    The newest come first. EMBEDDED and TOKENS show what a document has cost over all its generations: texts sent to the
    embedder, and tokens billed for them.
    """
    with session.profile() as profile:
        page = profile.documents.page(status=Status(status) if status else None, limit=limit, offset=offset)
    if as_json:
        from ragbase.interfaces.wire.documents import document_list

        print_json(document_list(page))
    elif page.documents:
        print_table(COLUMNS, map(_row, page.documents), right=("CHUNKS", "RETRIES", "EMBEDDED", "TOKENS"))
        shown = f"{offset + 1}–{offset + len(page.documents)} of " if len(page.documents) < page.total else ""
        click.echo(f"\n{shown}{counted(page.total, 'document')}")
    elif page.total:
        are = "is" if page.total == 1 else "are"
        click.echo(f"There {are} only {counted(page.total, 'document')}: use a smaller --offset.")
    else:
        click.echo("No documents." if status else "No documents yet. Add some with: ragbase ingest PATH")


def _row(document: Document) -> tuple[str, ...]:
    return (
        document.id,
        document.source,
        state(document),
        document.lane.value if document.lane else "–",
        f"{document.active.chunk_count:,}" if document.active else "–",
        str(document.retry_count),
        f"{document.usage.embedded_texts:,}",
        f"{document.usage.billed_tokens:,}",
        when(document.updated_at),
    )
