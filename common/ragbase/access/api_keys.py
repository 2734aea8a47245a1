"""API keys: tokens for machines. `ragbase keys` makes, lists and revokes them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase import telemetry
from ragbase.access.caller import Caller, Scope
from ragbase.access.token import Token, TokenKind
from ragbase.domain.errors import ConfigurationError, InvalidObject, TransientError
from ragbase.domain.object_name import clean_name
from ragbase.domain.tenant import first_folder

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

MOST = 1_000
"""Keys at once. Their list is one text."""

USE_NOTED_EVERY = timedelta(minutes=10)
"""A use is noted only if the last noted one is older, so that a request is not a write."""

_LIST = "access-keys"


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is kept of a key; `digest` is the hash of its secret."""

    id: str
    name: str
    scopes: frozenset[Scope]
    tenant: str | None
    digest: str
    created_at: datetime
    expires_at: datetime | None
    used_at: datetime | None

    def is_over(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now


class ApiKeys:
    """Each key is a checkpoint, which every request with that key reads. So a key that was revoked is refused at once,
    in every process. Another checkpoint lists their ids."""

    def __init__(self, checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        self._checkpoints = checkpoints
        self._clock = clock
        self._last_seen: dict[str, ApiKey] = {}
        """By their ids, as `caller` has read them: a use is not a second reading."""

    def create(
        self, name: str, *, scopes: Iterable[Scope], tenant: str | None = None, lasting: timedelta | None = None
    ) -> tuple[ApiKey, Token]:
        """A new key, with its token: nobody sees it again. Raises ConfigurationError if there are too many, and for a
        tenant that cannot be the folder of an upload."""
        if tenant is not None:
            _check_tenant(tenant)
        now = self._clock.now().replace(microsecond=0)
        token = Token.new(TokenKind.KEY)
        key = ApiKey(
            id=token.id,
            name=name,
            scopes=frozenset(scopes),
            tenant=tenant,
            digest=token.digest(),
            created_at=now,
            expires_at=now + lasting if lasting is not None else None,
            used_at=None,
        )
        # Listed first: a key that works is always in the list.
        self._checkpoints().update(_LIST, lambda text: _text_of_ids([*_room(_ids(text)), key.id]))
        self._checkpoints().save(_place(key.id), _text(key))
        return key, token

    def all(self) -> Sequence[ApiKey]:
        """Those that are not revoked, oldest first, also if they are over."""
        keys = (self._get(id) for id in _ids(self._checkpoints().load(_LIST)))
        return [key for key in keys if key is not None]

    def exist(self) -> bool:
        """Whether there is any key, also one that is over."""
        return bool(_ids(self._checkpoints().load(_LIST)))

    def revoke(self, id: str) -> ApiKey | None:
        """Refuse this key from now on. None if there is no such key."""
        key = self._get(id)
        self._checkpoints().save(_place(id), None)
        self._checkpoints().update(_LIST, lambda text: _text_of_ids([other for other in _ids(text) if other != id]))
        return key

    def caller(self, token: Token) -> Caller | None:
        """Who has this key; None if it is unknown, revoked or over, or if the secret is not the key's. It writes
        nothing."""
        key = self._get(token.id)
        if key is None or not token.proves(key.digest) or key.is_over(self._clock.now()):
            return None
        self._last_seen[key.id] = key
        return Caller(key.name, key.scopes, key.tenant, key.id)

    def note_use(self, id: str) -> None:
        """Note that the key of a caller was used now."""
        now = self._clock.now()
        seen = self._last_seen.get(id)
        if seen is not None and not _is_news(seen, now):
            return

        def change(text: str | None) -> str | None:
            """A key that was revoked in the meantime stays revoked. Another request may have noted its use."""
            kept = _read(text)
            return _text(replace(kept, used_at=now.replace(microsecond=0))) if kept and _is_news(kept, now) else text

        try:
            self._checkpoints().update(_place(id), change)
        except TransientError as error:  # the request can be answered all the same
            telemetry.log("access.use_not_noted", level=logging.WARNING, id=id, reason=str(error))

    def _get(self, id: str) -> ApiKey | None:
        return _read(self._checkpoints().load(_place(id)))


def _check_tenant(tenant: str) -> None:
    """An upload's name is cleaned, so only a folder that stays as it is can have uploads."""
    example = f"{tenant}/a.md"
    try:
        is_clean = clean_name(example) == example and first_folder(example) == tenant
    except InvalidObject:
        is_clean = False
    if not is_clean:
        raise ConfigurationError(
            f"{tenant!r} cannot be a tenant. A tenant is the first folder of a document's name: without slashes, "
            "without blanks around it, and in Unicode's normal form NFC."
        )


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
