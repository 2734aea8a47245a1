"""The examples of docs/csv.md work as they stand there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.page_blocks import blocks_of

ROOT = Path(__file__).resolve().parents[2]


def run(program: str, folder: Path) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "common"),
        "RAGBASE_HOME": str(folder / "home"),
        "RAGBASE_EMBEDDER": "hashing",
    }
    process = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert process.returncode == 0, process.stderr
    return process.stdout


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path) -> None:
    first, second = (block.text for block in blocks_of("docs/csv.md"))
    lines = run(first, tmp_path).splitlines()
    assert lines[0].endswith(" 2 question: Where is the printer?")
    assert lines[-1] == "No relevant information found."

    (tmp_path / "data/knowledge.csv").write_text(
        "question,answer,topic,public\nIs there a secret?,Yes,spies,no\nIs there a lift?,By the door,house,yes\n",
        encoding="utf-8",
    )
    program = f"from ragbase.csv_service import *\n{second}".replace(
        "CsvKnowledgeBase(", "knowledge = CsvKnowledgeBase("
    )
    shown = "print([(one.content, one.metadata['topic']) for one in knowledge.loader.load_documents()])"
    assert run(f"{program}\n{shown}", tmp_path) == "[('Is there a lift?\\nBy the door', 'house')]\n"
