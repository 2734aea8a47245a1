"""`ragbase mcp` as an assistant starts it: a process of its own, by the official SDK's client."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import TextContent

from tests.e2e.command_line import CommandLine


def test_an_assistant_searches_the_data_folder(tmp_path: Path) -> None:
    command_line = CommandLine(tmp_path / "home")
    guide = tmp_path / "guide.md"
    guide.write_text("# Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n")
    assert command_line.run("ingest", guide).code == 0
    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "ragbase.interfaces.cli.main", "mcp"],
        env=command_line.environment(),
    )

    async def ask() -> list[str]:
        async with Client(stdio_client(server)) as client:
            questions = ("When does the nightly backup start?", "Who won the football cup?")
            results = [await client.call_tool("searchKnowledge", {"query": question}) for question in questions]
            return [one.text for result in results for one in result.content if isinstance(one, TextContent)]

    found, nothing = anyio.run(ask)
    assert "The nightly backup starts at half past two" in found
    assert nothing == "No relevant information found."
