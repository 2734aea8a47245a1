"""What the docs promise, and name a test of, has one in ./scripts/test. The rest is left to ./scripts/prove."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.compile(r"\n(?=\|)|\n\n")
"""What parts the promises of a page: the rows of its tables, and its paragraphs."""
NAMED = re.compile(r"tests/[\w/]*test_\w+\.py")


@pytest.mark.prove
def test_each_promise_of_the_docs_has_a_test_that_runs_at_each_change() -> None:
    """At the least, the files that it names have one."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "--quiet", "-m", "not prove"]
    collected = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    files = {line.partition("::")[0] for line in collected.splitlines() if "::" in line}
    pages = [ROOT / "README.md", ROOT / "SECURITY.md", *(ROOT / "docs").rglob("*.md")]
    promises = [
        (page.relative_to(ROOT).as_posix(), named)
        for page in pages
        for row in ROWS.split(page.read_text(encoding="utf-8"))
        if (named := set(NAMED.findall(row)))
    ]
    assert promises
    assert [promise for promise in promises if not promise[1] & files] == []
