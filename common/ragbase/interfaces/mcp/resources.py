"""The documents as resources: one address for each, with the text that search shows."""

from __future__ import annotations

import re

from mcp.shared.exceptions import MCPError
from mcp.types import INTERNAL_ERROR, INVALID_PARAMS, ResourceTemplate, TextResourceContents

from ragbase.interfaces.knowledge.knowledge import Knowledge
from ragbase.interfaces.mcp.frames import line, quoted
from ragbase.interfaces.mcp.result_texts import resource_text
from ragbase.interfaces.mcp.tool import ToolRefused, explained, no_document

MOST = 100_000
"""Characters of a resource, at most: some 25,000 tokens. A client adds all of them to a conversation."""

DOCUMENTS = ResourceTemplate(
    uri_template="ragbase://documents/{id}{?offset}",
    name="document",
    description=f"The text of a document, by its id: at most {MOST:,} characters, from `offset` on",
    mime_type="text/plain",
)
_ADDRESS = re.compile(r"ragbase://documents/(?P<id>[^/?#]+)(?:\?offset=(?P<offset>[^&#]*))?")
_DIGITS = 12
"""No document has more characters than a number of so many digits."""
_MOST_OF_AN_ADDRESS = 200


def read_resource(knowledge: Knowledge, address: str) -> TextResourceContents:
    """Raises MCPError."""
    id, offset = _parsed(address)
    try:
        with explained():
            page = knowledge.read(id, offset=offset, limit=MOST)
    except ToolRefused as error:
        raise MCPError(INTERNAL_ERROR, str(error)) from error
    if page is None:
        raise MCPError(INVALID_PARAMS, no_document(id))
    if page.text is None:
        raise MCPError(
            INTERNAL_ERROR, f"Search shows nothing of {quoted(page.document.filename)}: it is {page.document.status}."
        )
    return TextResourceContents(uri=address, mime_type="text/plain", text=resource_text(page, offset))


def _parsed(address: str) -> tuple[str, int]:
    found = _ADDRESS.fullmatch(address)
    if found is None:
        raise MCPError(
            INVALID_PARAMS,
            f"There is no resource {line(address[:_MOST_OF_AN_ADDRESS])}. The tool list_documents lists the documents; "
            "the resource of one is ragbase://documents/ID.",
        )
    offset = found["offset"] if found["offset"] is not None else "0"
    if not (offset.isascii() and offset.isdecimal() and len(offset) <= _DIGITS):
        raise MCPError(INVALID_PARAMS, "The offset is no place in a text. Give a whole number from 0 on.")
    return found["id"], int(offset)
