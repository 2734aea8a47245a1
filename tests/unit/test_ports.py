"""The package ragbase.ports: each name comes from its own module, which is loaded when the name is first needed."""

from __future__ import annotations

import subprocess
import sys

import pytest

from ragbase import ports


def loaded_by(statement: str) -> list[str]:
    program = f"import sys; {statement}; print(*sys.modules)"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return ran.stdout.split()


@pytest.mark.parametrize("name", ports.__all__)
def test_every_name_can_be_imported(name: str) -> None:
    assert getattr(ports, name).__module__.startswith("ragbase.ports.")


def test_no_other_name_can_be_imported() -> None:
    with pytest.raises(AttributeError, match="Bukket"):
        getattr(ports, "Bukket")  # noqa: B009 - a type checker refuses ports.Bukket
    with pytest.raises(ImportError):
        exec("from ragbase.ports import Bukket")


def test_a_name_loads_no_other_port() -> None:
    loaded = loaded_by("from ragbase.ports import Topic")
    assert "ragbase.ports.publisher" in loaded
    assert "ragbase.ports.bucket" not in loaded


def test_routing_loads_no_port_of_search_and_no_guess_of_encodings() -> None:
    loaded = loaded_by("import ragbase.pipeline.route")
    assert "ragbase.ports.vector_store" not in loaded
    assert "ragbase.formats.guess_encoding" not in loaded
