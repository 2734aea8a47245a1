"""An assistant's ways in, by the official SDK's client: `ragbase mcp` as a process of its own, and POST /mcp."""

from __future__ import annotations

import sys
from pathlib import Path

import anyio
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import TextContent

import ragbase
from tests.e2e.command_line import CommandLine
from tests.unit.client.served import served


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


def test_an_assistant_searches_a_server(tmp_path: Path) -> None:
    guide = tmp_path / "guide.md"
    guide.write_text("# Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n")

    async def ask(url: str) -> tuple[list[str], str]:
        async with Client(f"{url}/mcp") as client:
            tools = sorted(tool.name for tool in (await client.list_tools()).tools)
            result = await client.call_tool("searchKnowledge", {"query": "When does the nightly backup start?"})
            (found,) = (one.text for one in result.content if isinstance(one, TextContent))
            return tools, found

    with served(tmp_path / "server", similarity_threshold=0.0) as server:
        with ragbase.Client(server.url) as api:
            api.wait(api.upload(guide).id)
        tools, found = anyio.run(ask, server.url)
    assert tools == ["answer", "get_document", "list_documents", "searchKnowledge"]
    assert "The nightly backup starts at half past two" in found
