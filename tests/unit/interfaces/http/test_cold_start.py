"""What a function sets before it loads anything else, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

DROPS = """
import gc
import ragbase.interfaces.http.cold_start

def count(phase, info):
    global runs
    runs += phase == "start"

class Circle:
    def __init__(self):
        self.itself = self

def drop(circles):
    for _ in range(circles):
        Circle()
    return runs

runs = 0
gc.callbacks.append(count)
print(drop(200_000), drop(150_000), drop(100_000))
"""
"""What it drops is freed by the collector only."""
MAKES_A_MODEL = """
import ragbase.interfaces.http.cold_start
from pydantic import BaseModel

class Model(BaseModel):
    number: int

print(Model(number=1))
"""
PLUGIN = """
print("loaded", end=" ")

class Plugin:
    def new_schema_validator(self, *arguments, **options):
        return None, None, None

plugin = Plugin()
"""


def run(program: str, **environment: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ | environment
    ).stdout


@pytest.mark.slow
def test_the_collector_runs_after_the_start_and_then_often() -> None:
    during_the_start, after_it, later = map(int, run(DROPS).split())
    assert during_the_start == 0
    assert after_it >= 1
    assert later - after_it >= 5


@pytest.fixture
def plugin_folder(tmp_path: Path) -> str:
    """A folder that, in the path of Python, has an installed plugin of pydantic."""
    (tmp_path / "a_plugin.py").write_text(PLUGIN, encoding="utf-8")
    about = tmp_path / "a_plugin-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: a-plugin\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text("[pydantic]\na_plugin = a_plugin:plugin\n", encoding="utf-8")
    return str(tmp_path)


@pytest.mark.slow
def test_plugins_of_pydantic_are_not_looked_for(plugin_folder: str) -> None:
    assert run(MAKES_A_MODEL, PYTHONPATH=plugin_folder) == "number=1\n"


@pytest.mark.slow
def test_whoever_wants_plugins_gets_them(plugin_folder: str) -> None:
    wanted = run(MAKES_A_MODEL, PYTHONPATH=plugin_folder, PYDANTIC_DISABLE_PLUGINS="another")
    assert wanted == "loaded number=1\n"
