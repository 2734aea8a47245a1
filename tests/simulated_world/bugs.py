"""The bugs that can be planted in the real code. The simulation must find each of them."""

from __future__ import annotations

from tests.simulated_world import (
    bugs_in_clocks,
    bugs_in_embedding,
    bugs_in_given_texts,
    bugs_in_instances,
    bugs_in_parts,
    bugs_in_records,
    bugs_in_repair,
    bugs_in_work,
)
from tests.simulated_world.planted_bug import Bug

_MODULES = (
    bugs_in_clocks,
    bugs_in_records,
    bugs_in_work,
    bugs_in_embedding,
    bugs_in_repair,
    bugs_in_instances,
    bugs_in_given_texts,
    bugs_in_parts,
)

BUGS = {one.name: one for module in _MODULES for one in vars(module).values() if isinstance(one, Bug)}
"""By name."""
