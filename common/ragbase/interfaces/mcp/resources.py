"""The documents as resources: one address for each, with the text that search shows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    ListResourcesResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)

from ragbase.domain.document import Status
from ragbase.domain.limits import MAX_PAGE_SIZE
from ragbase.interfaces.mcp.frames import line, quoted, sendable
from ragbase.interfaces.mcp.result_texts import resource_text
from ragbase.interfaces.mcp.tool import ToolRefused, explained, no_document
from ragbase.interfaces.wire.cursor import CURSOR

if TYPE_CHECKING:
    from ragbase.interfaces.knowledge.knowledge import Knowledge

MOST = 100_000
"""Characters of a resource, at most: some 25,000 tokens. A client adds all of them to a conversation."""

_TEXT = "text/plain"
DOCUMENTS = ResourceTemplate(
    uri_template="ragbase://documents/{id}{?offset}",
    name="document",
    description=f"The text of a document, by its id: at most {MOST:,} characters, from `offset` on",
    mime_type=_TEXT,
)
NAMES = ResourceTemplate(
    uri_template="ragbase://names/{+name}",
    name="document by name",
    description=f"The text of a document, by its name with its folders: its first {MOST:,} characters",
    mime_type=_TEXT,
)
PASSAGES = ResourceTemplate(
    uri_template="ragbase://passages/{id}",
    name="passage",
    description="One passage, by an id that search gave: DOCUMENT:START-END",
    mime_type=_TEXT,
)
TEMPLATES = (DOCUMENTS, NAMES, PASSAGES)

_ADDRESS = re.compile(
    r"ragbase://(?:documents/(?P<id>[^/?#]+)(?:\?offset=(?P<offset>[^&#]*))?|names/(?P<name>.+)"
    r"|passages/(?P<document>[^/?#]+?)(?::|%3A)(?P<start>[0-9]{1,12})-(?P<end>[0-9]{1,12}))"
)
_DIGITS = 12
"""No document has more characters than a number of so many digits."""
_MOST_OF_AN_ADDRESS = 200


def listed_resources(knowledge: Knowledge, cursor: str | None) -> ListResourcesResult:
    """A page of the COMPLETED documents, newest first. Raises MCPError."""
    if cursor is not None and not re.fullmatch(CURSOR, cursor):
        raise MCPError(
            INVALID_PARAMS, "The cursor is not one that a page gave. Send the nextCursor of the page before."
        )
    try:
        with explained():
            page = knowledge.list(status=Status.COMPLETED, limit=MAX_PAGE_SIZE, cursor=cursor)
    except ToolRefused as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    resources = [
        Resource(uri=f"ragbase://documents/{one.id}", name=sendable(one.filename), mime_type=_TEXT)
        for one in page.documents
    ]
    return ListResourcesResult(resources=resources, next_cursor=page.next_cursor)


def read_resource(knowledge: Knowledge, address: str) -> TextResourceContents:
    """Raises MCPError."""
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise MCPError(
            INVALID_PARAMS,
            f"There is no resource {line(address[:_MOST_OF_AN_ADDRESS])}. The tool list_documents lists the documents; "
            "the resource of one is ragbase://documents/ID.",
        )
    offset, limit = _part(found)
    try:
        with explained():
            id = found["id"] or found["document"] or _named(knowledge, found["name"])
            page = knowledge.read(id, offset=offset, limit=limit)
    except ToolRefused as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    if page is None:
        raise MCPError(INVALID_PARAMS, no_document(id))
    if page.text is None:
        raise MCPError(
            INTERNAL_ERROR, f"Search shows nothing of {quoted(page.document.filename)}: it is {page.document.status}."
        )
    if found["document"] and not page.text:
        raise MCPError(
            INVALID_PARAMS,
            f"{quoted(page.document.filename)} has no text at character {offset}: it has changed. Search again.",
        )
    return TextResourceContents(uri=address, mime_type=_TEXT, text=resource_text(page, offset))


def _named(knowledge: Knowledge, written: str) -> str:
    """The id of the document whose name is written so in an address. Clients write a `%20` in a name as it is
    (https://www.rfc-editor.org/rfc/rfc6570#section-3.2.3), or as `%2520`. Raises MCPError."""
    name = unquote(written)
    for one in dict.fromkeys((name, written)):
        document = knowledge.find(one)
        if document is not None:
            return document.id
    raise MCPError(INVALID_PARAMS, no_document(name))


def _part(found: re.Match[str]) -> tuple[int, int]:
    """From which character on to read, and how many. Raises MCPError."""
    if found["document"] is not None:
        start, end = int(found["start"]), int(found["end"])
        if not 0 < end - start <= MOST:
            raise MCPError(INVALID_PARAMS, f"A passage has 1 to {MOST:,} characters. Give an id that search gave.")
        return start, end - start
    offset = found["offset"] if found["offset"] is not None else "0"
    if not (offset.isascii() and offset.isdecimal() and len(offset) <= _DIGITS):
        raise MCPError(INVALID_PARAMS, "The offset is no place in a text. Give a whole number from 0 on.")
    return int(offset), MOST
