"""The text around a passage, over HTTP, for an assistant and on the command line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from ragbase.access.token import Token
from ragbase.domain.limits import MAX_EXPAND_TOKENS
from ragbase.interfaces.cli.application import application
from ragbase.interfaces.cli.session import Session
from ragbase.interfaces.knowledge.profile_knowledge import ProfileKnowledge
from ragbase.interfaces.mcp.arguments import SearchArguments
from ragbase.interfaces.mcp.tool import Documents
from ragbase.interfaces.mcp.tools import TOOLS
from ragbase.testing.checkpoints import MemoryCheckpoints
from ragbase.testing.clock import VirtualClock
from tests.functions.tenant_world import TenantWorld

RULES = "".join(
    f"Rule {number} of {{name}}: the boiler number {number} is inspected in May.\n\n" for number in range(60)
)
MANUAL = f"\n\n# Manual\n\n## Boilers\n\n{RULES}\n\n## Valves\n\nThe valves of {{name}} are cleaned in June.\n\n\n"
QUESTION = "When is the boiler number 20 inspected?"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TenantWorld]:
    home: Path = tmp_path_factory.mktemp("home")
    world = TenantWorld(home, MemoryCheckpoints(), VirtualClock())
    for name in ("red", "blue"):
        world.upload(world.key(name), MANUAL.format(name=name).encode(), path="manual.md")
    world.work()
    yield world
    world.close()


@pytest.fixture
def red(world: TenantWorld) -> Token:
    return world.key("red")


def asked(world: TenantWorld, key: Token, **fields: Any) -> list[dict[str, Any]]:
    results: list[dict[str, Any]] = world.query(key, QUESTION, **fields).json["results"]
    return results


@pytest.mark.parametrize("tokens", [1, 50, 700, MAX_EXPAND_TOKENS])
@pytest.mark.parametrize("expand", ["passage", "section", "page", "document"])
def test_a_context_is_the_text_that_the_api_gives(world: TenantWorld, red: Token, expand: str, tokens: int) -> None:
    plain = asked(world, red, topK=3)
    expanded = asked(world, red, topK=3, expand=expand, expandTokens=tokens)
    text = world.ask(red, "GET", f"/api/documents/{plain[0]['documentId']}/text").text
    for place, (before, result) in enumerate(zip(plain, expanded, strict=True), start=1):
        context, holder = result.pop("context", None), result.pop("contextOf", None)
        assert result == before
        assert (context is None) == (holder is not None)
        if context is not None:
            assert context["text"] == text[context["charStart"] : context["charEnd"]]
            assert "of blue" not in context["text"]
        if holder is not None:
            assert holder < place


def test_a_whole_document_begins_and_ends_with_its_text(world: TenantWorld, red: Token) -> None:
    (result,) = asked(world, red, topK=1, expand="document", expandTokens=MAX_EXPAND_TOKENS)
    text = world.ask(red, "GET", f"/api/documents/{result['documentId']}/text").text
    assert result["context"] == {"text": text, "charStart": 0, "charEnd": len(text)}
    (cut,) = asked(world, red, topK=1, expand="document", expandTokens=500)
    assert cut["context"]["truncated"] is True


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"expand": "chapter"}, "expand"),
        ({"expandTokens": 100}, "expandTokens needs expand"),
        ({"expand": "page", "expandTokens": 0}, "expandTokens"),
        ({"expand": "page", "expandTokens": MAX_EXPAND_TOKENS + 1}, "expandTokens"),
        ({"expand": "page", "expandTokens": True}, "expandTokens"),
    ],
)
def test_what_cannot_be_expanded_is_refused(world: TenantWorld, red: Token, fields: dict[str, Any], said: str) -> None:
    refused = world.query(red, QUESTION, **fields)
    assert (refused.status_code, refused.json["error"]) == (400, "INVALID_REQUEST")
    assert said in refused.json["message"]


def test_an_answer_takes_no_expand(world: TenantWorld, red: Token) -> None:
    refused = world.ask(red, "POST", "/api/answer", json={"query": QUESTION, "expand": "page"})
    assert refused.status_code == 400


def test_an_assistant_reads_the_context_in_place_of_the_passage(world: TenantWorld) -> None:
    arguments = {"query": QUESTION, "expand": "document", "expand_tokens": MAX_EXPAND_TOKENS}
    assert SearchArguments.model_validate(arguments)
    called = TOOLS["searchKnowledge"].call(Documents(ProfileKnowledge(world.profile, "red")), arguments)
    (said,) = (one.model_dump()["text"] for one in called.content)
    assert "The valves of red are cleaned in June." in said
    assert "[With its context, characters 0 to " in said
    assert ", in the context of 1]" in said


class _OfRed(Session):
    """The documents of a world, in place of a data folder's."""

    world: TenantWorld

    @contextmanager
    def knowledge(self, **_: Any) -> Iterator[Any]:
        yield ProfileKnowledge(self.world.profile, "red")


def test_the_command_line_shows_the_context(world: TenantWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_OfRed, "world", world, raising=False)
    monkeypatch.setattr(Session, "knowledge", _OfRed.knowledge)
    monkeypatch.setattr(Session, "world", world, raising=False)
    shown = CliRunner().invoke(
        application, ["query", QUESTION, "--top-k", "1", "--expand", "document", "--expand-tokens", "300"]
    )
    assert shown.exit_code == 0, shown.output
    assert "   context, characters " in shown.output
    assert ", cut\n" in shown.output
    wrong = CliRunner().invoke(application, ["query", QUESTION, "--expand-tokens", "5"])
    assert wrong.exit_code == 2
    assert "--expand-tokens needs --expand" in wrong.output
