"""A filter shows the same documents wherever it is given: HTTP, Client, engine and command line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import pytest
from click.testing import CliRunner

from ragbase import Client, RAGEngine
from ragbase.client.filter import Filter
from ragbase.domain.condition import Condition
from ragbase.domain.document import Status
from ragbase.domain.search_filter import SearchFilter
from ragbase.interfaces.cli.application import application
from tests.unit.client.served import Served, served

pytestmark = pytest.mark.slow

QUESTION = "nightly backup"
BACKUP = "The nightly backup is kept for ninety days. It is"
DOCUMENTS = {
    "guides/old.md": "---\ntitle: Old\ndate: 2023-05-01\ntags: [ops]\n"
    f"author: Ann\nweight: 7\nrelease: {{day: 2023-06-01}}\n---\n{BACKUP} old.",
    "guides/new.md": "---\ntitle: New\ndate: 2024-02-29\ntags: [ops, news]\n"
    f"author: [Bob, ann]\nweight: 7.5\n---\n{BACKUP} new.",
    "notes/later.md": f"---\ntitle: Later\ndate: 2025-01-01\nauthor: Bob\nweight: '-3'\n---\n{BACKUP} described later.",
    "notes/plain.txt": f"{BACKUP} plain.",
}
CASES: Mapping[str, tuple[dict[str, Any], list[str], set[str]]] = {
    "path": ({"path_prefix": "guides"}, ["--path", "guides"], {"guides/old.md", "guides/new.md"}),
    "format": ({"formats": ["txt"]}, ["--format", "txt"], {"notes/plain.txt"}),
    "tags": ({"tags": ["OPS", "news"]}, ["--tag", "OPS", "--tag", "news"], {"guides/new.md"}),
    "title": ({"title": "later"}, ["--title", "later"], {"notes/later.md"}),
    "days": (
        {"date_from": "2023-05-01", "date_to": "2024-02-29"},
        ["--from", "2023-05-01", "--to", "2024-02-29"],
        {"guides/old.md", "guides/new.md"},
    ),
    "from a day": ({"date_from": "2024-03-01"}, ["--from", "2024-03-01"], {"notes/later.md"}),
    "all together": (
        {"path_prefix": "guides", "formats": ["md"], "date_to": "2023-12-31"},
        ["--path", "guides", "--format", "md", "--to", "2023-12-31"],
        {"guides/old.md"},
    ),
    "a text of the front matter": (
        {"where": [{"key": "author", "equals": "ann"}]},
        ["--where", "author=ann"],
        {"guides/old.md", "guides/new.md"},
    ),
    "numbers of the front matter": (
        {"where": [{"key": "weight", "at_least": 7, "at_most": 7.4}]},
        ["--where", "weight=7..7.4"],
        {"guides/old.md"},
    ),
    "days of the front matter": (
        {"where": [{"key": "release.day", "at_least": "2023-06-01"}]},
        ["--where", "release.day=2023-06-01.."],
        {"guides/old.md"},
    ),
    "conditions together": (
        {"where": [{"key": "author", "equals": "bob"}, {"key": "weight", "at_most": 0}]},
        ["--where", "author=bob", "--where", "weight=..0"],
        {"notes/later.md"},
    ),
    "a range that ends before it begins": (
        {"where": [{"key": "weight", "at_least": 9, "at_most": 1}]},
        ["--where", "weight=9..1"],
        set(),
    ),
    "an unknown key": ({"where": [{"key": "colour", "equals": "red"}]}, ["--where", "colour=red"], set()),
    "nothing": ({"path_prefix": "elsewhere"}, ["--path", "elsewhere"], set()),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with (
        served(tmp_path_factory.mktemp("home"), similarity_threshold=0.0, top_k=10) as server,
        Client(server.url) as client,
    ):
        for name, text in DOCUMENTS.items():
            assert client.wait(client.upload(text.encode(), path=name).id).status == Status.COMPLETED
        yield server


@pytest.mark.parametrize("case", CASES)
def test_every_way_to_ask_shows_the_documents_that_match(server: Served, case: str) -> None:
    fields, options, expected = CASES[case]
    assert everywhere(server, fields, options) == dict.fromkeys(WAYS, expected)


def test_documents_are_named_by_their_ids(server: Served) -> None:
    with Client(server.url) as client:
        ids = {one.filename: one.id for one in client.list()}
    fields, options = {"document_ids": [ids["notes/later.md"]]}, ["--document", ids["notes/later.md"]]
    assert everywhere(server, fields, options) == {way: {"notes/later.md"} for way in WAYS}


WAYS = ("client", "answer", "engine", "generate", "command", "ask")


def everywhere(server: Served, fields: Mapping[str, Any], options: list[str]) -> dict[str, set[str]]:
    """The names of the documents that each way shows. The client sends what HTTP takes."""
    wanted = Filter.model_validate_json(json.dumps(fields))
    within = _within(fields)
    found: dict[str, set[str]] = {}
    with Client(server.url) as client:
        found["client"] = {one.filename for one in client.query(QUESTION, top_k=10, filter=wanted)}
        found["answer"] = {one.filename for one in client.answer(QUESTION, top_k=10, filter=wanted).evidence}
    engine = RAGEngine(server.profile.config)
    try:
        found["engine"] = {str(one.chunk.metadata["source_file"]) for one in engine.query(QUESTION, within)}
        found["generate"] = {one.document.source for one in engine.generate(QUESTION, within).evidence}
    finally:
        engine.close()
    found["command"] = {one["filename"] for one in _command(server, "query", options)["results"]}
    found["ask"] = {one["filename"] for one in _command(server, "ask", options)["evidence"]}
    return found


def _within(fields: Mapping[str, Any]) -> SearchFilter:
    return SearchFilter(
        document_ids=frozenset(fields.get("document_ids", ())),
        path_prefixes=frozenset({fields["path_prefix"]} if "path_prefix" in fields else ()),
        formats=frozenset(fields.get("formats", ())),
        tags=frozenset(fields.get("tags", ())),
        title=fields.get("title", ""),
        date_from=date.fromisoformat(fields["date_from"]) if "date_from" in fields else None,
        date_to=date.fromisoformat(fields["date_to"]) if "date_to" in fields else None,
        where=tuple(_condition(**one) for one in fields.get("where", ())),
    )


def _condition(*, key: str, **said: Any) -> Condition:
    typed = {
        name: date.fromisoformat(value) if name.startswith("at_") and isinstance(value, str) else value
        for name, value in said.items()
    }
    return Condition(key=key, **typed)


def _command(server: Served, name: str, options: list[str]) -> Any:
    settings = {"RAGBASE_EMBEDDER": "hashing", "RAGBASE_HOME": str(server.profile.config.home)}
    arguments = [name, QUESTION, "--top-k", "10", "--threshold", "0", "--json", *options]
    ended = CliRunner().invoke(application, arguments, prog_name="ragbase", env=settings)
    assert ended.exit_code == 0, ended.output
    return json.loads(ended.stdout)
