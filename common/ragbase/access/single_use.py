"""Upload addresses that were used: each works once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints, Clock

_MINUTES = "upload-uses"
"""The checkpoint that lists the minutes with a book."""


class Use(Enum):
    """What the use of an address is."""

    FIRST = auto()
    """Nobody has used it, or nobody got to the end with these bytes: the file may be stored."""
    REPEATED = auto()
    """These bytes are stored already: the answer was lost on its way."""
    REFUSED = auto()
    """It was used for other bytes."""


@dataclass(frozen=True, slots=True)
class _Content:
    """The bytes that an address is used for, by their hash, and whether they are stored."""

    digest: str
    is_stored: bool = False


class SingleUse:
    """All processes share a book for each minute in which addresses end, and remove it after that minute. So what is
    kept is bounded by what an hour can have."""

    def __init__(self, checkpoints: Callable[[], Checkpoints], clock: Clock) -> None:
        self._checkpoints = checkpoints
        self._clock = clock

    def begin(self, nonce: str, until: float, digest: str) -> Use:
        """Claim an address, which has this nonce and ends then (seconds since 1970), for the bytes of this digest. Of
        several at once, with different bytes, one gets it."""
        use = Use.REFUSED

        def change(text: str | None) -> str:
            nonlocal use
            book = _read(text)
            known = book.get(nonce)
            if known is None or known.digest == digest:
                use = Use.REPEATED if known is not None and known.is_stored else Use.FIRST
                return _text({nonce: _Content(digest), **book})
            use = Use.REFUSED
            return text or ""

        minute = int(until // 60)
        if self._checkpoints().load(_place(minute)) is None:
            self._list(minute)
        self._checkpoints().update(_place(minute), change)
        return use

    def end(self, nonce: str, until: float, digest: str) -> None:
        """The file is stored."""

        def change(text: str | None) -> str:
            return _text({**_read(text), nonce: _Content(digest, is_stored=True)})

        self._checkpoints().update(_place(int(until // 60)), change)

    def _list(self, minute: int) -> None:
        """Note that there is a book of this minute, and remove those of minutes that are over."""
        now = int(self._clock.now().timestamp() // 60)
        over: list[int] = []

        def change(text: str | None) -> str:
            minutes = _minutes().validate_json(text or "[]")
            over[:] = [one for one in minutes if one < now]
            return _minutes().dump_json(tuple(sorted({minute, *minutes} - set(over)))).decode()

        self._checkpoints().update(_MINUTES, change)
        for one in over:
            self._checkpoints().save(_place(one), None)


def _place(minute: int) -> str:
    return f"upload-uses-{minute}"


@cache
def _minutes() -> TypeAdapter[tuple[int, ...]]:
    return TypeAdapter(tuple[int, ...])


@cache
def _book() -> TypeAdapter[dict[str, _Content]]:
    return TypeAdapter(dict[str, _Content])


def _read(text: str | None) -> Mapping[str, _Content]:
    return _book().validate_json(text or "{}")


def _text(book: Mapping[str, _Content]) -> str:
    return _book().dump_json(dict(book)).decode()
