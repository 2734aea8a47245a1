"""How many seeds the tests of the simulation try, and where those begin that nobody has seen."""

from __future__ import annotations

import os

SEEDS = int(os.environ.get("SIMULATION_SEEDS") or (10_000 if os.environ.get("PROVE") == "all" else 2_000))
"""Of the longest test; others take a part of it. `./scripts/prove all` tries more."""
FIRST = int(os.environ["SIMULATION_FIRST_SEED"])
"""tests/conftest.py draws it, unless it is set."""
