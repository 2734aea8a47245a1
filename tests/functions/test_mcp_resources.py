"""The resources of the Model Context Protocol: their pages, and documents by name and by passage, with two tenants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from mcp.shared.uri_template import UriTemplate
from mcp.types import ResourceTemplateReference

from ragbase.access.token import Token
from ragbase.adapters.embedded.document_store import SqliteDocumentStore
from ragbase.domain.document import Document
from ragbase.domain.limits import MAX_PAGE_SIZE
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
from ragbase.interfaces.mcp import newest_documents
from ragbase.interfaces.mcp.newest_documents import KNOWN_FOR, NewestDocuments
from tests.functions.guarded import bearer
from tests.functions.tenant_world import TenantWorld
from tests.functions.test_mcp import ACCEPT, QUESTION, asked, call, resource, world
from tests.functions.test_search_and_fetch import answered

__all__ = ["world"]

DOCUMENT = "# Pump {number}\n\nThe pump with the number {number} wants new oil every May, says the office.\n"


def refused(world: TenantWorld, tenant: str, address: str) -> str:
    async def use(client: Client) -> str:
        with pytest.raises(MCPError) as refused:
            await client.read_resource(address)
        return refused.value.message

    return asked(world, tenant, use)


def test_a_document_is_read_by_its_name(world: TenantWorld) -> None:
    by_id = resource(world, "red", f"ragbase://documents/{world.id('red/boiler.md')}")
    assert resource(world, "red", "ragbase://names/red/boiler.md") == by_id
    assert resource(world, "red", "ragbase://names/red%2Fboiler.md") == by_id


@pytest.mark.parametrize(
    "name", ["a b.md", "Annual%20Report.md", "100%25.md", "50%.md", "what? #1.md", "\u00dcber \u6f22.md"]
)
def test_every_name_is_read_at_the_address_that_a_client_makes_of_it(world: TenantWorld, name: str) -> None:
    """In the way of RFC 6570, which leaves `%20` of a name as it is, and in that of the SDK in TypeScript."""
    world.upload(world.key("red"), DOCUMENT.format(number=name).encode(), path=name)
    world.work()
    by_id = resource(world, "red", f"ragbase://documents/{world.id(f'red/{name}')}")
    for made in (UriTemplate.parse("{+name}").expand({"name": f"red/{name}"}), quote(f"red/{name}", safe="/?#")):
        assert resource(world, "red", f"ragbase://names/{made}") == by_id


def test_a_name_of_another_tenant_cannot_be_told_from_none(world: TenantWorld) -> None:
    said = [
        refused(world, "red", f"ragbase://names/blue/{name}").replace(name, "NAME") for name in ("boiler.md", "no.md")
    ]
    assert said[0] == said[1] == "There is no document blue/NAME. The tool list_documents lists the documents."


def test_a_passage_is_read_by_the_id_that_search_gave(world: TenantWorld) -> None:
    (found,) = answered(world, "red", "search", query=QUESTION)["results"]
    structured = call(world, "red", "searchKnowledge", query=QUESTION).structured_content
    assert structured is not None
    (passage,) = structured["results"]
    for id in (found["id"], found["id"].replace(":", "%3A")):
        lines = resource(world, "red", f"ragbase://passages/{id}").splitlines()
        theirs = "\n".join(line.removeprefix("> ") for line in lines if line.startswith("> "))
        assert theirs == passage["content"].rstrip("\n")
    assert "There is no document" in refused(world, "blue", f"ragbase://passages/{found['id']}")


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("5-5", "A passage has 1 to 100,000 characters. Give an id that search gave."),
        ("0-100001", "A passage has 1 to 100,000 characters. Give an id that search gave."),
        ("90000-90001", '"red/boiler.md" has no text at character 90000: it has changed. Search again.'),
    ],
)
def test_a_passage_that_cannot_be_is_refused(world: TenantWorld, place: str, said: str) -> None:
    assert refused(world, "red", f"ragbase://passages/{world.id('red/boiler.md')}:{place}") == said


def test_the_resources_come_in_pages_and_completions_stop_at_a_hundred(world: TenantWorld) -> None:
    for number in range(MAX_PAGE_SIZE + 1):
        world.upload(world.key("red"), DOCUMENT.format(number=number).encode(), path=f"pump{number:03}.md")
    world.upload(world.key("red"), b"{", path="bad.json")
    world.work()

    async def use(client: Client) -> tuple[list[str], list[str], list[str], int | None, bool | None, str]:
        first = await client.list_resources()
        second = await client.list_resources(cursor=first.next_cursor)
        assert second.next_cursor is None
        with pytest.raises(MCPError) as wrong:
            await client.list_resources(cursor="x")
        template = ResourceTemplateReference(uri="ragbase://names/{+name}")
        completion = (await client.complete(template, {"name": "name", "value": "pump"})).completion
        names, others = ([one.name for one in page.resources] for page in (first, second))
        return names, others, completion.values, completion.total, completion.has_more, wrong.value.message

    first, second, values, total, has_more, wrong = asked(world, "red", use)
    names = [f"red/pump{number:03}.md" for number in range(MAX_PAGE_SIZE + 1)]
    assert len(first) == MAX_PAGE_SIZE and sorted(first + second) == ["red/boiler.md", *names]
    assert (values, total, has_more) == (names[:100], len(names), True)
    assert wrong.startswith("The cursor is not one")


def test_a_completion_of_what_there_is_not_says_what_there_is(world: TenantWorld) -> None:
    async def use(client: Client) -> str:
        with pytest.raises(MCPError) as refused:
            await client.complete(ResourceTemplateReference(uri="file:///{path}"), {"name": "path", "value": ""})
        return refused.value.message

    assert asked(world, "red", use).startswith(
        'There is no resource template "file:///{path}". The resource templates are'
    )


def completed(world: TenantWorld, key: Token, written: str) -> list[str]:
    """The names that POST /mcp offers."""
    params = {
        "ref": {"type": "ref/resource", "uri": "ragbase://names/{+name}"},
        "argument": {"name": "name", "value": written},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "completion/complete", "params": params}
    answer: Any = world.client.post("/mcp", headers={**bearer(key), **ACCEPT}, json=message).json
    values: list[str] = answer["result"]["completion"]["values"]
    return values


def test_a_word_that_is_typed_reads_the_documents_once(world: TenantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    page = SqliteDocumentStore.page

    def counted(self: SqliteDocumentStore, **asked: Any) -> Sequence[Document]:
        read.append(asked["tenant"])
        return page(self, **asked)

    monkeypatch.setattr(SqliteDocumentStore, "page", counted)
    red, blue = world.key("red"), world.key("blue")
    for written in ("b", "bo", "boi", "boil"):
        assert completed(world, red, written) == ["red/boiler.md"]
        assert completed(world, blue, written) == ["blue/boiler.md"]
    assert read == ["red", "blue"]


def test_a_completion_never_offers_what_only_another_key_may_see(world: TenantWorld) -> None:
    world.upload(world.key("red"), DOCUMENT.format(number=1).encode(), path="pumps/care.md")
    world.work()
    keys = {
        world.key(None): ["blue/boiler.md", "red/boiler.md", "red/pumps/care.md"],
        world.key("red"): ["red/boiler.md", "red/pumps/care.md"],
        world.key_of_folders("pumps/", tenant="red"): ["red/pumps/care.md"],
        world.key("blue"): ["blue/boiler.md"],
        world.key("green"): [],
    }
    for key, names in [*keys.items(), *reversed(keys.items())]:
        assert completed(world, key, "") == names


def test_a_deleted_document_is_offered_for_some_seconds_at_most(world: TenantWorld) -> None:
    seconds = 0.0
    newest, knowledge = NewestDocuments(now=lambda: seconds), ProfileKnowledge(world.profile, "red")

    def names() -> list[str]:
        return [one.name for one in newest.of(knowledge).documents]

    assert names() == ["red/boiler.md"]
    world.ask(world.key("red"), "DELETE", f"/api/documents/{world.id('red/boiler.md')}")
    world.upload(world.key("red"), DOCUMENT.format(number=1).encode(), path="pump.md")
    world.work()
    seconds += KNOWN_FOR
    assert names() == ["red/boiler.md"]
    seconds += 0.1
    assert names() == ["red/pump.md"]


def test_a_completion_says_when_it_has_not_looked_at_all_documents(
    world: TenantWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest_documents, "MOST", 1)
    template = ResourceTemplateReference(uri="ragbase://names/{+name}")

    async def use(client: Client) -> tuple[int | None, bool | None]:
        completion = (await client.complete(template, {"name": "name", "value": "none"})).completion
        return completion.total, completion.has_more

    assert asked(world, "red", use) == (0, False)
    assert asked(world, None, use) == (None, True)
