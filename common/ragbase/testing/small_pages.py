"""Walks take several pages in a small world, too."""

from __future__ import annotations

from ragbase.pipeline import backfill, find_letters, reconcile, reindexing
from ragbase.testing.planting import Bug

_PAGES = [(reconcile, "PAGE"), (reconcile, "CHUNKS"), (backfill, "PAGE"), (find_letters, "_PAGE"), (reindexing, "PAGE")]
_SMALL = 2

SMALL_PAGES = Bug(
    "small-pages",
    f"no bug: whatever is read in pages is read {_SMALL} at a time",
    lambda: [(module, name, _SMALL) for module, name in _PAGES],
)
