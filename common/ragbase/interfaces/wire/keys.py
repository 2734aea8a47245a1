"""API keys as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from ragbase.access.api_keys import MOST_PREFIXES
from ragbase.access.caller import Scope
from ragbase.access.daily_limits import MOST, Limited
from ragbase.access.page_origins import MOST as MOST_ORIGINS
from ragbase.domain.limits import DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, MAX_PATH
from ragbase.messages.api.keys import CreatedKey, KeysResponse, KeySummary, UsedLimit
from ragbase.messages.json_model import RequestModel, Whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragbase.access.api_keys import ApiKey
    from ragbase.access.daily_limits import Limits
    from ragbase.access.token import Token

KEY_ID = "^[0-9a-f]{16}$"
LONGEST_NAME = 100
MAX_DAYS = 3_650

_Days = Annotated[int, Field(strict=True, ge=1, le=MAX_DAYS), Whole]
_Limit = Annotated[int, Field(strict=True, ge=1, le=MOST), Whole]
_LIMIT = f"a whole number from 1 to {MOST}, or leave it out"


class KeysRequest(RequestModel):
    """The query parameters of the list, as text."""

    limit: Annotated[int, Field(ge=1, le=MAX_PAGE_SIZE)] = Field(
        DEFAULT_PAGE_SIZE, description=f"a whole number from 1 to {MAX_PAGE_SIZE}"
    )
    cursor: str | None = Field(None, pattern=KEY_ID, description="the `nextCursor` of the page before, or leave it out")


class KeyLimits(RequestModel):
    """What a key may use in a day (UTC). What is left out has no limit."""

    requests: _Limit | None = Field(None, description=_LIMIT)
    uploads: _Limit | None = Field(None, description=_LIMIT)
    bytes: _Limit | None = Field(None, description=_LIMIT)
    tokens: _Limit | None = Field(None, description=_LIMIT)

    def limits(self) -> Limits:
        wanted = {what: getattr(self, what.value) for what in Limited}
        return {what: limit for what, limit in wanted.items() if limit is not None}


class CreateKeyRequest(RequestModel):
    """A key that is to be made. `expires` is in days; without it, the setting `key_days` says when the key ends."""

    name: str = Field(
        min_length=1, max_length=LONGEST_NAME, description=f"a name of 1 to {LONGEST_NAME} printable characters"
    )
    scopes: Annotated[tuple[Scope, ...], Field(min_length=1, max_length=len(Scope))] = Field(
        (Scope.READ,), description=f"a list of {', '.join(Scope)}"
    )
    tenant: str | None = Field(None, max_length=MAX_PATH, description="the one tenant, or leave it out")
    prefixes: Annotated[tuple[Annotated[str, Field(max_length=MAX_PATH)], ...], Field(max_length=MOST_PREFIXES)] = (
        Field((), description=f"a list of at most {MOST_PREFIXES} folders such as finance/")
    )
    origins: Annotated[tuple[Annotated[str, Field(max_length=MAX_PATH)], ...], Field(max_length=MOST_ORIGINS)] = Field(
        (), description=f"a list of at most {MOST_ORIGINS} origins such as https://www.example.com"
    )
    expires: _Days | Literal["never"] | None = Field(
        None, description=f"a number of days from 1 to {MAX_DAYS}, or never, or leave it out"
    )
    limits: KeyLimits | None = Field(None, description='an object such as {"requests": 10000}, or leave it out')


def key_summary(key: ApiKey, used: Limits) -> KeySummary:
    """`used` is what was used of its limits today."""
    return KeySummary(
        id=key.id,
        name=key.name,
        scopes=tuple(sorted(key.scopes)),
        tenant=key.tenant,
        prefixes=tuple(f"{folder}/" for folder in key.prefixes) or None,
        origins=key.origins or None,
        created_at=key.created_at,
        expires_at=key.expires_at,
        used_at=key.used_at,
        limits=used_limits(key.limits, used) or None,
    )


def used_limits(limits: Limits, used: Limits) -> dict[str, UsedLimit]:
    return {what.value: UsedLimit(limit=limit, used=used[what]) for what, limit in limits.items()}


def created_key(key: ApiKey, token: Token) -> CreatedKey:
    return CreatedKey(key=str(token), **dict(key_summary(key, dict.fromkeys(key.limits, 0))))


def keys_response(keys: Sequence[tuple[ApiKey, Limits]], *, has_more: bool) -> KeysResponse:
    return KeysResponse(
        keys=tuple(key_summary(key, used) for key, used in keys),
        next_cursor=keys[-1][0].id if has_more and keys else None,
    )
