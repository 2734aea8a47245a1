"""What /api/keys answers. `ragbase keys list --json` prints the same."""

from __future__ import annotations

from datetime import datetime

from ragbase.messages.json_model import JsonModel


class UsedLimit(JsonModel):
    """What may be used in a day (UTC), and what was used today. `used` may be ahead: processes take some in advance."""

    limit: int
    used: int


class KeySummary(JsonModel):
    """An API key, without its secret. A key without `tenant` reaches all tenants, one without `prefixes` all folders.
    One with `origins` counts on pages of these alone.
    One without `expiresAt` lasts until it is revoked. `usedAt` may be ten minutes behind. `limits` are left out without
    any."""

    id: str
    name: str
    scopes: tuple[str, ...]
    tenant: str | None = None
    prefixes: tuple[str, ...] | None = None
    origins: tuple[str, ...] | None = None
    created_at: datetime
    expires_at: datetime | None = None
    used_at: datetime | None = None
    limits: dict[str, UsedLimit] | None = None


class CreatedKey(KeySummary):
    """`key` is what a program sends. It is shown only here."""

    key: str

    def __repr__(self) -> str:
        """Without the key."""
        return f"CreatedKey(id={self.id!r})"


class KeysResponse(JsonModel):
    """The oldest come first. `nextCursor` is there if there are more after this page."""

    keys: tuple[KeySummary, ...]
    next_cursor: str | None = None
