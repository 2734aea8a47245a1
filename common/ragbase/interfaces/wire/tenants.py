"""The tenants as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from ragbase.domain.document import Status
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_PATH
from ragbase.interfaces.wire.keys import used_limits
from ragbase.messages.api.tenants import TenantCounts, TenantsResponse
from ragbase.messages.json_model import RequestModel

if TYPE_CHECKING:
    from ragbase.access.daily_limits import Limits
    from ragbase.bootstrap.profile import Profile


class TenantsRequest(RequestModel):
    """The query parameters of the list, as text."""

    limit: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = Field(
        DEFAULT_PAGE_SIZE, description=f"a whole number from 1 to {MAX_PAGE_SIZE}"
    )
    cursor: str | None = Field(
        None, max_length=MAX_PATH, description="the `nextCursor` of the page before, or leave it out"
    )


def tenants_response(names: Sequence[str], wanted: TenantsRequest, profile: Profile) -> TenantsResponse:
    """`names` are in their order."""
    from ragbase.access.settings import tenant_limits

    shared = tenant_limits(profile.config)
    rest = [name for name in names if wanted.cursor is None or name > wanted.cursor]
    page = rest[: wanted.limit]
    return TenantsResponse(
        tenants=tuple(_body(name, shared, profile) for name in page),
        next_cursor=page[-1] if len(rest) > len(page) else None,
    )


def _body(name: str, shared: Limits, profile: Profile) -> TenantCounts:
    return TenantCounts(
        tenant=name,
        documents=profile.documents.count(tenant=name),
        failed=profile.documents.count(tenant=name, status=Status.FAILED),
        limits=used_limits(shared, profile.access.keys.used_of_tenant(name, shared)) or None,
    )
