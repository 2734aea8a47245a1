"""The documents as resources: one address for each, with the text that search shows."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from ragbase.bootstrap.profile import Profile
from ragbase.domain.errors import TextGone, TransientError
from ragbase.engine.indexed_text import indexed_text
from ragbase.engine.seen_document import seen_document

DOCUMENT = "ragbase://documents/{id}"


def add_resources(server: MCPServer, profile: Profile, tenant: str | None) -> None:
    @server.resource(DOCUMENT, name="document", description="The text of a document, by its id", mime_type="text/plain")
    def document(id: str) -> str:
        record = seen_document(id, profile, tenant=tenant)
        if record is None:
            raise ResourceNotFoundError(f"There is no document {id}. The tool list_documents lists the documents.")
        try:
            return "".join(indexed_text(record, profile)).encode("utf-8", "replace").decode()
        except (TextGone, TransientError) as error:
            raise ResourceError(str(error)) from error
