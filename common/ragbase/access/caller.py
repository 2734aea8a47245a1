"""Who sends a request, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Scope(StrEnum):
    """What a caller may do: READ asks and looks, WRITE changes documents."""

    READ = "read"
    WRITE = "write"


EVERYTHING = frozenset(Scope)


@dataclass(frozen=True, slots=True)
class Caller:
    """`name` is for people: the name of an API key, or how else the caller came in. `tenant` None means all tenants."""

    name: str
    scopes: frozenset[Scope] = EVERYTHING
    tenant: str | None = None
    key_id: str | None = None

    @property
    def id(self) -> str:
        """For records: two keys may have one name."""
        return self.name if self.key_id is None else f"key:{self.key_id}"


PUBLIC = Caller("public", frozenset({Scope.READ}))
"""Anybody, where the setting public_query lets everybody ask."""
