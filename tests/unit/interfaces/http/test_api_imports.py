"""What the api function loads before its first request."""

from __future__ import annotations

import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def loaded() -> list[str]:
    program = "import sys, ragbase.interfaces.api.app, ragbase.interfaces.http.start; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ran.stdout.split()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "ragbase.formats.table",
        "ragbase.engine.changed_documents",
        "ragbase.interfaces.api.change_events",
        "ragbase.interfaces.api.description",
        "ragbase.interfaces.wire.answer",
        "ragbase.interfaces.wire.documents",
        "ragbase.pipeline",
        "ragbase.retrieval",
        "ragbase.upkeep",
    ],
)
def test_what_a_query_does_not_need_waits_for_its_first_use(name: str, loaded: list[str]) -> None:
    assert name not in loaded
