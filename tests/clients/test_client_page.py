"""The examples of docs/client.md run as they stand there, one after the other."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.local_cloud.pdf import pdf
from tests.clients.asked_server import ROOT, AskedServer, with_clients
from tests.page_blocks import blocks_of

pytestmark = pytest.mark.slow

BLOCKS = [block.text for block in blocks_of("docs/client.md")]
EXAMPLES = [block for block in BLOCKS if "import" in block]
LEAVE = "Request leave two weeks before you go, with the form of your office."


@pytest.mark.prove
def test_the_examples_find_the_answer(own_server: AskedServer, tmp_path: Path) -> None:
    (tmp_path / "handbook.pdf").write_bytes(pdf(LEAVE))
    assert len(EXAMPLES) == 3
    for example in EXAMPLES:
        program = example.replace("https://rag.example.com", own_server.endpoint).replace(
            'key="…"', f'key="{own_server.key}"'
        )
        assert program.count(own_server.endpoint) == program.count(own_server.key) == 1
        done = subprocess.run(
            [sys.executable, "-P", "-c", program],
            env={**os.environ, **with_clients()},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        (first, *_) = done.stdout.splitlines()
        assert "hr/handbook.pdf" in first and LEAVE in first, done.stdout


def test_the_other_blocks_install_extras_that_there_are() -> None:
    others = [block for block in BLOCKS if block not in EXAMPLES]
    assert all(block.startswith("pip install ") and block.count("\n") == 1 for block in others)
    named = re.findall(r"\[([\w-]+)\]", "".join(others))
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    assert named == ["client", "langchain", "llama-index"]
    assert all(f"\n{extra} = [" in project for extra in named)
