"""How many seeds the tests of the simulation try, and where those begin that nobody has seen."""

from __future__ import annotations

import os

SEEDS = int(os.environ.get("SIMULATION_SEEDS", "2000"))
"""Of the longest test; others take a part of it."""
FIRST = int(os.environ["SIMULATION_FIRST_SEED"])
"""tests/conftest.py draws it, unless it is set."""
