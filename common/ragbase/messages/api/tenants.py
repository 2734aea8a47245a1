"""What /api/tenants answers."""

from __future__ import annotations

from ragbase.messages.api.keys import UsedLimit
from ragbase.messages.json_model import JsonModel


class TenantCounts(JsonModel):
    """A tenant, named by its folder, and how many documents it has, of which some have failed. `limits` are those of
    the setting `tenant_limits`, for all its keys together."""

    tenant: str
    documents: int
    failed: int
    limits: dict[str, UsedLimit] | None = None


class TenantsResponse(JsonModel):
    """By name, those that have something to search. `nextCursor` is there if there are more after this page."""

    tenants: tuple[TenantCounts, ...]
    next_cursor: str | None = None
