"""What a server may know of a request as soon as its headers are there, before it keeps a byte of the body."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragbase.access.caller import Caller

REFUSED = "ragbase.refused"
"""The key of WSGI's environment for a Sender whom the first look has refused. The application raises the refusal, so
that the answer is the same as without a first look. No header of a client can set it."""

HOLDER = "ragbase.holder"
"""The key for the holder (see Sender). The application sets it, too, for requests that had no first look."""


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a request.

    `address` is the client's, as limits count it. `holder` is whom the body is counted for: a caller, or the address
    that sends to a signed address. None is a stranger. `refusal` is why the request is not answered, and `caller` whose
    it is, for the record, if that is known.
    """

    address: str
    holder: str | None = None
    refusal: Exception | None = None
    caller: Caller | None = None


FirstLook = Callable[[dict[str, Any]], Sender]
"""Takes WSGI's environment. Reads no body, writes nothing and counts nothing. It may wait for a database, so it needs a
thread of its own."""
