"""Parts that are built at their first use, so that a starting function builds only what it needs."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    once = cached_property
else:

    class once(cached_property):  # noqa: N801 - used as a decorator, as cached_property is
        """A cached property that is built once, even if several threads use it first at the same time."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            if instance is None:
                return self
            with instance.building:
                return super().__get__(instance, owner)
