"""The setting `tenancy` and `ragbase tenants`, as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragbase import RAGEngine, load_config
from tests.e2e.command_line import CommandLine

FILES = {
    "red/rules.md": "# Rules\n\nThe boiler of the red house is inspected once a year, in spring.",
    "red/deep/more.md": "# More\n\nParcels for the red house arrive at the back door in the morning.",
    "blue/rules.md": "# Rules\n\nThe boiler of the blue house is inspected every month, by a friend.",
    "top.md": "# Top\n\nThe boiler of nobody is inspected never, and everybody knows that.",
}
QUESTION = "When is the boiler inspected?"


@pytest.fixture
def ragbase(tmp_path: Path) -> CommandLine:
    """With the files in the bucket and in the index, and then the setting."""
    ragbase = CommandLine(tmp_path / "home")
    for name in FILES:
        put(ragbase, name)
    assert ragbase.call("backfill").code == 0
    (ragbase.home / "ragbase.toml").write_text('tenancy = "folder"\n')
    return ragbase


def put(ragbase: CommandLine, name: str) -> None:
    file = ragbase.home / "bucket" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(FILES[name], encoding="utf-8")


def found(ragbase: CommandLine, *options: str) -> set[str]:
    answer = ragbase.call("query", QUESTION, "--threshold", "0", "--json", *options)
    assert answer.code == 0, answer.err
    return {source["filename"] for result in answer.json["results"] for source in result["sources"]}


@pytest.mark.slow
def test_a_tenant_is_searched_after_a_reindex(ragbase: CommandLine) -> None:
    refused = ragbase.call("query", QUESTION, "--tenant", "red")
    assert refused.code == 1
    assert "ragbase reindex" in refused.err
    assert found(ragbase) == set(FILES)

    assert ragbase.call("reindex").code == 0
    assert found(ragbase, "--tenant", "red") == {"red/rules.md", "red/deep/more.md"}
    assert found(ragbase, "--tenant", "") == {"top.md"}
    for command in (("query", QUESTION), ("ask", QUESTION), ("list",)):
        unknown = ragbase.call(*command, "--tenant", "rde")
        known = "Those that have documents are 'red' and 2 others: `ragbase tenants list`."
        assert (unknown.code, unknown.err) == (1, f"Error: There is no tenant 'rde'. {known}\n")
    assert found(ragbase) == set(FILES)
    listed = ragbase.call("list", "--tenant", "red", "--json").json
    assert ({one["filename"] for one in listed["documents"]}, listed["total"]) == (
        {"red/rules.md", "red/deep/more.md"},
        2,
    )
    assert ragbase.call("reconcile").code == 0


@pytest.mark.slow
def test_tenants_are_listed_with_their_costs(ragbase: CommandLine) -> None:
    listed = ragbase.call("tenants", "list", "--json").json["tenants"]
    assert [(one["tenant"], one["documents"], one["chunks"]) for one in listed] == [
        ("", 1, 1),
        ("blue", 1, 1),
        ("red", 2, 2),
    ]
    assert [one["embeddedTexts"] for one in listed] == [1, 1, 2]
    table = ragbase.call("tenants", "list").out
    assert "(no folder)" in table
    assert "3 tenants" in table


@pytest.mark.slow
@pytest.mark.parametrize("is_split", [True, False])
def test_a_tenant_is_deleted_whole_and_alone(ragbase: CommandLine, is_split: bool) -> None:
    if is_split:
        assert ragbase.call("reindex").code == 0
    asked = ragbase.call("tenants", "delete", "red")
    assert (asked.code, "with 2 documents" in asked.err) == (1, True)
    assert found(ragbase) == set(FILES)

    (ragbase.home / "bucket" / "red" / "rules.md").unlink()  # nothing has seen this yet
    done = ragbase.call("tenants", "delete", "red", "--yes", "--json")
    assert (done.code, done.json["documents"]) == (0, 2)
    assert found(ragbase) == {"blue/rules.md", "top.md"}
    assert not (ragbase.home / "bucket" / "red" / "deep" / "more.md").exists()
    assert [one["tenant"] for one in ragbase.call("tenants", "list", "--json").json["tenants"]] == ["", "blue"]
    with RAGEngine(load_config(home=ragbase.home, environment={}, embedder="hashing")) as engine:
        index = engine.profile.open_index()
        assert list(index.tenants()) == (["", "blue"] if is_split else [""])
        assert sum(len(index.vectors(tenant).scan(limit=10)) for tenant in index.tenants()) == 2
    assert ragbase.call("reconcile").code == 0

    again = ragbase.call("tenants", "delete", "red", "--yes")
    assert (again.code, "0 documents" in again.out) == (0, True)
    put(ragbase, "red/rules.md")
    assert ragbase.call("backfill").code == 0
    assert "red/rules.md" in found(ragbase)


@pytest.mark.slow
def test_the_tenant_of_files_without_a_folder_is_deleted_alone(ragbase: CommandLine) -> None:
    assert ragbase.call("reindex").code == 0
    assert ragbase.call("tenants", "delete", "", "--yes").out.startswith("(no folder): 1 document")
    assert found(ragbase) == set(FILES) - {"top.md"}


def test_without_the_setting_there_are_no_tenants(ragbase: CommandLine) -> None:
    (ragbase.home / "ragbase.toml").unlink()
    for arguments in (("list",), ("delete", "red", "--yes")):
        refused = ragbase.call("tenants", *arguments)
        assert refused.code == 1
        assert "RAGBASE_TENANCY=folder" in refused.err
    assert found(ragbase) == set(FILES)
