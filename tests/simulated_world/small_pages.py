"""Small pages: a small world has several of them, too."""

from __future__ import annotations

from ragbase.domain import page_range
from ragbase.upkeep import backfill
from ragbase.upkeep.dead_letters import find
from ragbase.upkeep.reconcile import chunks, documents, texts
from ragbase.upkeep.reindex import plan
from tests.simulated_world.planted_bug import Bug

_PAGES = [
    (documents, "PAGE"),
    (documents, "STEP_CHUNKS"),
    (chunks, "CHUNKS"),
    (texts, "TEXTS"),
    (backfill, "PAGE"),
    (find, "_PAGE"),
    (plan, "PAGE"),
    (page_range, "PART_PAGES"),
]
_SMALL = 2

SMALL_PAGES = Bug(
    "small-pages",
    f"no bug: a page has only {_SMALL} entries",
    lambda: [(module, name, _SMALL) for module, name in _PAGES],
)
