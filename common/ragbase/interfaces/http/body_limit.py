"""The limit of a request's body, and the answer to a longer one."""

from __future__ import annotations

from dataclasses import dataclass

from ragbase.interfaces.http.refused import Refused


@dataclass(frozen=True, slots=True)
class BodyLimit:
    """`most` is in bytes. `is_upload` is set where files come in: the server answers few of those at once."""

    most: int
    refusal: Refused
    is_upload: bool = False
