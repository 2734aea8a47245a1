"""An assistant's ways in, by the official SDK's client: `ragbase mcp` as a process of its own, and POST /mcp."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client, Transport
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

import ragbase
from ragbase.interfaces.http.threads import ANSWERS, WRITERS
from ragbase.interfaces.knowledge import deployment_knowledge
from ragbase.interfaces.knowledge.deployment_knowledge import DeploymentKnowledge
from ragbase.interfaces.knowledge.knowledge import Knowledge
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
from ragbase.interfaces.mcp.server import mcp_server
from ragbase.messages.api.answer import AnswerPart, AnswerResponse
from tests.e2e.command_line import TIMEOUT, CommandLine
from tests.unit.client.served import served
from tests.warm import warm

GUIDE = b"# Backups\n\nThe nightly backup starts at half past two and takes ten minutes.\n"
PING = b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n'


def ingested_guide(folder: Path) -> Path:
    """The guide in this folder, which the data folder `home` beside it has."""
    guide = folder / "guide.md"
    guide.write_bytes(GUIDE)
    assert CommandLine(folder / "home").call("ingest", guide).code == 0
    return guide


def started_with(environment: dict[str, str], *options: str) -> StdioServerParameters:
    command, *arguments = warm()
    return StdioServerParameters(command=command, args=[*arguments, "mcp", *options], env=environment)


def started(server: StdioServerParameters) -> Transport:
    """The SDK takes the standard error that there was when it was imported: pytest may have closed that."""
    return stdio_client(server, errlog=sys.stderr)


@pytest.mark.slow
def test_an_assistant_searches_the_data_folder(tmp_path: Path) -> None:
    guide = ingested_guide(tmp_path)
    server = started_with(CommandLine(tmp_path / "home").environment())

    async def ask() -> list[str]:
        async with Client(started(server)) as client:
            questions = ("When does the nightly backup start?", "Who won the football cup?")
            results = [await client.call_tool("searchKnowledge", {"query": question}) for question in questions]
            return [one.text for result in results for one in result.content if isinstance(one, TextContent)]

    found, nothing, near = anyio.run(ask)
    assert "> The nightly backup starts at half past two" in found
    assert nothing == "No relevant information found."
    assert f'Nearest: "{guide}" > "Backups" (0.' in near

    lines = [b"{", b"[]", b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}']
    done = subprocess.run(
        [server.command, *server.args], env=server.env, input=b"\n".join(lines), capture_output=True, check=True
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted(one.get("error", {}).get("code", 0) for one in answers) == [-32700, -32600, 0]
    assert done.stderr == b""


@pytest.mark.slow
@pytest.mark.parametrize("is_interrupted", [True, False])
def test_the_server_ends_while_its_input_stays_open(tmp_path: Path, is_interrupted: bool) -> None:
    """When it is interrupted, as by Ctrl-C, and when nobody reads its answers any more."""
    child = CommandLine(tmp_path / "home").start("mcp", stdin=subprocess.PIPE)
    assert child.stdin is not None and child.stdout is not None and child.stderr is not None
    try:
        child.stdin.write(PING)
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["id"] == 1
        if is_interrupted:
            child.send_signal(signal.SIGINT)
        else:
            child.stdout.close()
            child.stdin.write(PING)
            child.stdin.flush()
        code, said = child.wait(TIMEOUT), child.stderr.read()
    finally:
        child.kill()
        child.communicate()
    assert code == (130 if is_interrupted else 0)
    assert b"Traceback" not in said and (said == b"") is not is_interrupted


@pytest.mark.slow
def test_an_assistant_is_told_which_setting_its_server_lacks(tmp_path: Path) -> None:
    """A key that the shell has: assistants start their servers without the variables of the shell."""
    ingested_guide(tmp_path)
    without_key = {**CommandLine(tmp_path / "home", embedder="cohere").environment(), "CO_API_KEY": ""}
    server = started_with(without_key)

    async def ask() -> CallToolResult:
        async with Client(started(server)) as client:
            return await client.call_tool("search", {"query": "When does the nightly backup start?"})

    result = anyio.run(ask)
    (said,) = result.content
    assert result.is_error and isinstance(said, TextContent)
    assert said.text == "CO_API_KEY holds no API key. Set it to the key of your account."


@pytest.mark.slow
def test_an_assistant_searches_a_deployment_through_a_command(tmp_path: Path) -> None:
    with served(tmp_path / "server", similarity_threshold=0.0) as server:
        with ragbase.Client(server.url) as api:
            api.wait(api.upload(GUIDE, path="guide.md").id)
        command = started_with(CommandLine(tmp_path / "home").environment(), "--endpoint", server.url)

        async def ask() -> CallToolResult:
            async with Client(started(command)) as client:
                return await client.call_tool("searchKnowledge", {"query": "When does the nightly backup start?"})

        (found,) = anyio.run(ask).content
    assert isinstance(found, TextContent) and "The nightly backup starts at half past two" in found.text
    assert not (tmp_path / "home").exists()


@pytest.mark.slow
def test_a_deployment_reads_as_its_profile_does(tmp_path: Path) -> None:
    async def results(knowledge: Knowledge, id: str, failed: str) -> list[dict[str, Any]]:
        calls: list[tuple[str, dict[str, Any]]] = [
            ("searchKnowledge", {"query": "When does the nightly backup start?"}),
            ("searchKnowledge", {"query": "x" * 1001}),
            ("get_document", {"id": id}),
            ("get_document", {"id": id, "offset": 5, "limit": 5}),
            ("get_document", {"id": failed}),
            ("get_document", {"id": "none"}),
            ("get_document", {"id": ".."}),
            ("list_documents", {"status": "FAILED"}),
            ("answer", {"query": "When does the nightly backup start?", "top_k": 1}),
        ]
        async with Client(mcp_server(knowledge)) as client:
            given = [await client.call_tool(tool, arguments) for tool, arguments in calls]
            first = await client.call_tool("list_documents", {"limit": 1})
            assert first.structured_content is not None
            cursor = first.structured_content["nextCursor"]
            given.append(await client.call_tool("list_documents", {"cursor": cursor}))
            resource = await client.read_resource(f"ragbase://documents/{id}")
        return [one.model_dump(exclude={"meta"}) for one in (*given, first, resource)]

    with served(tmp_path / "server", similarity_threshold=0.0) as server, ragbase.Client(server.url) as api:
        guide = api.upload(GUIDE, path="guide.md").id
        failed = api.upload(b"{", path="bad.json").id
        for id in (guide, failed):
            api.wait(id)
        remote = anyio.run(results, DeploymentKnowledge(api), guide, failed)
        here = anyio.run(results, ProfileKnowledge(server.profile, None), guide, failed)
    assert remote == here


@pytest.mark.slow
def test_a_long_list_of_a_deployment_is_read_in_pages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Completions look at more documents than the API gives at a time."""
    monkeypatch.setattr(deployment_knowledge, "MAX_PAGE_SIZE", 2)
    with served(tmp_path / "server", similarity_threshold=0.0) as server, ragbase.Client(server.url) as api:
        for number in range(6):
            api.wait(api.upload(GUIDE + b"%d" % number, path=f"{number}.md").id)
        remote, here = DeploymentKnowledge(api), ProfileKnowledge(server.profile, None)
        first = remote.list(limit=3)
        assert first == here.list(limit=3) and first.next_cursor is not None
        assert remote.list(limit=9) == here.list(limit=9)
        assert remote.list(limit=9, cursor=first.next_cursor) == here.list(limit=9, cursor=first.next_cursor)
        assert remote.list(limit=3, offset=2) == here.list(limit=3, offset=2)


