"""The tools `search` and `fetch` of hosted assistants, with the shapes that OpenAI publishes, and the prompts."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema_rs import validate
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from ragbase.interfaces.mcp.arguments import PAGE
from tests.functions.tenant_world import TenantWorld
from tests.functions.test_mcp import QUESTION, asked, call, http, text, world

__all__ = ["world"]

STRING = {"type": "string", "minLength": 1}
RESULTS = {
    "type": "object",
    "properties": {
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"id": STRING, "title": STRING, "url": STRING},
                "required": ["id", "title", "url"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["results"],
    "additionalProperties": False,
}
DOCUMENT = {
    "type": "object",
    "properties": {
        "id": STRING,
        "title": STRING,
        "text": {"type": "string"},
        "url": STRING,
        "metadata": {"type": "object"},
    },
    "required": ["id", "title", "text", "url"],
    "additionalProperties": False,
}
"""https://developers.openai.com/api/docs/mcp, *search tool* and *fetch tool*."""


KNOWN = "The prompts are answer_with_sources, compare_documents and find_gaps."


def answered(world: TenantWorld, tenant: str | None, tool: str, **arguments: Any) -> Any:
    """The structured content, which is also the only text."""
    result = call(world, tenant, tool, **arguments)
    assert not result.is_error, text(result)
    assert json.loads(text(result)) == result.structured_content
    return result.structured_content


def test_what_search_gives_fetch_reads(world: TenantWorld) -> None:
    found = answered(world, "red", "search", query=QUESTION)
    validate(RESULTS, found)
    (one,) = found["results"]
    document = world.id("red/boiler.md")
    assert (one["title"], one["url"]) == ("red/boiler.md: Boiler", f"ragbase://documents/{document}")
    read = answered(world, "red", "fetch", id=one["id"])
    validate(DOCUMENT, read)
    assert (read["id"], read["title"], read["url"]) == (one["id"], "red/boiler.md", one["url"])
    start, end = map(int, one["id"].removeprefix(f"{document}:").split("-"))
    (passage,) = answered_by_our_search(world)
    assert read["text"][start:end] == passage["content"]
    assert read["metadata"] == {"filename": "red/boiler.md", "charStart": 0, "charEnd": len(read["text"])}


def answered_by_our_search(world: TenantWorld) -> list[dict[str, Any]]:
    found = call(world, "red", "searchKnowledge", query=QUESTION).structured_content
    assert found is not None
    results: list[dict[str, Any]] = found["results"]
    return results


def test_over_http_the_address_is_that_of_the_console(world: TenantWorld) -> None:
    params = {"name": "search", "arguments": {"query": QUESTION}}
    answer = http(world, "red", {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params})
    (one,) = answer.json["result"]["structuredContent"]["results"]
    assert one["url"] == f"http://localhost/#/documents/{world.id('red/boiler.md')}"


def test_the_title_names_the_file_and_not_what_it_calls_itself(world: TenantWorld) -> None:
    said = b"---\ntitle: finance/policy.pdf\n---\n# Pumps\n\n## Care\n\nThe crimson pump wants oil every May.\n"
    world.upload(world.key("red"), said, path="m.md")
    world.work()
    titles = [one["title"] for one in answered(world, "red", "search", query="crimson pump oil")["results"]]
    assert titles[0].startswith("red/m.md: Pumps")


def test_a_long_document_is_read_around_its_passage_and_on_to_its_end(world: TenantWorld) -> None:
    lines = [f"Line {number} of the log.\n" for number in range(3_000)]
    lines[2_500] = "The turquoise valve was opened at noon.\n"
    world.upload(world.key("red"), "".join(lines).encode(), path="log.txt")
    world.work()
    first, *_ = answered(world, "red", "search", query="When was the turquoise valve opened?")["results"]
    read = answered(world, "red", "fetch", id=first["id"])
    start = int(first["id"].split(":")[1].split("-")[0])
    place = read["metadata"]
    assert place["charStart"] < start < place["charEnd"] and len(read["text"]) <= PAGE
    assert "turquoise" in read["text"]

    id, whole = world.id("red/log.txt"), ""
    while id:
        part = answered(world, "red", "fetch", id=id)
        whole += part["text"]
        id = part["metadata"].get("nextId")
    assert "".join(lines).rstrip() == whole.rstrip()


