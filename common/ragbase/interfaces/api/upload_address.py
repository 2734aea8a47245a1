"""The signed address of an upload, where the bucket signs none itself. The address is the right to send the file."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from itsdangerous import BadSignature, URLSafeSerializer

if TYPE_CHECKING:
    from ragbase.ports import Checkpoints

_KEY = "upload-key"
"""The checkpoint with the secret that signs."""


@dataclass(frozen=True, slots=True)
class Promise:
    """What an address allows. `size` is in bytes, and `until` in seconds since 1970."""

    name: str
    size: int
    metadata: Mapping[str, str]
    replace: bool
    until: float


def sign(promise: Promise, checkpoints: Checkpoints) -> str:
    """The last part of the address."""
    return str(_serializer(checkpoints).dumps(asdict(promise)))


def promise_of(token: str, checkpoints: Checkpoints) -> Promise | None:
    """None if nobody has signed this."""
    try:
        return Promise(**_serializer(checkpoints).loads(token))
    except BadSignature:
        return None


def _serializer(checkpoints: Checkpoints) -> URLSafeSerializer:
    """All processes sign with one secret, which the first of them draws."""
    key = checkpoints.load(_KEY) or checkpoints.update(_KEY, lambda known: known or secrets.token_hex(32))
    if key is None:
        raise AssertionError("the change never returns None")
    return URLSafeSerializer(key, salt="upload")
