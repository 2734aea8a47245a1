"""API keys: tokens for machines. `ragbase keys` makes, lists and revokes them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase import telemetry
from ragbase.access.caller import Caller, Scope
from ragbase.access.daily_limits import Limited, Limits
from ragbase.access.daily_use import forget_use, used_of_tenant, used_today
from ragbase.access.key_folders import folder_of, tenant_in_nfc
from ragbase.access.page_origins import PageOrigins, origins_of_key
from ragbase.access.token import Token, TokenKind
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.domain.reach import Reach

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

MOST = 1_000
"""Keys at once. Their list is one text."""

USE_NOTED_EVERY = timedelta(minutes=10)
"""A use is noted only if the last noted one is older, so that a request is not a write."""

MOST_PREFIXES = 20
"""Prefixes of a key. Each may cost a store a query of its own."""

WARNED_BEFORE = timedelta(days=14)
"""How long before the end of a key its users are warned."""
_WARNED_EVERY = timedelta(days=1)

_LIST = "access-keys"
_SET_UP = "access-set-up"
"""Since when there is, or was, a password or a key."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is kept of a key; `digest` is the hash of its secret. It reaches the documents below `prefixes`, all without
    any. `limits` are what it may use in a day. `warned_at` is when the log was last told that it will be over soon.
    With `origins`, it counts on pages of these alone.

    Keys of an older version lack the fields with a default.
    """

    id: str
    name: str
    scopes: frozenset[Scope]
    tenant: str | None
    digest: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None
    prefixes: tuple[str, ...] = ()
    limits: Mapping[Limited, int] = field(default_factory=dict)
    warned_at: datetime | None = None
    origins: tuple[str, ...] = ()

    def is_over(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def is_over_soon(self, now: datetime) -> bool:
        """Whether it is valid, and its users should be warned."""
        return self.expires_at is not None and now < self.expires_at <= now + WARNED_BEFORE


class ApiKeys:
    """Each key is a checkpoint, which every request with that key reads. So a key that was revoked is refused at once,
    in every process. Another checkpoint lists their ids."""

    def __init__(self, checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        self._checkpoints = checkpoints
        self._clock = clock
        self.page_origins = PageOrigins(checkpoints)
        self._last_seen: dict[str, ApiKey] = {}
        """By their ids, as `caller` has read them: a use is not a second reading."""

    def create(
        self,
        name: str,
        *,
        scopes: Iterable[Scope],
        tenant: str | None = None,
        prefixes: Iterable[str] = (),
        lasting: timedelta | None = None,
        limits: Limits | None = None,
        origins: Iterable[str] = (),
    ) -> tuple[ApiKey, Token]:
        """A new key, with its token: nobody sees it again. `prefixes` of a tenant's key may leave its folder out.

        Raises ConfigurationError if there are too many, for a tenant or prefix that cannot be the folder of an upload,
        and for a key of pages that may do more than read: who sees the page sees its key."""
        if tenant is not None:
            tenant = tenant_in_nfc(tenant)
        allowed, pages = frozenset(scopes), origins_of_key(origins)
        if pages and allowed != {Scope.READ}:
            raise ConfigurationError(
                f"A key for pages may only read, because everybody who sees a page can see its key, and this one may "
                f"{' and '.join(sorted(allowed))}. Leave out the other scopes, or the origins."
            )
        reach = Reach.of(folder_of(prefix, tenant) for prefix in prefixes)
        if len(reach.folders) > MOST_PREFIXES:
            raise ConfigurationError(
                f"The key has {len(reach.folders)} prefixes, but {MOST_PREFIXES} is the most. Name a folder above them."
            )
        now = self._clock.now().replace(microsecond=0)
        token = Token.new(TokenKind.KEY)
        key = ApiKey(
            id=token.id,
            name=name,
            scopes=allowed,
            tenant=tenant,
            digest=token.digest(_binding(reach.folders, pages)),
            created_at=now,
            expires_at=now + lasting if lasting is not None else None,
            used_at=None,
            prefixes=reach.folders,
            limits=dict(limits or {}),
            origins=pages,
        )
        self.remember()
        # Listed first: a key that works is always in the list.
        self._checkpoints().update(_LIST, lambda text: _text_of_ids([*_room(_ids(text)), key.id]))
        self._checkpoints().save(_place(key.id), _text(key))
        self.page_origins.add(key.id, pages)
        return key, token

    def all(self) -> Sequence[ApiKey]:
        """Those that are not revoked, oldest first, also if they are over."""
        keys = (self._get(id) for id in _ids(self._checkpoints().load(_LIST)))
        return [key for key in keys if key is not None]

    def page(self, *, after: str | None = None, limit: int) -> tuple[Sequence[ApiKey], bool] | None:
        """At most `limit` of them after the key with this id, and whether there are more; None if it is revoked."""
        ids = list(_ids(self._checkpoints().load(_LIST)))
        if after is not None and after not in ids:
            return None
        first = ids.index(after) + 1 if after is not None else 0
        keys = (self._get(id) for id in ids[first : first + limit])
        return [key for key in keys if key is not None], len(ids) > first + limit

    def exist(self) -> bool:
        """Whether there is any key, also one that is over."""
        return bool(_ids(self._checkpoints().load(_LIST)))

    def revoke(self, id: str) -> ApiKey | None:
        """Refuse this key from now on. None if there is no such key."""
        key = self._get(id)
        if key is not None:
            self.remember()  # an older version may have made it
        self._checkpoints().save(_place(id), None)
        self._checkpoints().update(_LIST, lambda text: _text_of_ids([other for other in _ids(text) if other != id]))
        self.page_origins.remove(id)
        if key is not None:
            forget_use(id, key.limits, self._checkpoints())
        return key

    def remember(self) -> None:
        """There is a password or a key: from now on, who shows no token is refused, also when the last one is gone."""
        self._checkpoints().update(_SET_UP, lambda text: text or self._clock.now().isoformat(timespec="seconds"))

    def is_remembered(self) -> bool:
        """Whether there ever was a password or a key here, since the last `forget`."""
        return self._checkpoints().load(_SET_UP) is not None

    def forget(self) -> None:
        """Let programs of this machine in again without a token, as long as there is neither a password nor a key."""
        self._checkpoints().save(_SET_UP, None)

    def used_today(self, key: ApiKey) -> Limits:
        """What was used of the key's limits today (daily_use.py)."""
        return used_today(key.id, key.limits, self._checkpoints, self._clock)

    def used_of_tenant(self, tenant: str, limits: Limits) -> Limits:
        """What the keys of this tenant used of its limits today."""
        return used_of_tenant(tenant, limits, self._checkpoints, self._clock)

    def get(self, id: str) -> ApiKey | None:
        """The key with this id, if it is neither revoked nor over."""
        key = self._get(id)
        return key if key is not None and not key.is_over(self._clock.now()) else None

    def caller(self, token: Token) -> Caller | None:
        """Who has this key; None if it is unknown, revoked or over, or if the secret is not the key's. It writes
        nothing."""
        key = self._get(token.id)
        if key is None or key.is_over(self._clock.now()):
            return None
        if not token.proves(key.digest, _binding(key.prefixes, key.origins)):
            return None
        self._last_seen[key.id] = key
        return caller_of(key)

    def note_use(self, id: str) -> None:
        """Note that the key of a caller was used now. Once a day, the log is told that the key will be over soon."""
        now = self._clock.now().replace(microsecond=0)
        seen = self._last_seen.get(id)
        if seen is not None and not _is_news(seen, now):
            return
        warned: ApiKey | None = None

        def change(text: str | None) -> str | None:
            """A key that was revoked in the meantime stays revoked. Another request may have noted its use."""
            nonlocal warned
            warned, kept = None, _read(text)
            if kept is None or not _is_news(kept, now):
                return text
            used = replace(kept, used_at=now)
            if kept.is_over_soon(now) and (kept.warned_at is None or now - kept.warned_at >= _WARNED_EVERY):
                warned = used = replace(used, warned_at=now)
            return _text(used)

        try:
            self._checkpoints().update(_place(id), change)
        except TransientError as error:  # the request can be answered all the same
            telemetry.log("access.use_not_noted", level=logging.WARNING, id=id, reason=str(error))
            return
        if warned is not None and warned.expires_at is not None:
            telemetry.log(
                "access.key_over_soon",
                level=logging.WARNING,
                id=id,
                name=warned.name,
                expires_at=warned.expires_at.isoformat(),
                remedy="Make another key with `ragbase keys create`, and give it to the program.",
            )

    def _get(self, id: str) -> ApiKey | None:
        return _read(self._checkpoints().load(_place(id)))


