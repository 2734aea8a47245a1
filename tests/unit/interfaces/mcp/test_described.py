"""What a client hands on to a model: schemas that each model's API reads, and no word of our code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import anyio
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.types import Tool

import ragbase
from ragbase.domain.conversation import Role, Turn
from ragbase.domain.errors import ConfigurationError
from ragbase.interfaces.knowledge.knowledge import Knowledge
from ragbase.interfaces.mcp.server import mcp_server
from tests.unit.interfaces.mcp.hostile_knowledge import Assistant, HostileKnowledge, opened

PACKAGE = Path(ragbase.__file__).parent
KEPT = {
    "type", "description", "enum", "properties", "required", "additionalProperties", "items", "minimum", "maximum",
    "minLength", "maxLength", "minItems", "maxItems", "pattern", "default",
}  # fmt: skip


@pytest.fixture(scope="module")
def assistant() -> Iterator[Assistant]:
    with opened() as assistant:
        yield assistant


def tools_of(assistant: Assistant) -> list[Tool]:
    return assistant.ask(lambda client: client.list_tools()).tools


def schemas(schema: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield schema
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    for one in inner:
        yield from schemas(one)


def strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from (name, *strings(inner))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


def test_schemas_have_nothing_that_a_client_may_not_know(assistant: Assistant) -> None:
    for tool in tools_of(assistant):
        assert tool.output_schema is not None
        for schema in (*schemas(tool.input_schema), *schemas(tool.output_schema)):
            assert schema.keys() <= KEPT, (tool.name, schema)
            assert schema["type"] in ("object", "array", "string", "integer", "number", "boolean"), (tool.name, schema)
            assert schema.get("default", 0) is not None
            assert set(schema.get("required", ())) <= set(schema.get("properties", ()))
            assert ("items" in schema) == (schema["type"] == "array"), (tool.name, schema)
        assert tool.input_schema["additionalProperties"] is False


def test_only_what_a_tool_cannot_do_without_is_required(assistant: Assistant) -> None:
    required = {tool.name: tool.input_schema.get("required", []) for tool in tools_of(assistant)}
    assert required == {
        "searchKnowledge": ["query"], "get_document": ["id"], "list_documents": [], "answer": ["query"],
        "search": ["query"], "fetch": ["id"],
    }  # fmt: skip


def test_no_description_speaks_of_the_code(assistant: Assistant) -> None:
    async def described(client: Client) -> list[dict[str, Any]]:
        lists = (
            await client.list_tools(), await client.list_resources(), await client.list_resource_templates(),
            await client.list_prompts(),
        )  # fmt: skip
        return [{"instructions": client.instructions}, *(one.model_dump(mode="json") for one in lists)]

    said = [*strings(assistant.ask(described))]
    assert any("Search knowledge base" in one for one in said)
    modules = {path.relative_to(PACKAGE.parent).with_suffix("").as_posix() for path in PACKAGE.rglob("*.py")}
    inner = {module.split("/", 1)[1] for module in modules if "/" in module}
    for one in said:
        assert not re.search(r"\.py\b|ragbase[./]\w|::|docs/|\bclass\b|\bdef\b", one.replace("ragbase://", "")), one
        assert not [module for module in inner if "/" in module and module in one], one


def test_what_is_not_known_is_refused_and_what_is_known_is_named(assistant: Assistant) -> None:
    (said,) = assistant.call("get_document", id="1", page=2, format="x").content
    assert getattr(said, "text", "") == (
        '"page" is unknown. get_document takes id, offset and limit. '
        '"format" is unknown. get_document takes id, offset and limit.'
    )
    (said,) = assistant.call(
        "searchKnowledge", query="x", filter={"where": [{"key": "a", "equals": 1, "is": 2}]}
    ).content
    assert (
        getattr(said, "text", "")
        == '"filter.where.0.is" is unknown. filter.where.0 takes key, equals, atLeast and atMost.'
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"limit": 0}, '"limit": Input should be greater than or equal to 1. Wanted: the most documents to return.'),
        ({"limit": "many"}, '"limit": Input should be a valid integer'),
        ({"status": "LOST"}, "\"status\": Input should be 'PENDING', 'PROCESSING', 'COMPLETED' or 'FAILED'."),
        ({"cursor": "x"}, '"cursor": String should match pattern'),
    ],
)
def test_a_wrong_argument_is_named_with_its_rule(assistant: Assistant, arguments: dict[str, Any], said: str) -> None:
    result = assistant.call("list_documents", **arguments)
    assert result.is_error and getattr(result.content[0], "text", "").startswith(said)


@pytest.mark.parametrize(
    "filter",
    [
        {"where": [{"key": "floor", "atLeast": "-1", "atMost": 3}]},
        {"where": [{"key": "floor", "equals": "3"}, {"key": "open", "equals": True}]},
        '{"formats": ["md"], "dateFrom": "2024-01-31", "tags": null}',
        None,
    ],
)
def test_a_filter_is_taken_as_clients_send_it(assistant: Assistant, filter: object) -> None:
    """Numbers as texts, as the schema has one type for each; an object as the text of its JSON; null for nothing."""
    assert not assistant.call("searchKnowledge", query="x", filter=filter).is_error


def test_a_number_of_tokens_without_what_it_limits_is_refused_with_the_remedy(assistant: Assistant) -> None:
    result = assistant.call("searchKnowledge", query="x", expand_tokens=10)
    assert result.is_error
    assert getattr(result.content[0], "text", "") == "expand_tokens needs expand. Say section, page or document."
    assert not assistant.call("searchKnowledge", query="x", expand="page", expand_tokens=10).is_error


HISTORY = [{"role": "user", "text": "How?"}, {"role": "assistant", "text": "So.", "documentIds": ["1"]}]


@pytest.mark.parametrize("tool", ["searchKnowledge", "answer"])
def test_a_history_reaches_the_question_however_clients_send_it(assistant: Assistant, tool: str) -> None:
    before = (Turn(Role.USER, "How?"), Turn(Role.ASSISTANT, "So.", ("1",)))
    for sent, history in ((HISTORY, before), (json.dumps(HISTORY), before), ([], ()), (None, ())):
        assert not assistant.call(tool, query="x", history=sent).is_error
        assert assistant.knowledge.asked[-1].history == history


@pytest.mark.parametrize("tool", ["searchKnowledge", "answer"])
@pytest.mark.parametrize(
    ("history", "said"),
    [
        (
            [{"role": "system", "text": "x"}],
            "\"history.0.role\": Input should be 'user' or 'assistant'. Wanted: user for",
        ),
        (
            [{"role": "user", "text": " "}],
            '"history.0.text": String should have at least 1 character. Wanted: 1 to 8000',
        ),
        ([{"role": "user", "text": "x"}] * 21, '"history": Tuple should have at most 20 items'),
        (
            [{"role": "user", "content": "x"}],
            '"history.0.content" is unknown. history.0 takes role, text and documentIds.',
        ),
    ],
)
def test_a_wrong_history_is_named_with_its_rule(assistant: Assistant, tool: str, history: object, said: str) -> None:
    result = assistant.call(tool, query="x", history=history)
    assert result.is_error and said in getattr(result.content[0], "text", "")


def test_a_tool_that_fails_says_no_more_than_that(assistant: Assistant) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("at /home/somebody/ragbase.db")

    assistant.knowledge.query = fail  # type: ignore[assignment,method-assign]
    result = assistant.call("searchKnowledge", query="x")
    assert result.is_error and getattr(result.content[0], "text", "") == "The server failed. Its log has the details."


@pytest.mark.parametrize(
    ("is_own", "said"),
    [(True, "KEY is missing in config.toml. Set it."), (False, "The server failed. Its log has the details.")],
)
def test_only_who_starts_the_server_is_told_what_is_wrong_with_its_settings(is_own: bool, said: str) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ConfigurationError("KEY is missing in /home/somebody/config.toml. Set it.")

    knowledge = HostileKnowledge()
    knowledge.query = knowledge.list = fail  # type: ignore[assignment,method-assign]

    async def ask() -> None:
        async with Client(mcp_server(cast("Knowledge", knowledge), is_own=is_own)) as client:
            called = await client.call_tool("search", {"query": "x"})
            assert called.is_error and getattr(called.content[0], "text", "") == said
            with pytest.raises(MCPError) as listed:
                await client.list_resources()
            assert listed.value.message == said

    anyio.run(ask)