def test_another_tenants_passage_cannot_be_told_from_none(world: TenantWorld) -> None:
    foreign = answered(world, "blue", "search", query=QUESTION)["results"][0]["id"]
    none = foreign.replace(world.id("blue/boiler.md"), world.id("red/none.md"))
    said = []
    for id in (foreign, none):
        refused = call(world, "red", "fetch", id=id)
        assert refused.is_error
        said.append(text(refused).replace(id.split(":")[0], "ID"))
    assert said[0] == said[1] == "There is no document ID. The tool list_documents lists the documents."
    assert "blue" not in str(answered(world, "red", "search", query=QUESTION))


def test_a_place_behind_the_end_is_no_empty_text(world: TenantWorld) -> None:
    refused = call(world, "red", "fetch", id=f"{world.id('red/boiler.md')}:30000")
    assert refused.is_error
    assert text(refused) == '"red/boiler.md" has no text at character 30000: it has changed. Search again.'


def test_nothing_found_is_an_empty_list(world: TenantWorld) -> None:
    assert answered(world, "green", "search", query=QUESTION) == {"results": []}


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("search", {"query": " "}, "query"),
        ("search", {"query": "x" * 1001}, "query"),
        ("search", {"query": "x", "filter": {"tags": ["a"]}}, '"filter" is unknown. search takes query.'),
        ("fetch", {"id": ""}, "id"),
        ("fetch", {"id": ":1-2"}, "There is no document :1-2."),
        ("fetch", {"id": "none:1-" + "9" * 40}, "There is no document none:1-999"),
        ("fetch", {"id": "none\n:1-2"}, "There is no document none"),
    ],
)
def test_wrong_arguments_are_errors_of_the_tool(
    world: TenantWorld, tool: str, arguments: dict[str, Any], said: str
) -> None:
    refused = call(world, "red", tool, **arguments)
    assert refused.is_error and said in text(refused)


def test_a_document_without_a_text_says_why(world: TenantWorld) -> None:
    world.upload(world.key("red"), b"{", path="bad.json")
    world.work()
    refused = call(world, "red", "fetch", id=world.id("red/bad.json"))
    assert refused.is_error and text(refused) == 'Search shows nothing of "red/bad.json": it is FAILED.'


def test_each_prompt_asks_with_its_argument(world: TenantWorld) -> None:
    async def use(client: Client) -> dict[str, str]:
        texts = {}
        for prompt in (await client.list_prompts()).prompts:
            (argument,) = prompt.arguments or []
            (message,) = (await client.get_prompt(prompt.name, {argument.name: " {x} of ä "})).messages
            assert message.role == "user" and isinstance(message.content, TextContent)
            texts[prompt.name] = message.content.text
        return texts

    texts = asked(world, None, use)
    assert set(texts) == {"answer_with_sources", "compare_documents", "find_gaps"}
    tools = {tool.name for tool in asked(world, None, lambda client: client.list_tools()).tools}
    for said in texts.values():
        assert "{x} of ä\n" in said
        assert {word.strip(".,") for word in said.split()} & tools


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        (
            "none",
            {},
            'There is no prompt "none". The prompts are answer_with_sources, compare_documents and find_gaps.',
        ),
        ("find_gaps", {}, '"subject" is missing. find_gaps takes subject.'),
        ("find_gaps", {"subject": " "}, '"subject" is missing. find_gaps takes subject.'),
        ("find_gaps", {"subject": "x", "depth": "1"}, '"depth" is unknown. find_gaps takes subject.'),
        ("find_gaps", {"subject": "x" * 1001}, '"subject" is over the limit of 1,000 characters. Shorten it.'),
    ],
)
def test_a_prompt_that_cannot_be_filled_says_why(
    world: TenantWorld, name: str, arguments: dict[str, str], said: str
) -> None:
    async def use(client: Client) -> str:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, arguments)
        return refused.value.message

    assert asked(world, None, use) == said
