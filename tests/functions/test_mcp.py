"""The Model Context Protocol: in memory, over HTTP with keys and tenants, by the official SDK's client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import anyio
import pytest
from mcp.client import Client
from mcp.types import CallToolResult, TextContent

from ragbase.interfaces.mcp.server import mcp_server
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.guarded import bearer
from tests.functions.tenant_world import TenantWorld

Result = TypeVar("Result")
BOILER = "# Boiler\n\nThe boiler of the {name} house is inspected in {month}. It stands in the cellar of {name}.\n"
QUESTION = "When is the boiler of the house inspected?"
INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[TenantWorld]:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock())
    for name, month in (("red", "May"), ("blue", "June")):
        world.upload(world.key(name), BOILER.format(name=name, month=month).encode(), path="boiler.md")
    world.work()
    yield world
    world.close()


def asked(world: TenantWorld, tenant: str | None, use: Callable[[Client], Awaitable[Result]]) -> Result:
    async def run() -> Result:
        async with Client(mcp_server(world.profile, tenant=tenant)) as client:
            return await use(client)

    return anyio.run(run)


def call(world: TenantWorld, tenant: str | None, tool: str, **arguments: Any) -> CallToolResult:
    return asked(world, tenant, lambda client: client.call_tool(tool, arguments))


def text(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def test_the_search_tool_is_that_of_the_contract(world: TenantWorld) -> None:
    tools = {tool.name: tool for tool in asked(world, None, lambda client: client.list_tools()).tools}
    assert set(tools) == {"searchKnowledge", "get_document", "list_documents", "answer"}
    search = tools["searchKnowledge"]
    assert search.description == "Search knowledge base for relevant information"
    assert list(search.input_schema["properties"]) == search.input_schema["required"] == ["query"]
    assert search.input_schema["properties"]["query"]["description"] == "The search query"
    assert search.output_schema is None


def test_a_search_gives_passages_with_their_places(world: TenantWorld) -> None:
    found = text(call(world, "red", "searchKnowledge", query=QUESTION))
    assert found.startswith("[red/boiler.md, Boiler, id ") and "inspected in May" in found


@pytest.mark.parametrize("query", ["", "   "])
def test_a_blank_query_finds_nothing(world: TenantWorld, query: str) -> None:
    assert text(call(world, "red", "searchKnowledge", query=query)) == "No relevant information found."


def test_an_empty_tenant_finds_nothing(world: TenantWorld) -> None:
    assert text(call(world, "green", "searchKnowledge", query=QUESTION)) == "No relevant information found."


def test_a_document_is_read_page_by_page(world: TenantWorld) -> None:
    id, offset, pages = world.id("red/boiler.md"), 0, []
    while offset is not None:
        page = call(world, "red", "get_document", id=id, offset=offset, limit=20).structured_content
        assert page is not None
        pages.append(page["text"])
        offset = page.get("nextOffset")
    whole = asked(world, "red", lambda client: client.read_resource(f"ragbase://documents/{id}"))
    assert "".join(pages) == whole.contents[0].text
    assert "inspected in May" in "".join(pages)


def test_the_list_goes_on_at_its_cursor(world: TenantWorld) -> None:
    first = call(world, None, "list_documents", limit=1, status="COMPLETED").structured_content
    assert first is not None
    second = call(world, None, "list_documents", limit=1, cursor=first["nextCursor"]).structured_content
    assert second is not None
    assert {page["documents"][0]["filename"] for page in (first, second)} == {"red/boiler.md", "blue/boiler.md"}


def test_an_answer_has_citations(world: TenantWorld) -> None:
    given = call(world, "red", "answer", query=QUESTION).structured_content
    assert given is not None
    cited = [citation for sentence in given["sentences"] for citation in sentence["citations"]]
    assert cited and all(citation["filename"] == "red/boiler.md" for citation in cited)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("searchKnowledge", {"query": "x" * 1001}),
        ("searchKnowledge", {}),
        ("get_document", {"id": "none"}),
        ("list_documents", {"cursor": "x"}),
        ("list_documents", {"status": "LOST"}),
        ("answer", {"query": " "}),
    ],
)
def test_wrong_arguments_are_errors_of_the_tool(world: TenantWorld, tool: str, arguments: dict[str, Any]) -> None:
    assert call(world, "red", tool, **arguments).is_error


def test_another_tenants_document_cannot_be_told_from_none(world: TenantWorld) -> None:
    foreign, none = world.id("blue/boiler.md"), world.id("red/none.md")
    said = [text(call(world, "red", "get_document", id=id)).replace(id, "ID") for id in (foreign, none)]
    assert said[0] == said[1]
    listed = call(world, "red", "list_documents").structured_content
    assert listed is not None and listed["total"] == 1


def http(world: TenantWorld, tenant: str | None, message: dict[str, Any], **headers: str) -> Any:
    sent = {**bearer(world.key(tenant)), **ACCEPT, **headers}
    return world.client.post("/mcp", headers=sent, json=message)


def tool_over_http(world: TenantWorld, tenant: str | None) -> Any:
    params = {"name": "searchKnowledge", "arguments": {"query": QUESTION}}
    return http(world, tenant, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})


@pytest.mark.parametrize(("tenant", "own", "others"), [("red", "May", "June"), ("blue", "June", "May")])
def test_a_key_sees_its_tenant_over_http(world: TenantWorld, tenant: str, own: str, others: str) -> None:
    answer = tool_over_http(world, tenant)
    assert answer.status_code == 200 and answer.mimetype == "application/json"
    assert own.encode() in answer.data and others.encode() not in answer.data
    assert "Mcp-Session-Id" not in answer.headers


def test_http_wants_a_key(world: TenantWorld) -> None:
    world.key("red")
    assert world.client.post("/mcp", headers=ACCEPT, json=INITIALIZE).status_code == 401


def test_a_page_of_another_origin_is_refused(world: TenantWorld) -> None:
    assert http(world, "red", INITIALIZE, Origin="https://evil.example").status_code == 403
    assert http(world, "red", INITIALIZE, Origin="http://localhost").status_code == 200


def test_there_is_no_session_to_open_or_end(world: TenantWorld) -> None:
    for method in ("GET", "DELETE"):
        assert world.ask(world.key(None), method, "/mcp").status_code == 405


def test_public_queries_do_not_open_it(tmp_path: Path) -> None:
    world = TenantWorld(tmp_path, MemoryCheckpoints(), VirtualClock(), public_query=True, tenancy="none")
    world.key(None)
    assert world.client.post("/mcp", headers=ACCEPT, json=INITIALIZE).status_code == 401
    world.close()
