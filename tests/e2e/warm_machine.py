"""A user's machine whose `ragbase` starts at once."""

from __future__ import annotations

from pathlib import Path

from tests.examples.machine import Machine
from tests.warm import program, warm


def warm_machine(home: Path) -> Machine:
    machine = Machine(home)
    program(home / "bin" / "ragbase", warm())
    return machine