def _binding(prefixes: tuple[str, ...], origins: tuple[str, ...]) -> str:
    """What the digest of a key depends on, beside its secret. An older version, which knows no prefixes or no origins
    and would let such a key reach everything, from everywhere, so finds it wrong. A folder begins with no NUL."""
    return "\n".join((*prefixes, *(f"\0{origin}" for origin in origins)))


def caller_of(key: ApiKey) -> Caller:
    """Who has this key."""
    reach, limits = Reach(key.prefixes), tuple(sorted(key.limits.items()))
    return Caller(key.name, key.scopes, key.tenant, key.id, reach, limits, key.expires_at, origins=key.origins)


@cache
def _kept() -> TypeAdapter[ApiKey]:
    return TypeAdapter(ApiKey)


@cache
def _key_ids() -> TypeAdapter[tuple[str, ...]]:
    return TypeAdapter(tuple[str, ...])


def _is_news(key: ApiKey, now: datetime) -> bool:
    """Whether a use at this time is worth a note."""
    return key.used_at is None or now - key.used_at >= USE_NOTED_EVERY


def _place(id: str) -> str:
    return f"access-key-{id}"


def _room(ids: Sequence[str]) -> Sequence[str]:
    if len(ids) >= MOST:
        raise ConfigurationError(f"There are {len(ids):,} keys, the most that there can be. Revoke some first.")
    return ids


def _ids(text: str | None) -> Sequence[str]:
    return _key_ids().validate_json(text or "[]")


def _text_of_ids(ids: Sequence[str]) -> str:
    return _key_ids().dump_json(tuple(ids)).decode()


def _read(text: str | None) -> ApiKey | None:
    return None if text is None else _kept().validate_json(text)


def _text(key: ApiKey) -> str:
    return _kept().dump_json(key).decode()