def test_a_deployment_that_does_not_answer_is_an_error_of_the_tool() -> None:
    with ragbase.Client("http://127.0.0.1:1", deadline=0.0) as api:
        knowledge = DeploymentKnowledge(api)

        async def ask() -> CallToolResult:
            async with Client(mcp_server(knowledge)) as client:
                return await client.call_tool("searchKnowledge", {"query": "anything"})

        result = anyio.run(ask)
    (said,) = result.content
    assert result.is_error and isinstance(said, TextContent) and "http://127.0.0.1:1 gave no answer" in said.text


@pytest.mark.slow
def test_an_assistant_searches_a_server(tmp_path: Path) -> None:
    guide = tmp_path / "guide.md"
    guide.write_bytes(GUIDE)

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
    assert tools == ["answer", "fetch", "get_document", "list_documents", "search", "searchKnowledge"]
    assert "The nightly backup starts at half past two" in found


@pytest.mark.slow
def test_slow_answers_hold_up_no_search(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the tool and by the route, in any order: a slow model has as many threads as POST /api/answer has."""
    began, released = threading.Semaphore(0), threading.Event()

    def slow(self: ProfileKnowledge, text: str, **_: object) -> Iterator[AnswerPart]:
        began.release()
        assert released.wait(60)
        yield AnswerResponse(text=text, answered=False, sentences=(), evidence=())

    monkeypatch.setattr(ProfileKnowledge, "answer", slow)

    async def ask(url: str) -> int:
        async with Client(f"{url}/mcp") as client:
            await client.list_tools()
            for _ in range(ANSWERS):
                await client.call_tool("searchKnowledge", {"query": "When does the nightly backup start?"})
            assert not released.is_set()
            released.set()
            return len((await client.call_tool("list_documents", {})).content)

    async def answered(url: str) -> CallToolResult:
        async with Client(f"{url}/mcp") as client:
            return await client.call_tool("answer", {"query": "Who?"})

    with served(tmp_path / "server", similarity_threshold=0.0) as server, ragbase.Client(server.url) as api:
        api.wait(api.upload(GUIDE, path="guide.md").id)
        with ThreadPoolExecutor(ANSWERS) as pool:
            try:
                slow_ones = [pool.submit(anyio.run, answered, server.url) for _ in range(ANSWERS)]
                for _ in range(WRITERS):
                    assert began.acquire(timeout=60)
                assert api.query("When does the nightly backup start?")
                assert anyio.run(ask, server.url) == 1
            finally:
                released.set()
            refused = [error for one in slow_ones if (error := one.exception()) is not None]
    assert len(refused) <= ANSWERS - WRITERS
    for error in refused:
        assert "more requests than the server can answer now" in repr(error)
