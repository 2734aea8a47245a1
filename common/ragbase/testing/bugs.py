"""The bugs that can be planted in the real code, so that the simulation can show that it would find them."""

from __future__ import annotations

from ragbase.testing import bugs_in_records, bugs_in_repair, bugs_in_work
from ragbase.testing.planting import Bug

_MODULES = (bugs_in_records, bugs_in_work, bugs_in_repair)

BUGS = {one.name: one for module in _MODULES for one in vars(module).values() if isinstance(one, Bug)}
"""By name."""
