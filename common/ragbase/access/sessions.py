"""Sessions: the sign-ins with the password that are not over yet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase.access.token import Token, TokenKind

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

MOST = 200
"""Sessions at once. One more ends the one that would be over first."""

_NAME = "access-sessions"


@dataclass(frozen=True, slots=True)
class StartedSession:
    """A sign-in. Nobody sees its token again."""

    token: Token
    expires_at: datetime


class Sessions:
    """All sessions are in one checkpoint, which every request with a session reads. So a sign-out holds at once, in
    every process."""

    def __init__(self, checkpoints: Callable[[], Checkpoints], clock: Clock, *, password_hash: str) -> None:
        """Sessions are bound to the hash: with another one, none of them is valid."""
        self._checkpoints = checkpoints
        self._clock = clock
        self._password_hash = password_hash
        self._mark = sha256(password_hash.encode()).hexdigest()

    def start(self, lasting: timedelta) -> StartedSession:
        now = self._clock.now()
        session = StartedSession(Token.new(TokenKind.SESSION), (now + lasting).replace(microsecond=0))
        kept = _Kept(
            digest=session.token.digest(self._password_hash), expires_at=session.expires_at, bound_to=self._mark
        )

        def change(text: str | None) -> str:
            others = [(id, other) for id, other in _read(text).items() if other.expires_at > now]
            others.sort(key=lambda other: other[1].expires_at)
            return _text({**dict(others[-(MOST - 1) :]), session.token.id: kept})

        self._checkpoints().update(_NAME, change)
        return session

    def is_valid(self, token: Token) -> bool:
        kept = _read(self._checkpoints().load(_NAME)).get(token.id)
        return (
            kept is not None
            and token.proves(kept.digest, bound_to=self._password_hash)
            and kept.expires_at > self._clock.now()
        )

    def is_held(self, id: str) -> bool:
        """Whether the session with this id is valid, for what it has given away (an upload address) without its
        token."""
        kept = _read(self._checkpoints().load(_NAME)).get(id)
        return kept is not None and kept.bound_to == self._mark and kept.expires_at > self._clock.now()

    def end(self, token: Token) -> None:
        """Sign out. `token` is valid. Ending it twice does no harm."""

        def change(text: str | None) -> str | None:
            sessions = _read(text)
            return _text({id: kept for id, kept in sessions.items() if id != token.id}) if sessions else text

        self._checkpoints().update(_NAME, change)

    def end_all(self) -> None:
        self._checkpoints().update(_NAME, lambda text: None if text is None else _text({}))


@dataclass(frozen=True, slots=True)
class _Kept:
    """What is kept of a session, under the id of its token. `bound_to` marks the hash of the password; a session of an
    older version has none."""

    digest: str
    expires_at: datetime
    bound_to: str = ""


@cache
def _book() -> TypeAdapter[dict[str, _Kept]]:
    return TypeAdapter(dict[str, _Kept])


def _read(text: str | None) -> Mapping[str, _Kept]:
    return _book().validate_json(text or "{}")


def _text(sessions: Mapping[str, _Kept]) -> str:
    return _book().dump_json(dict(sessions)).decode()
