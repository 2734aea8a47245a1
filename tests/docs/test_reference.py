"""The pages that are generated from the code have all of it, and links work in the repository and on the site."""

from __future__ import annotations

from pathlib import Path

import pytest

import ragbase
from ragbase.interfaces.api.operations import OPERATIONS
from ragbase.interfaces.cli.command_table import COMMANDS
from ragbase.settings import Config
from scripts.site.anchors import anchor
from scripts.site.hooks import links_of
from scripts.site.pages import commands_page, http_page, python_page, settings_page

ROOT = Path(__file__).resolve().parents[2]


def test_every_setting_command_route_and_public_name_has_its_place() -> None:
    settings, commands, routes, names = settings_page(), commands_page(), http_page(), python_page()
    assert [name for name in Config.model_fields if f"\n| `{name}` |" not in settings] == []
    assert [name for name in COMMANDS if f"## ragbase {name}\n" not in commands] == []
    assert [one.path for one in OPERATIONS if one.is_described and f"## {one.method} {one.path}\n" not in routes] == []
    assert [name for name in ragbase.__all__ if name[0] != "_" and f".{name}\n" not in names] == []


@pytest.mark.parametrize(
    ("page", "line", "shown"),
    [
        ("index.md", "[a](docs/limits.md#http-and-mcp)", "[a](limits.md#http-and-mcp)"),
        ("index.md", "![a](docs/pipeline.svg)", "![a](pipeline.svg)"),
        ("limits.md", "[a](../CONTRIBUTING.md)", "[a](contributing.md)"),
        ("contracts/engine.md", "[a](../../README.md) and [b](../limits.md)", "[a](../index.md) and [b](../limits.md)"),
        ("limits.md", "[the code](../common/ragbase/config.py)", "the code"),
        ("limits.md", "[gone](../common/ragbase/gone.py)", "[gone](../common/ragbase/gone.py)"),
        ("limits.md", "[a](https://example.com) [b](#here)", "[a](https://example.com) [b](#here)"),
        ("limits.md", "    [a](../CONTRIBUTING.md)", "    [a](../CONTRIBUTING.md)"),
        ("cli.md", "### list [--limit N] [--offset N]", "### list \\[--limit N] \\[--offset N]"),
    ],
)
def test_a_link_of_the_repository_is_one_of_the_site(page: str, line: str, shown: str) -> None:
    assert links_of(line, page) == shown


@pytest.mark.parametrize(
    ("heading", "name"), [("POST /api/query", "post-apiquery"), ("Many requests at once", "many-requests-at-once")]
)
def test_an_anchor_is_that_of_the_repository(heading: str, name: str) -> None:
    assert anchor(heading, "-") == name


def test_the_front_door_is_short() -> None:
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120
