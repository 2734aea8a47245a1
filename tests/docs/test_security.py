"""Each promise of docs/security.md and docs/console.md names a test, and the test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def promises(page: str, first: str, last: str) -> list[tuple[str, str]]:
    """The first and the last column of the tables between two headings."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    promised = text[text.index(first) : text.index(last)]
    rows = [line.strip("| ").split(" | ") for line in promised.splitlines() if line.startswith("| ")]
    return [(row[0], row[-1]) for row in rows if row[-1] != "test"]


PROMISES = [
    *promises("security.md", "## What holds", "## What does not hold"),
    *promises("console.md", "## What each view does", "## What it does not do"),
]


@pytest.mark.parametrize(("promise", "cited"), PROMISES)
def test_a_promise_names_a_test(promise: str, cited: str) -> None:
    found = re.fullmatch(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", cited)
    assert found is not None, promise
    file = ast.parse((ROOT / found[1]).read_text(encoding="utf-8"))
    names = {node.name for node in ast.walk(file) if isinstance(node, ast.FunctionDef)}
    assert any(name.startswith("test_") for name in names) if found[2] is None else found[2] in names


def test_there_are_promises() -> None:
    assert len(PROMISES) > 20
