"""Parts that are built when they are first used, so that a cold start pays for no other."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    once = cached_property
else:

    class once(cached_property):  # noqa: N801 - used as a decorator, as cached_property is
        """A cached property that is built once even when threads meet at its first use."""

        def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
            if instance is None:
                return self
            with instance.building:
                return super().__get__(instance, owner)
