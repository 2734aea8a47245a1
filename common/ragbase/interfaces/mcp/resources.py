"""The documents as resources: one address for each, with the text that search shows."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from ragbase.client.errors import ClientError
from ragbase.domain.errors import TransientError
from ragbase.domain.server_paths import without_server_paths
from ragbase.interfaces.knowledge.knowledge import Knowledge
from ragbase.interfaces.mcp.tools import no_document, sendable

DOCUMENT = "ragbase://documents/{id}{?offset}"
MOST = 100_000
"""Characters of a resource, at most: some 25,000 tokens. A client adds all of them to a conversation."""

_DIGITS = 12
"""No document has more characters than a number of so many digits."""


def add_resources(server: MCPServer, knowledge: Knowledge) -> None:
    @server.resource(
        DOCUMENT,
        name="document",
        description=f"The text of a document, by its id: at most {MOST:,} characters, from `offset` on",
        mime_type="text/plain",
    )
    def document(id: str, offset: str = "0") -> str:
        if not (offset.isascii() and offset.isdecimal() and len(offset) <= _DIGITS):
            raise ResourceNotFoundError("The offset is no place in a text. Give a whole number from 0 on.")
        try:
            page = knowledge.read(id, offset=int(offset), limit=MOST)
        except (TransientError, ClientError) as error:
            raise ResourceError(without_server_paths(str(error))) from error
        if page is None:
            raise ResourceNotFoundError(no_document(id))
        if page.text is None:
            raise ResourceError(f"Search shows nothing of {page.document.filename}: it is {page.document.status}.")
        return sendable(page.text) + _rest(id, page.next_offset)


def _rest(id: str, next_offset: int | None) -> str:
    if next_offset is None:
        return ""
    return (
        f"\n\n[This is only a part of the text. It goes on at ragbase://documents/{id}?offset={next_offset}, and the "
        f"tool get_document reads it from offset {next_offset} on.]"
    )
