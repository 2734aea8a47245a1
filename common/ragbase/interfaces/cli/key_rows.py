"""API keys as people and programs see them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ragbase.interfaces.cli.screen import counted, visible, when

if TYPE_CHECKING:
    from ragbase.access.api_keys import ApiKey
    from ragbase.access.daily_limits import Limits

COLUMNS = ("ID", "NAME", "SCOPES", "TENANT", "PREFIXES", "ORIGINS", "CREATED", "EXPIRES", "LAST USE", "USED TODAY")


def key_row(key: ApiKey, used: Limits, now: datetime) -> tuple[str, ...]:
    """The cells of COLUMNS."""
    return (
        key.id,
        key.name,
        ", ".join(sorted(key.scopes)),
        key.tenant if key.tenant is not None else "all",
        ", ".join(f"{folder}/" for folder in key.prefixes) or "all",
        ", ".join(key.origins) or "–",
        when(key.created_at),
        _end(key, now),
        when(key.used_at) if key.used_at else "never",
        used_text(key.limits, used) or "no limits",
    )


def used_text(limits: Limits, used: Limits) -> str:
    return ", ".join(f"{what} {used[what]:,} of {limit:,}" for what, limit in sorted(limits.items()))


def warnings_of(keys: Sequence[ApiKey], now: datetime) -> Iterator[str]:
    """What somebody should do about these keys."""
    for key in keys:
        if key.is_over_soon(now):
            yield f"{visible(key.name)} ({key.id}) is over {_days_until(key, now)}. Make another key in time."
    if endless := [key for key in keys if key.expires_at is None]:
        yield f"{counted(len(endless), 'key')} without an end: {', '.join(key.id for key in endless)}."
    if over := [key for key in keys if key.is_over(now)]:
        ids = " ".join(key.id for key in over)
        yield f"{counted(len(over), 'key')} over. Remove what is over: `ragbase keys revoke {ids}`."


def _end(key: ApiKey, now: datetime) -> str:
    if key.expires_at is None:
        return "never"
    if key.is_over(now):
        return f"{when(key.expires_at)} (over)"
    return f"{when(key.expires_at)} ({_days_until(key, now)})" if key.is_over_soon(now) else when(key.expires_at)


def _days_until(key: ApiKey, now: datetime) -> str:
    days = (key.expires_at - now).days if key.expires_at is not None else 0
    return f"in {counted(days, 'day')}" if days else "in less than a day"
