"""The origins of the pages that keys are for. A page of another site gets an answer only if its browser may show it
(CORS), and a browser asks that before it sends the key. So one checkpoint has the origins of all keys."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ragbase import telemetry
from ragbase.domain.errors import ConfigurationError, TransientError
from ragbase.domain.origin import clean_origin

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints

MOST = 5
"""Origins of a key."""
_LONGEST = 100
"""Characters of an origin: those of 1,000 keys are one text, of less than a megabyte."""

_LIST = "access-origins"


def origins_of_key(texts: Iterable[str]) -> tuple[str, ...]:
    """The origins as browsers send them, in their order. Raises ConfigurationError."""
    origins: dict[str, None] = {}
    for text in texts:
        origin = clean_origin(text)
        if origin is None or len(origin) > _LONGEST:
            raise ConfigurationError(
                f"{text!r} cannot be an origin. An origin is the beginning of a page's address, as a browser sends it, "
                f"such as https://www.example.com: without a path, and at most {_LONGEST} characters long."
            )
        origins[origin] = None
    if len(origins) > MOST:
        raise ConfigurationError(f"The key has {len(origins)} origins, but {MOST} is the most. Make another key.")
    return tuple(origins)


class PageOrigins:
    """May be used by several threads at once. Nothing is opened before the first call."""

    def __init__(self, checkpoints: Callable[[], Checkpoints]) -> None:
        self._checkpoints = checkpoints

    def add(self, id: str, origins: tuple[str, ...]) -> None:
        """These are the origins of the key with this id."""
        if origins:
            self._checkpoints().update(_LIST, lambda text: _text({**_read(text), id: origins}))

    def remove(self, id: str) -> None:
        """The key with this id is gone."""
        if id in _read(self._checkpoints().load(_LIST)):
            self._checkpoints().update(
                _LIST, lambda text: _text({other: origins for other, origins in _read(text).items() if other != id})
            )

    def have(self, origin: str) -> bool:
        """Whether a key that is not revoked is for pages of this origin. A store that does not answer knows none."""
        try:
            return any(origin in origins for origins in _read(self._checkpoints().load(_LIST)).values())
        except TransientError as error:  # it is asked of answers, too, which are made by now
            telemetry.log("access.origins_not_read", level=logging.WARNING, reason=str(error))
            return False


@cache
def _kept() -> TypeAdapter[dict[str, tuple[str, ...]]]:
    return TypeAdapter(dict[str, tuple[str, ...]])


def _read(text: str | None) -> Mapping[str, tuple[str, ...]]:
    return _kept().validate_json(text or "{}")


def _text(origins: dict[str, tuple[str, ...]]) -> str:
    return _kept().dump_json(origins).decode()
