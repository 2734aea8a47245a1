"""ragbase mcp"""

from __future__ import annotations

import click

from ragbase.extras import bring
from ragbase.interfaces.cli.session import Session, endpoint_options, pass_session, session_options


@click.command("mcp")
@endpoint_options
@session_options
@pass_session
def command(session: Session) -> None:
    """Give an assistant the documents, over standard input and output.

    It speaks the Model Context Protocol, and ends when its input does. An assistant starts it itself: docs/mcp.md has
    the lines for its settings. `ragbase serve` answers the same protocol over HTTP, at /mcp.
    """
    bring("mcp")
    from ragbase.interfaces.mcp.server import mcp_server
    from ragbase.interfaces.mcp.stdio import serve_stdio

    with session.knowledge() as knowledge:
        serve_stdio(mcp_server(knowledge, (session.remote or "").rstrip("/"), is_own=True))
