"""ragbase status"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

import click

from ragbase.domain.document import Document
from ragbase.domain.limits import MAX_RETRIES
from ragbase.interfaces.cli.remote import not_found, remote_document
from ragbase.interfaces.cli.screen import counted, pages_text, print_fields, print_json, state, when
from ragbase.interfaces.cli.session import Session, endpoint_options, json_option, pass_session, session_options
from ragbase.interfaces.wire.documents import document_status

if TYPE_CHECKING:
    from ragbase.client.answers import DocumentState


@click.command("status")
@click.argument("document", metavar="ID|PATH")
@json_option
@endpoint_options
@session_options
@pass_session
def command(session: Session, document: str, as_json: bool) -> None:
    """Show everything known about a document.

    Name it by its id, its name in the bucket, or the path that it was ingested from.
    """
    if session.remote:
        with session.client() as client:
            found = remote_document(document, client)
        if as_json:
            print_json(found)
        else:
            print_fields(_remote_fields(found))
        return
    with session.engine() as engine:
        record = engine.find(document)
    if record is None:
        raise not_found(document)
    if as_json:
        print_json(document_status(record))
    else:
        print_fields(_fields(record))


def _remote_fields(found: DocumentState) -> Iterator[tuple[str, str]]:
    """What a deployment tells over HTTP."""
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
    yield from _reading_fields(found.parts, found.parts_read, found.extractor_until)
    yield from (("note", note) for note in found.notes or ())
    if found.chunk_count is not None:
        yield "chunks", f"{found.chunk_count:,}"
    if found.page_count is not None:
        yield "pages", pages_text(found.page_count, found.ocr_pages or 0, found.pages_without_text or 0)
    yield "created", when(found.created_at)
    yield "updated", when(found.updated_at)


def _reading_fields(parts: int | None, read: int | None, extractor_until: datetime | None) -> Iterator[tuple[str, str]]:
    """How far the reading of a document is, and who reads it."""
    if parts is not None:
        yield "reading", f"{read} of {counted(parts, 'part')} read"
    if extractor_until is not None:
        yield "reading", f"left to an extractor elsewhere until {when(extractor_until)}"


def _fields(record: Document) -> Iterator[tuple[str, str]]:
    yield "document", record.source
    yield "id", record.id
    yield "status", state(record)
    if record.failure is not None:
        yield "failure", record.failure.code.value
        yield "reason", record.failure.reason
    said = document_status(record)
    if said.remedy is not None:
        yield "remedy", said.remedy
    yield "retries", f"{record.retry_count} of {MAX_RETRIES}"
    yield "bucket", record.bucket
    yield "name", record.name
    yield "generation", str(record.generation)
    yield "format", record.format or "unknown"
    yield "lane", record.lane.value if record.lane else "none: refused by the router"
    yield "content type", record.content_type
    yield from _reading_fields(said.parts, said.parts_read, said.extractor_until)
    yield from (("note", note) for note in said.notes or ())
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
        yield "search shows", f"generation {active.of_file}{given}"
        yield "chunks", f"{active.chunk_count:,}"
        yield "text", f"{active.text_length:,} characters"
        if active.page_count is not None:
            yield "pages", pages_text(active.page_count, active.ocr_pages, active.textless_pages)
        if active.duplicate_of is not None:
            yield "duplicate of", active.duplicate_of
        yield "fingerprint", active.fingerprint
    usage = record.usage
    yield "cost", f"{counted(usage.embedded_texts, 'text')} embedded, {counted(usage.billed_tokens, 'token')} billed"
    yield "created", when(record.created_at)
    yield "updated", when(record.updated_at)
