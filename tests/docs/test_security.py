"""Each promise of docs/security.md names a test, and the test is there."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
PROMISED = PAGE[PAGE.index("## What holds") : PAGE.index("## What does not hold")]
ROWS = [line.strip("| ").split(" | ") for line in PROMISED.splitlines() if line.startswith("| ")]
PROMISES = [(row[0], row[-1]) for row in ROWS if row[0] != "promise"]


@pytest.mark.parametrize(("promise", "cited"), PROMISES)
def test_a_promise_names_a_test(promise: str, cited: str) -> None:
    found = re.fullmatch(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", cited)
    assert found is not None, promise
    file = ast.parse((ROOT / found[1]).read_text(encoding="utf-8"))
    names = {node.name for node in ast.walk(file) if isinstance(node, ast.FunctionDef)}
    assert any(name.startswith("test_") for name in names) if found[2] is None else found[2] in names


def test_there_are_promises() -> None:
    assert len(PROMISES) > 20
