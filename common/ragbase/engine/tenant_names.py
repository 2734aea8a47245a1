"""The tenants that have something to search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragbase.ports import OpenIndex


def tenant_names(index: OpenIndex | None) -> Sequence[str]:
    """By name. Empty if the index is not split by tenant, or if there is none yet."""
    return index.tenants() if index is not None and index.index.is_split else ()
