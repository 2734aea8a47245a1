"""ragbase status"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from ragbase.domain.limits import MAX_RETRIES
from ragbase.interfaces.cli.identified import identified
from ragbase.interfaces.cli.screen import counted, pages_text, print_fields, print_json, when
from ragbase.interfaces.cli.session import (
    Session,
    endpoint_options,
    json_option,
    pass_session,
    records_option,
    session_options,
)

if TYPE_CHECKING:
    from ragbase.domain.document import Document
    from ragbase.messages.api.documents import DocumentStatusResponse


@click.command("status")
@click.argument("document", metavar="ID|PATH")
@records_option
@json_option
@endpoint_options
@session_options
@pass_session
def command(session: Session, document: str, verbose: bool, as_json: bool) -> None:
    """Show the state of a document.

    Name it by its id, its name in the bucket, or the path that it was ingested from. A data folder knows more of it
    than a deployment tells: --verbose shows that, too.
    """
    if verbose and not as_json:
        with session.records() as profile:
            from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge

            found = identified(document, ProfileKnowledge(profile, tenant=None))
            record = profile.documents.get(found.id)
        print_fields([*_fields(found), *(_record_fields(record) if record is not None else ())])
        return
    with session.knowledge() as knowledge:
        found = identified(document, knowledge)
    if as_json:
        print_json(found)
    else:
        print_fields(_fields(found))


def _fields(found: DocumentStatusResponse) -> Iterator[tuple[str, str]]:
    yield "document", found.filename
    yield "id", found.id
    yield "status", found.status.value
    if found.fail_reason is not None:
        code, _, reason = found.fail_reason.partition(": ")
        yield "failure", code
        yield "reason", reason
    if found.remedy is not None:
        yield "remedy", found.remedy
    yield "retries", f"{found.retry_count} of {MAX_RETRIES}"
    if found.parts is not None:
        yield "reading", f"{found.parts_read} of {counted(found.parts, 'part')} read"
    if found.extractor_until is not None:
        yield "reading", f"left to an extractor elsewhere until {when(found.extractor_until)}"
    yield from (("note", note) for note in found.notes or ())
    if found.chunk_count is not None:
        yield "chunks", f"{found.chunk_count:,}"
    if found.page_count is not None:
        yield "pages", pages_text(found.page_count, found.ocr_pages or 0, found.pages_without_text or 0)
    yield "created", when(found.created_at)
    yield "updated", when(found.updated_at)


def _record_fields(record: Document) -> Iterator[tuple[str, str]]:
    """What only the record has."""
    yield "bucket", record.bucket
    yield "name", record.name
    yield "generation", str(record.generation)
    yield "format", record.format or "unknown"
    yield "lane", record.lane.value if record.lane else "none: refused by the router"
    yield "content type", record.content_type
    front = record.metadata
    about = {"title": front.title, "date": front.date, "tags": ", ".join(front.tags), "url": front.url}
    yield from ((name, text) for name, text in about.items() if text)
    yield "size", f"{record.size:,} bytes"
    yield "md5", record.md5
    if record.lease is not None:
        yield "leased to", f"{record.lease.worker} until {when(record.lease.until)}"
    if record.active is None:
        yield "search shows", "nothing"
    else:
        active = record.active
        given = " (a given text)" if active.given is not None else ""
        yield "search shows", f"generation {active.of_file}{given}, {counted(active.chunk_count, 'chunk')}"
        yield "text", f"{active.text_length:,} characters"
        if active.duplicate_of is not None:
            yield "duplicate of", active.duplicate_of
        yield "fingerprint", active.fingerprint
    usage = record.usage
    yield "cost", f"{counted(usage.embedded_texts, 'text')} embedded, {counted(usage.billed_tokens, 'token')} billed"
