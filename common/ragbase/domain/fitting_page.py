"""A page of those items of a long list that fit. It reads so many items at most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Place = TypeVar("Place")

READ_AT_ONCE = 100
"""Items of one read."""
LOOKED_AT = 2_000
"""Items that are read for one page."""


def fitting_page(
    read: Callable[[Place | None, int], Sequence[Item]],
    fits: Callable[[Item], bool],
    place_of: Callable[[Item], Place],
    *,
    after: Place | None,
    limit: int,
    is_past: Callable[[Item], bool] = lambda _: False,
) -> tuple[Sequence[Item], Place | None]:
    """At most `limit` items that fit after a place, in their order; and where the next page begins, None at the end.

    `read` gives at most so many items after a place, fewer only at the end of the list. With an item that `is_past`,
    the list ends. A page may have fewer items than `limit` before the end: LOOKED_AT are looked at.
    """
    found: list[Item] = []
    for _ in range(0, LOOKED_AT, READ_AT_ONCE):
        items = read(after, READ_AT_ONCE)
        for item in items:
            if is_past(item):
                return found, None
            if len(found) == limit:
                return found, after
            after = place_of(item)
            if fits(item):
                found.append(item)
        if len(items) < READ_AT_ONCE:
            return found, None
    return found, after
