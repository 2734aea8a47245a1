"""The official clients of the Model Context Protocol, in Python and JavaScript, and its inspector."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from scripts.locked import locked_modules
from tests.clients.asked_server import HERE, QUESTIONS, AskedServer, places
from tests.clients.node_programs import with_modules
from tests.page_blocks import blocks_of

pytestmark = pytest.mark.slow

PATIENCE = 60
"""Seconds for an answer, on a busy machine."""
TOOLS = ["answer", "fetch", "get_document", "list_documents", "search", "searchKnowledge"]
BLOCKS = [block.text.strip() for block in blocks_of("docs/mcp.md")]


@dataclass(frozen=True)
class Connection:
    """What a block of the page tells an assistant: a command, or an address with headers."""

    command: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


def connection(block: str) -> Connection | None:
    """None for a block that is no settings."""
    if block.startswith("claude mcp add "):
        return _of_claude(shlex.split(block.removeprefix("claude mcp add ")))
    if block.startswith("{"):
        ((_, settings),) = json.loads(block).items()
    elif block.startswith("[mcp_servers."):
        settings = tomllib.loads(block)["mcp_servers"]
    else:
        return None
    one = settings["ragbase"]
    if "command" in one:
        return Connection(command=[one["command"], *one["args"]], variables=one.get("env", {}))
    token = one.get("bearer_token_env_var")
    headers = {"Authorization": "Bearer KEY"} if token == "RAGBASE_KEY" else one["headers"]
    return Connection(url=one.get("url") or one["httpUrl"], headers=headers)


def _of_claude(words: list[str]) -> Connection:
    if words[:2] == ["--transport", "http"]:
        _, _, name, url, option, header = words
        assert (name, option) == ("ragbase", "--header")
        return Connection(url=url, headers=dict([header.split(": ")]))
    end = words.index("--")
    variables = dict([words[2].split("=")]) if words[1] == "--env" else {}
    assert words[0] == "ragbase" and end == (3 if variables else 1)
    return Connection(command=words[end + 1 :], variables=variables)


CONNECTIONS = {block: found for block in BLOCKS if (found := connection(block)) is not None}


@asynccontextmanager
async def over_http(url: str, headers: Mapping[str, str]) -> AsyncIterator[Any]:
    """A transport of the SDK whose connections are closed with it."""
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


def opened(told: Connection, server: AskedServer) -> AbstractAsyncContextManager[Any]:
    """A transport of the SDK for it, with the test's address and key."""

    def real(text: str) -> str:
        for example in ("https://rag.example.com", "http://127.0.0.1:8080"):
            text = text.replace(example, server.endpoint)
        return text.replace("KEY", server.key)

    if told.url:
        return over_http(real(told.url), {name: real(value) for name, value in told.headers.items()})
    command, *arguments = map(real, told.command)
    home = {} if "--endpoint" in told.command else {"RAGBASE_HOME": str(server.home)}
    variables = {name: real(value) for name, value in told.variables.items()}
    path = {"PATH": f"{server.programs}{os.pathsep}{os.environ['PATH']}"}
    asked = StdioServerParameters(command=command, args=arguments, env={**path, **home, **variables})
    return stdio_client(asked, errlog=sys.stderr)  # not the one of its import, which a test may have closed


def test_the_page_has_settings_for_each_assistant() -> None:
    assert len(CONNECTIONS) == len(BLOCKS) - 1  # all but the example of a result
    assert sum(bool(one.url) for one in CONNECTIONS.values()) == 5


@pytest.mark.prove
@pytest.mark.parametrize("block", CONNECTIONS)
def test_the_settings_of_the_page_lead_to_the_documents(server: AskedServer, block: str) -> None:
    async def ask() -> tuple[list[str], str]:
        async with Client(opened(CONNECTIONS[block], server)) as client:
            tools = sorted(tool.name for tool in (await client.list_tools()).tools)
            found = await client.call_tool("searchKnowledge", {"query": QUESTIONS[0]})
            return tools, str(found.content)

    tools, found = anyio.run(ask)
    assert tools == TOOLS and "The nightly backup starts at half past two" in found


def asked_in_python(server: AskedServer) -> list[list[dict[str, str]]]:
    """What the tool `search` finds for each question."""

    async def ask() -> list[list[dict[str, str]]]:
        async with Client(over_http(f"{server.endpoint}/mcp", {"Authorization": f"Bearer {server.key}"})) as client:
            results = [await client.call_tool("search", {"query": question}) for question in QUESTIONS]
        return [(result.structured_content or {})["results"] for result in results]

    return anyio.run(ask)


def test_the_client_in_python_finds_what_the_server_finds(server: AskedServer) -> None:
    assert [[one["id"] for one in found] for found in asked_in_python(server)] == [*map(places, server.found())]


def asked_in_javascript(server: AskedServer, transport: str, folder: Path) -> Any:
    """The tools and prompts, and what the two tools of a search find for each question."""
    program = with_modules("ask_mcp.mjs", locked_modules(HERE / "node"), folder)
    path = {"PATH": f"{server.programs}{os.pathsep}{os.environ['PATH']}", "RAGBASE_HOME": str(server.home)}
    return server.asked("node", program, transport, environment=path)


@pytest.mark.prove
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_client_in_javascript_finds_what_the_server_finds(
    server: AskedServer, transport: str, tmp_path: Path
) -> None:
    said = asked_in_javascript(server, transport, tmp_path / "program")
    assert sorted(said["tools"]) == TOOLS
    assert said["prompts"] == ["answer_with_sources", "compare_documents", "find_gaps"]
    expected = [*map(places, server.found())]
    assert [[one["id"] for one in found["theirs"]] for found in said["found"]] == expected
    assert [[place(one) for one in found["ours"]] for found in said["found"]] == expected


def place(result: Mapping[str, Any]) -> str:
    return f"{result['documentId']}:{result['metadata']['charStart']}-{result['metadata']['charEnd']}"


@pytest.mark.prove
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (["tools/list"], '"fetch"'),
        (["prompts/list"], '"find_gaps"'),
        (["resources/templates/list"], "ragbase://documents/{id}"),
        (["prompts/get", "--prompt-name", "find_gaps", "--prompt-args", "subject=backups"], "leave open: backups"),
        (["tools/call", "--tool-name", "search", "--tool-arg", f"query={QUESTIONS[0]}"], "Backups"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_the_inspector_reads_the_server(server: AskedServer, call: list[str], said: str) -> None:
    modules = locked_modules(HERE / "node")
    inspector: list[str | Path] = [
        modules / ".bin/mcp-inspector",
        "--cli",
        f"{server.endpoint}/mcp",
        "--transport",
        "http",
    ]
    done = subprocess.run(
        [*inspector, "--header", f"Authorization: Bearer {server.key}", "--method", *call],
        cwd=modules.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout and json.loads(done.stdout)
